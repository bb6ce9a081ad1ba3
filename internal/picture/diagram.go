// Package picture has the pictures of the library: a [Diagram] of boxes, arrows and
// groups, of which too many are folded, a [Chart] of lanes over time, and what package
// resolver/draw draws channels with. Each is written in one place as SVG, for Graphviz and
// as a Mermaid flowchart, and [WritePage] makes pages of HTML. Texts are foreign: each
// rendering makes them inert and escapes them.
//
// The same model gives the same bytes.
package picture

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Diagram is a directed graph to be drawn.
type Diagram struct {
	// Name is what the graph is called in DOT, an identifier.
	Name string
	// Title is the name of the picture for those who cannot see it, and Caption what
	// stands above it in DOT, if anything does.
	Title, Caption string
	// Way is where the graph goes.
	Way Way
	// Groups are drawn in their order, each in a box of its own; nodes that are in
	// none come first.
	Loose  []Node
	Groups []Group
	Edges  []Edge
}

// Way is a direction, as DOT names it. The zero value is down.
type Way string

// The other directions.
const (
	Across Way = "LR" // from left to right
	Up     Way = "BT"
)

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
	// Lines are what stands in it, and Tip what is said of it in DOT when pointed at.
	Lines []string
	Tip   string
	Shape Shape
	// Look are its colours, if it has any. DOT and Mermaid have them; SVG does not.
	Look *Look
	// Fold is larger for nodes that matter less: they are folded first where there
	// are too many to draw.
	Fold int
}

// Look is how some nodes look: their class in Mermaid, an identifier, and the colours of
// their areas and lines.
type Look struct{ Class, Fill, Line string }

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
	// Faint edges are only a reference, and Dotted ones one that is fainter still;
	// what is Blocked leads there, but is not taken.
	Faint, Dotted, Blocked bool
}

// shapes are the words for each shape: what DOT calls it, and its style there, and what is
// put around the text of a node in Mermaid.
var shapes = [...]struct{ dot, style, open, shut string }{
	Box:     {"box", "", `["`, `"]`},
	Bold:    {"box", "bold", `["`, `"]`},
	Dashed:  {"box", "dashed", `["`, `"]`},
	Round:   {"ellipse", "", `(["`, `"])`},
	Octagon: {"octagon", "", `{{"`, `"}}`},
}

// Each goes through a list, and stops soon after ctx ends.
func Each[T any](ctx context.Context, list []T) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range list {
			if i%32 == 0 && ctx.Err() != nil || !yield(i, &list[i]) {
				return
			}
		}
	}
}

// written returns what a function writes.
func written(write func(context.Context, io.Writer) error) string {
	var b strings.Builder
	_ = write(context.Background(), &b) // a strings.Builder takes everything
	return b.String()
}

// finish ends what is written: the error is the cause of the end of ctx, or that of the
// writer.
func finish(ctx context.Context, b *bufio.Writer) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return b.Flush()
}

// Mermaid is [Diagram.WriteMermaid] without an end.
func (d *Diagram) Mermaid() string { return written(d.WriteMermaid) }

// DOT is [Diagram.WriteDOT] without an end.
func (d *Diagram) DOT() string { return written(d.WriteDOT) }

// WriteMermaid renders the diagram as a Mermaid flowchart. It ends soon after ctx does, the
// cause of which is the error then.
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
			if n.Look != nil && n.Look.Class != "" {
				if members[*n.Look] == nil {
					looks = append(looks, *n.Look)
				}
				members[*n.Look] = append(members[*n.Look], n.ID)
			}
		}
	}
	write("  ", d.Loose)
	for _, g := range Each(ctx, d.Groups) {
		fmt.Fprintf(b, "  subgraph %s[\"%s\"]\n", g.ID, text.Mermaid(g.Title))
		write("    ", g.Nodes)
		b.WriteString("  end\n")
	}
	for _, e := range Each(ctx, d.Edges) {
		line, tip := "--", ">"
		if e.Faint || e.Dotted {
			line = "-.-"
		}
		if e.Blocked {
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
	return finish(ctx, b)
}

// WriteDOT renders the diagram in the language of Graphviz. It ends soon after ctx does,
// the cause of which is the error then.
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
	inside := make(map[string]string) // a node of each group
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
	if n.Look != nil {
		style = strings.Trim("rounded,filled,"+style, ",")
		fmt.Fprintf(b, `, fillcolor="%s", color="%s"`, n.Look.Fill, n.Look.Line)
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

// dot writes an edge. One that ends at a group ends at the node inside of it.
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
