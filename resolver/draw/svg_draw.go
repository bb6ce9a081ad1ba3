package draw

import (
	"context"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

func (b *svgBand) draw(ctx context.Context, d *picture.Writer) {
	p := b.part
	d.Open("g", "transform", "translate("+picture.Num(b.x)+" "+picture.Num(b.y)+")")
	d.Leaf("text", p.title(), "x", "0", "y", "20", "font-size", "13", "font-weight", "bold")
	d.Leaf("text", p.counts(), "x", svgTitle(p.title()), "y", "20", "fill-opacity", picture.Faint)
	if reason := b.reason(); reason != "" {
		d.Open("g")
		d.Leaf("title", text.Inert(p.channel.Quarantined().Message))
		d.Leaf("text", reason, "x", "0", "y", "38")
		d.Close()
	}
	d.Open("g", "fill", "none", "stroke-width", "1.5")
	for i := range picture.Each(ctx, p.rows) {
		b.drawChain(d, i)
		b.drawBranch(d, i)
	}
	for i := range b.lanes {
		b.drawLane(d, &b.lanes[i])
	}
	d.Close()
	for i := range picture.Each(ctx, p.rows) {
		b.drawRow(d, i)
	}
	d.Close()
}

// drawChain draws the line from a row to the one above it on the same chain.
func (b *svgBand) drawChain(d *picture.Writer, i int) {
	up := b.part.rows[i].above
	if up < 0 {
		return
	}
	colour, dashes := picture.Grey.Line(), "2 3"
	if b.part.live(i, up) {
		colour, dashes = "currentColor", "none"
	}
	from, to := &b.cells[i], &b.cells[up]
	if from.column == to.column {
		d.Path(picture.Line(from.x, from.y, to.x, to.y+6), "stroke", colour, "stroke-dasharray", dashes)
	} else {
		// Over the top of the column, down the gutter, and up to the end of the chain in the
		// previous column.
		over, gutter, under := b.head-6, from.edge-svgGutter/2+8, b.height-8
		d.Path(picture.Line(from.x, from.y, from.x, over, gutter, over, gutter, under, to.x, under, to.x, to.y+6),
			"stroke", colour, "stroke-dasharray", dashes)
	}
	b.arrow(d, to.x, to.y+5, 0, colour)
}

// drawBranch draws the line from a skipped row to the entry that skips it.
func (b *svgBand) drawBranch(d *picture.Writer, i int) {
	r := &b.part.rows[i]
	if r.depth == 0 {
		return
	}
	c, to := &b.cells[i], &b.cells[r.parent]
	x := c.x - svgIndent + 6
	top := b.head - 2
	if to.column == c.column {
		top = to.y + 5
	}
	d.Path(picture.Line(c.x-5, c.y, x, c.y, x, top), "stroke", laneTone(0).Line(), "stroke-width", "1.2")
}

func (b *svgBand) drawLane(d *picture.Writer, l *sideLine) {
	colour := laneTone(l.index).Line()
	to := &b.cells[l.to]
	top, bottom := b.cells[l.top].y, b.cells[l.bottom].y
	d.Path(picture.Line(l.x, bottom, l.x, top), "stroke", colour, "stroke-width", "1.2")
	d.Path(picture.Line(l.x, to.y, to.end+4, to.y), "stroke", colour, "stroke-width", "1.2")
	b.arrow(d, to.end+3, to.y, 1, colour)
	for _, f := range l.from {
		dashes := "none"
		if f.reasons == bySkipRange {
			dashes = "1.5 3"
		}
		c := &b.cells[f.from]
		d.Path(picture.Line(c.end, c.y, l.x, c.y), "stroke", colour, "stroke-width", "1.2", "stroke-dasharray", dashes)
	}
}

// arrow draws an arrowhead, pointing up or left.
func (b *svgBand) arrow(d *picture.Writer, x, y float64, left int, colour string) {
	points := []float64{x, y, x - 3.5, y + 6, x + 3.5, y + 6}
	if left != 0 {
		points = []float64{x, y, x + 6, y - 3.5, x + 6, y + 3.5}
	}
	d.Path(picture.Line(points...)+"Z", "fill", colour, "stroke", "none")
}

func laneTone(i int) picture.Tone {
	tones := [...]picture.Tone{picture.Blue, picture.Violet, picture.Teal, picture.Brown, picture.Olive}
	return tones[i%len(tones)]
}

// drawRow draws a version: dot, name, version, badges.
func (b *svgBand) drawRow(d *picture.Writer, i int) {
	r, c := &b.part.rows[i], &b.cells[i]
	d.Open("g")
	d.Leaf("title", r.tooltip())
	if len(r.folded) > 0 {
		d.Leaf("rect", "", picture.Grey, "x", c.x-4, "y", c.y-5, "width", "8", "height", "10", "rx", "2", "stroke-dasharray", "2 2")
		d.Text(c.x+12, c.y+4, r.foldedText(), "fill-opacity", picture.Faint)
		d.Close()
		return
	}
	if r.onPath {
		d.Leaf("circle", "", "cx", c.x, "cy", c.y, "r", "8", "fill", "none", "stroke", picture.Blue.Line(), "stroke-width", "2")
	}
	dot(d, c.x, c.y, r.style().tone, r.offered)
	x := c.x + 12
	name, width, weight := r.shown()
	d.Text(x, c.y+4, name, "font-weight", weight)
	x += width
	if r.version != "" {
		version := text.Middle(r.version, maxLabel/2)
		d.Text(x+10, c.y+4, version, "fill-opacity", picture.Faint)
		x += 10 + picture.Width(version)
	}
	for _, m := range r.badges() {
		text := badgeText(m)
		tone := styleOf(func(s style) bool { return s.mark == m.kind }).tone
		d.Leaf("rect", "", tone, "x", x+6, "y", c.y-7.5, "width", svgBadge(text), "height", "15", "rx", "4", "stroke-width", "0.8")
		d.Text(x+11, c.y+3.5, text, "font-size", "10")
		x += 6 + svgBadge(text)
	}
	if text := b.jumpText(i); text != "" {
		d.Text(x+10, c.y+4, text)
	}
	d.Close()
}
