package draw

import "github.com/seed109e2655/resolute/internal/picture"

// Picture is a picture of a [Solution], a [Conflict] or a [Path]. All of its text is escaped.
// The zero value is an empty picture.
type Picture struct {
	diagram *picture.Diagram
	chart   *picture.Chart // replaces the diagram in the SVG, if not nil
}

// DOT returns the picture in the language of Graphviz.
func (p Picture) DOT() string { return p.drawn().DOT() }

// Mermaid returns the picture as a Mermaid flowchart.
func (p Picture) Mermaid() string { return p.drawn().Mermaid() }

// SVG returns the picture as self-contained SVG for light and dark pages, which can be inlined
// into a page.
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
