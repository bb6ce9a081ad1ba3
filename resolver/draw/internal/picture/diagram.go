// Package picture renders the pictures of package draw: a [Diagram] of boxes,
// arrows and groups, folded if too large, a [Chart] of lanes over time, and
// the SVG primitives for update graphs. Each kind of output has one
// implementation: SVG, Graphviz and Mermaid flowcharts. Texts are untrusted:
// each renderer makes them inert and escapes them.
//
// The same model gives the same bytes. Renderers stop soon after their context
// ends and return its cause.
package picture

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Diagram is a directed graph to draw.
type Diagram struct {
	// Name is the name of the graph in DOT, an identifier.
	Name string
	// Title is the accessible name of the picture, and Caption an optional
	// heading in DOT.
	Title, Caption string
	// Way is the direction of the layout in DOT and Mermaid. In SVG, edges point
	// right.
	Way Way
	// Groups are drawn in their order, each in a frame; loose nodes come
	// first. In SVG, frames that lead to each other lie side by side, all others
	// below each other.
	Loose  []Node
	Groups []Group
	Edges  []Edge
}

// Way is a direction, as in DOT. The zero value is top-down.
type Way string

// The other directions.
const (
	Across Way = "LR" // from left to right
	Up     Way = "BT"
)

// Group is a set of nodes drawn together.
type Group struct {
	// ID is an identifier, and Title the heading.
	ID, Title string
	Nodes     []Node
}

// Node is a node of a picture.
type Node struct {
	// ID is a unique identifier among nodes and groups.
	ID string
	// Lines are its text, the first one its name, and Tip its full text for a
	// tooltip, empty if the lines are.
	Lines []string
	Tip   string
	Shape Shape
	// Look has its colours, if any, for DOT and Mermaid instead of those of its
	// shape; SVG has the colours of the shape.
	Look *Look
	// Fold is larger for less important nodes, which are folded first if there
	// are too many.
	Fold int
}

// Look is the appearance of some nodes: their class in Mermaid, an identifier,
// and their fill and line colours.
type Look struct{ Class, Fill, Line string }

// Shape is the shape of a node.
type Shape int

// The shapes of nodes: a bundle, a demand, something that does not change, a way
// out, a clash, and bundles that are added, upgraded and downgraded.
const (
	Box Shape = iota
	Bold
	Dashed
	Round
	Octagon
	Added
	Upgraded
	Downgraded
)

// Edge connects two nodes or groups.
type Edge struct {
	From, To string
	Label    string
	// Faint edges are references, and Dotted ones weak references; a Blocked
	// edge cannot be followed. A Clash is a line without a direction, to what
	// rules its node out.
	Faint, Dotted, Blocked, Clash bool
}

// shapes has the words for each shape: its name and style in DOT, the brackets
// around its text in Mermaid, and its colours.
var shapes = [...]struct {
	dot, style, open, shut string
	look                   Look
	tone                   Tone
}{
	Box:     {"box", "", `["`, `"]`, Look{}, ""},
	Bold:    {"box", "bold", `["`, `"]`, Look{"demand", "#eaf2ff", "#1f6feb"}, Blue},
	Dashed:  {"box", "dashed", `["`, `"]`, Look{}, Grey},
	Round:   {"box", "", `(["`, `"])`, Look{"ways", "#e9f7ef", "#1a7f4b"}, Green},
	Octagon: {"octagon", "", `{{"`, `"}}`, Look{"clash", "#fdeeee", "#c62f2f"}, Red},

	Added:      {"box", "", `["`, `"]`, Look{"added", "#e9f7ef", "#1a7f4b"}, Green},
	Upgraded:   {"box", "", `["`, `"]`, Look{"upgraded", "#eaf2ff", "#1f6feb"}, Blue},
	Downgraded: {"box", "", `["`, `"]`, Look{"downgraded", "#fff5e0", "#9a6200"}, Orange},
}

// look returns the colours of a node.
func (n *Node) look() Look {
	if n.Look != nil {
		return *n.Look
	}
	return shapes[n.Shape].look
}

// Each iterates over a list and stops soon after ctx ends.
func Each[T any](ctx context.Context, list []T) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range list {
			if i%32 == 0 && ctx.Err() != nil || !yield(i, &list[i]) {
				return
			}
		}
	}
}

// finish flushes the output: the error is the cause of the end of ctx, or that
// of the writer.
func finish(ctx context.Context, b *bufio.Writer) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return b.Flush()
}

