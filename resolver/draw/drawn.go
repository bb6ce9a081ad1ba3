package draw

import "github.com/seed109e2655/resolute/internal/picture"

// Picture is a picture of a [Solution], a [Conflict] or a [Path]. All text in it is escaped. The
// zero value is an empty picture.
type Picture struct {
	diagram *picture.Diagram
	chart   *picture.Chart // what the SVG shows instead, nil for nothing
}

// DOT writes the picture in the language of Graphviz.
func (p Picture) DOT() string { return p.drawn().DOT() }

// Mermaid writes the picture as a Mermaid flowchart.
func (p Picture) Mermaid() string { return p.drawn().Mermaid() }

// SVG writes the picture as SVG that needs nothing else to be shown, light or dark, and can be
// put inline into a page.
func (p Picture) SVG() string {
	if p.chart != nil {
		return p.chart.SVG()
	}
	return p.drawn().SVG()
}

func (p Picture) drawn() *picture.Diagram {
	if p.diagram == nil {
		return new(picture.Diagram)
	}
	return p.diagram
}
