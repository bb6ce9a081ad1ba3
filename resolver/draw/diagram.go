package draw

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// DOT draws the update graph of a package in the language of Graphviz: a cluster for each
// channel and an arrow for each upgrade edge. Arrows are solid for replaces, dashed for skips,
// dotted for skipRange; grey ones are blocked because their target is not a candidate.
//
// Names are escaped, and long ones shortened; tooltips have the full text. The error is that of
// the writer, an [*graph.UnknownChannelError], or the cause of the end of ctx.
func DOT(ctx context.Context, w io.Writer, p *graph.Package, o Options) error {
	d, err := diagram(ctx, p, o)
	if err != nil {
		return err
	}
	return d.WriteDOT(ctx, w)
}

// Mermaid draws the update graph of a package as a Mermaid flowchart: a subgraph for each
// channel and an arrow for each upgrade edge. Arrows are solid for replaces and dotted for
// skips and skipRange; lines without a head are blocked because their target is not a
// candidate.
//
// By default, Mermaid rejects more than 500 edges.
//
// Mermaid and HTML markup in names is escaped, and long names are shortened. The error is that
// of the writer, an [*graph.UnknownChannelError], or the cause of the end of ctx.
func Mermaid(ctx context.Context, w io.Writer, p *graph.Package, o Options) error {
	d, err := diagram(ctx, p, o)
	if err != nil {
		return err
	}
	return d.WriteMermaid(ctx, w)
}

// diagram makes the diagram of a package. IDs contain no text of the catalog.
func diagram(ctx context.Context, p *graph.Package, o Options) (*picture.Diagram, error) {
	drawn, err := newDrawing(ctx, p, o)
	if err != nil {
		return nil, err
	}
	drawn.fold(drawn.room(o.AllEdges))
	d := &picture.Diagram{Name: "updates", Caption: drawn.heading(), Way: picture.Up}
	err = drawn.each(ctx, func(i int, p *part) {
		g := picture.Group{ID: fmt.Sprintf("c%d", i), Title: p.title()}
		id := func(row int) string { return fmt.Sprintf("n%d_%d", i, row) }
		for k, r := range picture.Each(ctx, p.rows) {
			g.Nodes = append(g.Nodes, r.node(id(k)))
		}
		d.Groups = append(d.Groups, g)
		for _, l := range picture.Each(ctx, p.links) {
			d.Edges = append(d.Edges, picture.Edge{From: id(l.from), To: id(l.to), Label: l.reasons.String(),
				Faint: l.reasons&(byReplaces|bySkips) == bySkips, Dotted: l.reasons == bySkipRange, Blocked: !l.live})
		}
	})
	return d, err
}

// node returns the box of a row: its label, and below it what that lacks and its marks.
func (r *row) node(id string) picture.Node {
	style := r.style()
	n := picture.Node{ID: id, Lines: []string{text.Middle(r.label, maxLabel)}, Tip: r.tooltip(), Look: &style.Look}
	if len(r.folded) > 0 {
		n.Lines[0] = "⋮ " + r.foldedText()
		return n
	}
	var words []string
	if r.version != "" {
		words = append(words, text.Middle(r.version, maxLabel/2))
	}
	for _, m := range r.marks {
		words = append(words, string(m.kind))
	}
	if r.more > 0 {
		words = append(words, r.rest())
	}
	if len(words) > 0 {
		n.Lines = append(n.Lines, strings.Join(words, ", "))
	}
	switch {
	case !r.offered:
		n.Shape = picture.Dashed
	case r.has(markHead), r.has(markInstalled):
		n.Shape = picture.Bold
	}
	return n
}
