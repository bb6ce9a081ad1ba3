// Package picture has the pictures of the library: a [Diagram] of boxes, arrows and
// groups, of which too many are folded, a [Chart] of lanes over time, and what package
// graph/draw draws channels with. Each is written in one place as SVG, for Graphviz and
// as a Mermaid flowchart, and [WritePage] makes pages of HTML. Texts are foreign: each
// rendering makes them inert and escapes them.
//
// The same model gives the same bytes.
package picture

import (
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Diagram is a directed graph to be drawn.
type Diagram struct {
	// Name is what the graph is called in DOT, an identifier.
	Name string
	// Title is the name of the picture for those who cannot see it.
	Title string
	// Across has it go from left to right; otherwise it goes down.
	Across bool
	// Groups are drawn in their order, each in a box of its own; nodes that are in
	// none come first.
	Loose  []Node
	Groups []Group
	Edges  []Edge
}

// Group are nodes that are drawn together.
type Group struct {
	// ID is an identifier, and Title what stands above.
	ID, Title string
	Nodes     []Node
}

// Node is a thing in a picture.
type Node struct {
	// ID is an identifier that no other node or group has.
	ID string
	// Lines are what stands in it.
	Lines []string
	Shape Shape
	// Fold is larger for nodes that matter less: they are folded first where there
	// are too many to draw.
	Fold int
}

// Shape says what a node looks like.
type Shape int

// The shapes of nodes.
const (
	Box Shape = iota
	Bold
	Dashed
	Round
	Octagon
)

// Edge leads from one node, or group, to another.
type Edge struct {
	From, To string
	Label    string
	// Faint edges are only a reference.
	Faint bool
}

// shapes are the words for each shape: what DOT calls it, and what is put around the
// text of a node in Mermaid.
var shapes = [...]struct{ dot, open, shut string }{
	Box:     {"box", `["`, `"]`},
	Bold:    {"box, style=bold", `["`, `"]`},
	Dashed:  {"box, style=dashed", `["`, `"]`},
	Round:   {"ellipse", `(["`, `"])`},
	Octagon: {"octagon", `{{"`, `"}}`},
}

// Mermaid renders the diagram as a Mermaid flowchart.
func (d *Diagram) Mermaid() string {
	var b strings.Builder
	direction := "TD"
	if d.Across {
		direction = "LR"
	}
	fmt.Fprintf(&b, "flowchart %s\n", direction)
	write := func(indent string, nodes []Node) {
		for _, n := range nodes {
			s := shapes[n.Shape]
			fmt.Fprintf(&b, "%s%s%s%s%s\n", indent, n.ID, s.open, joined(n.Lines, "<br/>", text.Mermaid), s.shut)
		}
	}
	write("  ", d.Loose)
	for _, g := range d.Groups {
		fmt.Fprintf(&b, "  subgraph %s[\"%s\"]\n", g.ID, text.Mermaid(g.Title))
		write("    ", g.Nodes)
		b.WriteString("  end\n")
	}
	for _, e := range d.Edges {
		arrow := "-->"
		if e.Faint {
			arrow = "-.->"
		}
		label := ""
		if e.Label != "" {
			label = `|"` + text.Mermaid(e.Label) + `"|`
		}
		fmt.Fprintf(&b, "  %s %s%s %s\n", e.From, arrow, label, e.To)
	}
	return b.String()
}

// DOT renders the diagram in the language of Graphviz.
func (d *Diagram) DOT() string {
	var b strings.Builder
	direction := "TB"
	if d.Across {
		direction = "LR"
	}
	fmt.Fprintf(&b, "digraph %s {\n  rankdir=%s;\n  compound=true;\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n", d.Name, direction)
	write := func(indent string, nodes []Node) {
		for _, n := range nodes {
			fmt.Fprintf(&b, "%s%s [shape=%s, label=\"%s\"];\n", indent, n.ID, shapes[n.Shape].dot, joined(n.Lines, `\n`, text.DOT))
		}
	}
	write("  ", d.Loose)
	inside := make(map[string]string) // a node of each group
	for _, g := range d.Groups {
		fmt.Fprintf(&b, "  subgraph cluster_%s {\n    label=\"%s\";\n", g.ID, text.DOT(g.Title))
		write("    ", g.Nodes)
		if n := len(g.Nodes); n > 0 {
			inside[g.ID] = g.Nodes[n-1].ID
		}
		b.WriteString("  }\n")
	}
	for _, e := range d.Edges {
		var attrs []string
		end := func(id, attr string) string {
			if n, group := inside[id]; group {
				attrs = append(attrs, fmt.Sprintf("%s=cluster_%s", attr, id))
				return n
			}
			return id
		}
		from, to := end(e.From, "ltail"), end(e.To, "lhead")
		if e.Label != "" {
			attrs = append(attrs, fmt.Sprintf(`label="%s"`, text.DOT(e.Label)))
		}
		if e.Faint {
			attrs = append(attrs, "style=dashed")
		}
		fmt.Fprintf(&b, "  %s -> %s", from, to)
		if len(attrs) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(attrs, ", "))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func joined(lines []string, with string, escape func(string) string) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = escape(l)
	}
	return strings.Join(out, with)
}
