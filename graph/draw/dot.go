package draw

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// DOT draws the update graph of a package in the language of Graphviz:
// a cluster for each channel, an arrow for each edge, in the direction of the
// upgrade. Arrows are solid for replaces, dashed for skips, dotted for
// skipRange; grey ones cannot be taken, because what they lead to cannot be chosen.
//
// Names are escaped and long ones shortened; the tooltip of a node has the
// whole. The error is that of the writer, an
// [*graph.UnknownChannelError], or the cause of the end of ctx.
func DOT(ctx context.Context, w io.Writer, p *graph.Package, o Options) error {
	return render(ctx, w, p, o, func(b *bufio.Writer, pic *drawing) error {
		fmt.Fprintf(b, "digraph updates {\n  rankdir=BT;\n  label=%s;\n  labelloc=t;\n", dotText(pic.title()))
		fmt.Fprint(b, "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", fontname=\"sans-serif\", fontsize=11];\n")
		fmt.Fprint(b, "  edge [fontname=\"sans-serif\", fontsize=9];\n")
		err := pic.each(ctx, func(i int, p *part) { dotPart(ctx, b, i, p) })
		fmt.Fprint(b, "}\n")
		return err
	})
}

func dotPart(ctx context.Context, b *bufio.Writer, part int, p *part) {
	fmt.Fprintf(b, "  subgraph cluster_%d {\n    label=%s;\n", part, dotText(p.title()))
	for i, r := range until(ctx, p.rows) {
		style := r.style()
		fmt.Fprintf(b, "    %s [label=\"%s\", tooltip=%s, fillcolor=\"%s\", color=\"%s\"", nodeID(part, i), r.label(text.DOT, `\n`), dotText(r.tooltip()), style.fill, style.line)
		if !r.offered {
			fmt.Fprint(b, `, style="rounded,filled,dashed"`)
		}
		if r.has(markHead) || r.has(markInstalled) {
			fmt.Fprint(b, `, penwidth=2`)
		}
		fmt.Fprint(b, "];\n")
	}
	fmt.Fprint(b, "  }\n")
	for _, l := range until(ctx, p.links) {
		style := "solid"
		switch {
		case l.reasons&byReplaces != 0:
		case l.reasons&bySkips != 0:
			style = "dashed"
		default:
			style = "dotted"
		}
		fmt.Fprintf(b, "  %s -> %s [style=%s, label=%s", nodeID(part, l.from), nodeID(part, l.to), style, dotText(l.reasons.String()))
		if !l.live {
			fmt.Fprint(b, `, color="#9a9a9a", fontcolor="#9a9a9a", arrowhead=empty`)
		}
		fmt.Fprint(b, "];\n")
	}
}

// nodeID returns the name of a node in DOT and Mermaid: nothing of the catalog
// is in it.
func nodeID(part, row int) string { return fmt.Sprintf("n%d_%d", part, row) }

func dotText(s string) string { return `"` + text.DOT(s) + `"` }
