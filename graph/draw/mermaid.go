package draw

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// Mermaid draws the update graph of a package as a Mermaid flowchart: a
// subgraph for each channel, an arrow for each edge, in the direction of the
// upgrade. Arrows are solid for replaces and dotted for skips and skipRange;
// lines without a head cannot be taken, because what they lead to cannot be chosen.
//
// Mermaid refuses more than 500 edges unless it is configured otherwise.
//
// What Mermaid or HTML could take for markup in names is written as an entity; long
// names are shortened. The error is that of the writer, an
// [*graph.UnknownChannelError], or the cause of the end of ctx.
func Mermaid(ctx context.Context, w io.Writer, p *graph.Package, o Options) error {
	return render(ctx, w, p, o, func(b *bufio.Writer, pic *drawing) error {
		fmt.Fprintln(b, "flowchart BT")
		classes := make(map[string][]string)
		err := pic.each(ctx, func(i int, p *part) { mermaidPart(ctx, b, i, p, classes) })
		for _, s := range styles() {
			if nodes := classes[s.class]; len(nodes) > 0 {
				fmt.Fprintf(b, "  classDef %s fill:%s,stroke:%s,color:#000000\n", s.class, s.fill, s.line)
				fmt.Fprintf(b, "  class %s %s\n", strings.Join(nodes, ","), s.class)
			}
		}
		return err
	})
}

// mermaidPart writes a channel, and notes the classes of its nodes.
func mermaidPart(ctx context.Context, b *bufio.Writer, part int, p *part, classes map[string][]string) {
	fmt.Fprintf(b, "  subgraph c%d[\"%s\"]\n", part, text.Mermaid(p.title()))
	for i, r := range until(ctx, p.rows) {
		fmt.Fprintf(b, "    %s[\"%s\"]\n", nodeID(part, i), r.label(text.Mermaid, "<br/>"))
		if s := r.style(); s.class != "plain" {
			classes[s.class] = append(classes[s.class], nodeID(part, i))
		}
	}
	fmt.Fprint(b, "  end\n")
	for _, l := range until(ctx, p.links) {
		arrow := "-.->"
		switch {
		case l.reasons&byReplaces != 0 && l.live:
			arrow = "-->"
		case l.reasons&byReplaces != 0:
			arrow = "---"
		case !l.live:
			arrow = "-.-"
		}
		fmt.Fprintf(b, "  %s %s|%s| %s\n", nodeID(part, l.from), arrow, l.reasons.String(), nodeID(part, l.to))
	}
}
