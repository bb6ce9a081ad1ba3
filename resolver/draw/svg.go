package draw

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/picture"
)

// maxRows is how many versions stand below each other before a channel goes on in a further
// column.
const maxRows = 40

// maxVersions is how many versions of a channel a picture shows one by one, and maxAll how
// many of a package, shared among its channels, at least ten of each. Of more it shows
// those nearest to the head, the oldest ones, what is installed and the way from there
// to the head; a line stands for each run of others and says which they are.
const (
	maxVersions = 200
	maxAll      = 2000
)

// SVG draws the update graph of a package as an SVG picture, which needs
// nothing else to be shown, and can be put inline into an HTML page. It is light on a
// light page and dark on a dark one.
//
// Each channel is a band. Its chain goes down from the head, a line for each
// version, wrapped into columns; what an entry skips is indented below it. A
// filled dot can be newly chosen, an empty one cannot. Where the next step of a
// version is another than the one above it, a side line leads there, or, into
// another column, an arrow with the name. A ring marks what lies on the shortest way
// from an installed version to the head. Of a channel 200 versions are shown one by one, and
// of all together 2,000: those nearest to the head, the oldest, what is installed and the way
// from there to the head. A line stands for each run of others.
//
// All text is escaped by package encoding/xml; there are no scripts, links or
// identifiers in the picture. Long names are shortened, and shown in full when
// pointed at. The error is that of the writer, an
// [*graph.UnknownChannelError], or the cause of the end of ctx.
func SVG(ctx context.Context, w io.Writer, p *graph.Package, o Options) error {
	return render(ctx, w, p, o, func(b *bufio.Writer, pic *drawing) error {
		bands := make([]*svgBand, len(pic.parts))
		for i := range pic.parts {
			pic.parts[i].fold(min(maxVersions, max(10, maxAll/len(pic.parts))))
			bands[i] = layOut(&pic.parts[i], o.AllEdges)
		}
		width, y := shelve(bands)
		width = max(width, svgLeft+picture.Width(pic.title())*1.4, svgLegendWidth)
		d := picture.NewWriter(b, width, y+svgLegend, "Updates of "+pic.title(), pic.description())
		d.Text(svgLeft, 26, pic.title(), "font-size", "16", "font-weight", "bold")
		if err := pic.each(ctx, func(i int, _ *part) { bands[i].draw(ctx, d) }); err != nil {
			return err
		}
		drawLegend(d, y)
		return d.End()
	})
}

// description says what a picture shows, for those who cannot see it.
func (p *drawing) description() string {
	var b strings.Builder
	for i := range p.parts {
		pt := &p.parts[i]
		fmt.Fprintf(&b, "%s: %s. ", pt.title(), pt.summary())
		for k := range pt.rows {
			if r := &pt.rows[k]; r.has(markInstalled) {
				fmt.Fprintf(&b, "%s. ", r.tooltip())
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// drawLegend explains dots and lines.
func drawLegend(d *picture.Writer, y float64) {
	x := svgLeft
	y += svgLegend / 2
	word := func(text string) {
		d.Text(x+12, y+4, text, "font-size", "11", "fill-opacity", picture.Faint)
		x += 12 + picture.Width(text) + 16
	}
	stroke := func(attrs ...any) {
		d.Path(picture.Line(x, y+7, x, y-7), append([]any{"stroke-width", "1.5"}, attrs...)...)
	}
	dot(d, x, y, "", true)
	word("can be chosen")
	dot(d, x, y, picture.Grey, false)
	word("cannot")
	stroke("stroke", "currentColor")
	word("replaces")
	stroke("stroke", picture.Grey.Line(), "stroke-dasharray", "2 3")
	word("replaces, but cannot be taken")
	stroke("stroke", laneTone(0).Line())
	word("skips or skipRange (dotted)")
}

// dot draws the dot of a version, filled if it can be chosen.
func dot(d *picture.Writer, x, y float64, tone picture.Tone, filled bool) {
	fill := "none"
	if filled {
		fill = tone.Line()
	}
	d.Leaf("circle", "", "cx", x, "cy", y, "r", "4.5", "fill", fill, "stroke", tone.Line(), "stroke-width", "1.5")
}

// badges returns the marks that a row shows beside its version. What skips a
// row does not need to know of one that stands below it.
func (r *row) badges() []mark {
	out := make([]mark, 0, len(r.marks))
	for _, m := range r.marks {
		if m.kind != markSkipped || r.depth > 0 {
			m.note = ""
		}
		out = append(out, m)
	}
	if r.more > 0 {
		out = append(out, mark{kind: markKind(r.rest())})
	}
	return out
}
