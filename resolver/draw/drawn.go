package draw

import "github.com/seed109e2655/resolute/internal/picture"

// Picture is a picture of a [Solution] or of a [Conflict]. All text in it is escaped. The zero
// value is an empty picture.
type Picture struct{ diagram *picture.Diagram }

// DOT writes the picture in the language of Graphviz.
func (p Picture) DOT() string { return p.drawn().DOT() }

// Mermaid writes the picture as a Mermaid flowchart.
func (p Picture) Mermaid() string { return p.drawn().Mermaid() }

// SVG writes the picture as SVG that needs nothing else to be shown, light or dark, and can be
// put inline into a page.
func (p Picture) SVG() string { return p.drawn().SVG() }

func (p Picture) drawn() *picture.Diagram {
	if p.diagram == nil {
		return new(picture.Diagram)
	}
	return p.diagram
}
