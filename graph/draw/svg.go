package draw

import (
	"bufio"
	"context"
	"io"

	"github.com/seed109e2655/resolute/graph"
)

// DefaultRows is the default of Options.Rows.
const DefaultRows = 40

// SVG draws the update graph of a package as an SVG picture, which needs
// nothing else to be shown, and can be put inline into an HTML page.
//
// Each channel is a band. Its chain goes down from the head, a line for each
// version, wrapped into columns; what an entry skips is indented below it. A
// filled dot can be newly chosen, an empty one cannot. Where the next step of a
// version is another than the one above it, a side line leads there, or, into
// another column, an arrow with the name.
//
// All text is escaped by package encoding/xml; there are no scripts, links or
// identifiers in the picture. Long names are shortened, and shown in full when
// pointed at. The error is that of the writer, an
// [*graph.UnknownChannelError], or the cause of the end of ctx.
func SVG(ctx context.Context, w io.Writer, p *graph.Package, o Options) error {
	pic, err := newPicture(ctx, p, o)
	if err != nil {
		return err
	}
	rows := o.Rows
	if rows <= 0 {
		rows = DefaultRows
	}
	bands := make([]*svgBand, len(pic.parts))
	for i := range pic.parts {
		bands[i] = layOut(&pic.parts[i], rows, o.AllEdges)
	}
	width, y := shelve(bands)
	width = max(width, svgLeft+svgChars(columns(pic.title()))*1.4, svgLegendWidth)
	b := bufio.NewWriter(w)
	d := newSVG(b)
	height := y + svgLegend
	d.open("svg", "xmlns", "http://www.w3.org/2000/svg", "width", num(width), "height", num(height),
		"viewBox", "0 0 "+num(width)+" "+num(height), "role", "img", "font-family", svgFont, "font-size", "12", "fill", "#1d2329")
	d.leaf("title", "Updates of "+pic.title())
	d.leaf("rect", "", "width", num(width), "height", num(height), "fill", "#ffffff")
	d.leaf("text", pic.title(), "x", num(svgLeft), "y", "26", "font-size", "16", "font-weight", "bold")
	for _, band := range bands {
		if err := band.draw(ctx, d); err != nil {
			return err
		}
	}
	drawLegend(d, y)
	d.close()
	if err := d.end(); err != nil {
		return err
	}
	return b.Flush()
}

// drawLegend explains dots and lines.
func drawLegend(d *svg, y float64) {
	x := svgLeft
	y += svgLegend / 2
	word := func(text string) {
		d.leaf("text", text, "x", num(x+12), "y", num(y+4), "font-size", "11", "fill", svgGrey)
		x += 12 + svgChars(columns(text)) + 16
	}
	d.leaf("circle", "", "cx", num(x), "cy", num(y), "r", "4.5", "fill", "#5b6570")
	word("can be chosen")
	d.leaf("circle", "", "cx", num(x), "cy", num(y), "r", "4.5", "fill", "#ffffff", "stroke", "#9a9a9a", "stroke-width", "1.5")
	word("cannot")
	d.leaf("path", "", "d", line(x, y+7, x, y-7), "stroke", svgDark, "stroke-width", "1.5")
	word("replaces")
	d.leaf("path", "", "d", line(x, y+7, x, y-7), "stroke", svgGrey, "stroke-width", "1.5", "stroke-dasharray", "2 3")
	word("replaces, but cannot be taken")
	d.leaf("path", "", "d", line(x, y+7, x, y-7), "stroke", laneColour(0), "stroke-width", "1.2")
	word("skips or skipRange (dotted)")
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