// WriteMermaid renders the diagram as a Mermaid flowchart.
func (d *Diagram) WriteMermaid(ctx context.Context, to io.Writer) error {
	b := bufio.NewWriter(to)
	way := string(d.Way)
	if way == "" {
		way = "TD"
	}
	fmt.Fprintf(b, "flowchart %s\n", way)
	var looks []Look
	members := make(map[Look][]string)
	write := func(indent string, nodes []Node) {
		for _, n := range Each(ctx, nodes) {
			s := shapes[n.Shape]
			fmt.Fprintf(b, "%s%s%s%s%s\n", indent, n.ID, s.open, strings.Join(text.Each(n.Lines, text.Mermaid), "<br/>"), s.shut)
			if look := n.look(); look.Class != "" {
				if members[look] == nil {
					looks = append(looks, look)
				}
				members[look] = append(members[look], n.ID)
			}
		}
	}
	write("  ", d.Loose)
	for _, g := range Each(ctx, d.Groups) {
		fmt.Fprintf(b, "  subgraph %s[\"%s\"]\n", g.ID, text.Mermaid(g.Title))
		write("    ", g.Nodes)
		b.WriteString("  end\n")
	}
	var clashes []string
	for i, e := range Each(ctx, d.Edges) {
		line, tip := "--", ">"
		if e.Faint || e.Dotted || e.Clash {
			line = "-.-"
		}
		if e.Clash {
			clashes = append(clashes, strconv.Itoa(i))
		}
		if e.Blocked || e.Clash {
			tip = strings.Repeat("-", 3-len(line)) // a line without an arrow
		}
		label := ""
		if e.Label != "" {
			label = `|"` + text.Mermaid(e.Label) + `"|`
		}
		fmt.Fprintf(b, "  %s %s%s%s %s\n", e.From, line, tip, label, e.To)
	}
	for _, l := range looks {
		fmt.Fprintf(b, "  classDef %s fill:%s,stroke:%s,color:#000000\n  class %s %[1]s\n", l.Class, l.Fill, l.Line, strings.Join(members[l], ","))
	}
	if len(clashes) > 0 {
		fmt.Fprintf(b, "  linkStyle %s stroke:%s\n", strings.Join(clashes, ","), shapes[Octagon].look.Line)
	}
	return finish(ctx, b)
}

// WriteDOT renders the diagram in the language of Graphviz.
func (d *Diagram) WriteDOT(ctx context.Context, to io.Writer) error {
	b := bufio.NewWriter(to)
	way := string(d.Way)
	if way == "" {
		way = "TB"
	}
	fmt.Fprintf(b, "digraph %s {\n  rankdir=%s;\n  compound=true;\n", d.Name, way)
	if d.Caption != "" {
		fmt.Fprintf(b, "  label=\"%s\";\n  labelloc=t;\n", text.DOT(d.Caption))
	}
	fmt.Fprint(b, "  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n")
	write := func(indent string, nodes []Node) {
		for _, n := range Each(ctx, nodes) {
			n.dot(b, indent)
		}
	}
	write("  ", d.Loose)
	inside := make(map[string]string) // the first node of each group
	for _, g := range Each(ctx, d.Groups) {
		fmt.Fprintf(b, "  subgraph cluster_%s {\n    label=\"%s\";\n", g.ID, text.DOT(g.Title))
		write("    ", g.Nodes)
		if n := len(g.Nodes); n > 0 {
			inside[g.ID] = g.Nodes[n-1].ID
		}
		b.WriteString("  }\n")
	}
	for _, e := range Each(ctx, d.Edges) {
		e.dot(b, inside)
	}
	b.WriteString("}\n")
	return finish(ctx, b)
}

// dot writes a node.
func (n *Node) dot(b *bufio.Writer, indent string) {
	s := shapes[n.Shape]
	fmt.Fprintf(b, "%s%s [shape=%s", indent, n.ID, s.dot)
	style := s.style
	if look := n.look(); look.Fill != "" {
		style = strings.Trim("rounded,filled,"+style, ",")
		fmt.Fprintf(b, `, fillcolor="%s", color="%s"`, look.Fill, look.Line)
	}
	if strings.Contains(style, ",") {
		style = `"` + style + `"`
	}
	if style != "" {
		fmt.Fprintf(b, ", style=%s", style)
	}
	if n.Tip != "" {
		fmt.Fprintf(b, `, tooltip="%s"`, text.DOT(n.Tip))
	}
	fmt.Fprintf(b, ", label=\"%s\"];\n", strings.Join(text.Each(n.Lines, text.DOT), `\n`))
}

// dot writes an edge. An edge to a group ends at a node inside it.
func (e *Edge) dot(b *bufio.Writer, inside map[string]string) {
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
	switch {
	case e.Faint:
		attrs = append(attrs, "style=dashed")
	case e.Dotted:
		attrs = append(attrs, "style=dotted")
	case e.Clash:
		attrs = append(attrs, fmt.Sprintf(`style=dashed, arrowhead=none, color="%s"`, shapes[Octagon].look.Line))
	}
	if e.Blocked {
		attrs = append(attrs, `color="#9a9a9a", fontcolor="#9a9a9a", arrowhead=empty`)
	}
	fmt.Fprintf(b, "  %s -> %s", from, to)
	if len(attrs) > 0 {
		fmt.Fprintf(b, " [%s]", strings.Join(attrs, ", "))
	}
	b.WriteString(";\n")
}
