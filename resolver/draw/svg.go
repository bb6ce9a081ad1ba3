package draw

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// maxRows is the maximum number of versions in a column.
const maxRows = 32

// SVG draws the update graph of a package as a self-contained SVG picture, which can be inlined
// into an HTML page. It follows the light or dark mode of the page.
//
// Each channel is a band. Its chain goes down from the head, one line per version, wrapped into
// columns; versions skipped by an entry are indented below it. A filled dot is a candidate. If
// the preferred upgrade of a version is not to the one above it, a side line leads to the
// target, or, in another column, an arrow with its name. A ring marks the shortest upgrade path
// from an installed version to the head. A version is named by its number if that is all that its
// name adds to the one of the package. So that the picture fits a screen, at most about 64 versions are drawn,
// shared by the channels with at least two each: those nearest to the head, the oldest, installed
// ones and their upgrade paths to the head. A line represents each run of others. With AllEdges it
// is 2,000, and 200 per channel.
//
// Package encoding/xml escapes all text; the picture contains no scripts, links or identifiers.
// Long names are shortened, with the full text as a tooltip. The error is that of the writer,
// an [*graph.UnknownChannelError], or the cause of the end of ctx.
func SVG(ctx context.Context, w io.Writer, p *graph.Package, o Options) error {
	return render(ctx, w, p, o, func(b *bufio.Writer, pic *drawing) error {
		bands, width, y := pic.layOut(ctx, o.AllEdges)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		width = max(width, svgLeft+picture.BoldWidth(pic.heading())*1.4, svgLegendWidth)
		d := picture.NewWriter(ctx, b, width, y+svgLegend, "Updates of "+pic.title(), pic.description())
		d.Text(svgLeft, 26, pic.heading(), "font-size", "16", "font-weight", "bold")
		if err := pic.each(ctx, func(i int, _ *part) { bands[i].draw(ctx, d) }); err != nil {
			return err
		}
		drawLegend(d, y)
		return d.End()
	})
}

// layOut folds and places the channels: those of a selection of edges so that they fit a screen, if
// they can.
func (p *drawing) layOut(ctx context.Context, all bool) (bands []*svgBand, width, height float64) {
	whole := slices.Clone(p.parts)
	for total := p.room(all); ctx.Err() == nil; total /= 2 {
		copy(p.parts, whole)
		p.fold(total)
		bands = make([]*svgBand, len(p.parts))
		for i := range p.parts {
			bands[i] = layOut(&p.parts[i], all)
		}
		width, height = shelve(bands)
		if all || height+svgLegend <= svgHigh || total < minVersions*len(p.parts) {
			break
		}
	}
	return bands, width, height
}

// description is the accessible description of a picture.
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
	word("candidate")
	dot(d, x, y, picture.Grey, false)
	word("cannot")
	stroke("stroke", "currentColor")
	word("replaces")
	stroke("stroke", picture.Grey.Line(), "stroke-dasharray", "2 3")
	word("replaces, target not a candidate")
	stroke("stroke", laneTone(0).Line())
	word("skips or skipRange (dotted)")
}

// dot draws the dot of a version, filled for a candidate.
func dot(d *picture.Writer, x, y float64, tone picture.Tone, filled bool) {
	fill := "none"
	if filled {
		fill = tone.Line()
	}
	d.Leaf("circle", "", "cx", x, "cy", y, "r", "4.5", "fill", fill, "stroke", tone.Line(), "stroke-width", "1.5")
}

// badges returns the marks drawn beside the version of a row. The entry that skips a version is
// named only if the version is not drawn below it.
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
