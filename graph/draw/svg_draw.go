package draw

import (
	"context"

	"github.com/seed109e2655/resolute/internal/text"
)

// draw draws a channel.
func (b *svgBand) draw(ctx context.Context, d *svg) error {
	p := b.part
	d.open("g", "transform", "translate("+num(b.x)+" "+num(b.y)+")")
	d.leaf("text", p.title(), "x", "0", "y", "20", "font-size", "13", "font-weight", "bold")
	d.leaf("text", p.counts(), "x", num(svgTitle(p.title())), "y", "20", "fill", svgGrey)
	if reason := b.reason(); reason != "" {
		d.open("g")
		d.leaf("title", text.Inert(p.channel.Quarantined().Message))
		d.leaf("text", reason, "x", "0", "y", "38", "fill", styleOf(markQuarantined).line)
		d.close()
	}
	d.open("g", "fill", "none", "stroke-width", "1.5")
	for i := range p.rows {
		if err := ended(ctx, i); err != nil {
			return err
		}
		b.drawChain(d, i)
		b.drawBranch(d, i)
	}
	for i := range b.lanes {
		b.drawLane(d, &b.lanes[i])
	}
	d.close()
	for i := range p.rows {
		if err := ended(ctx, i); err != nil {
			return err
		}
		b.drawRow(d, i)
	}
	d.close()
	return nil
}

// drawChain draws the line from a row to the one above it on the same chain.
func (b *svgBand) drawChain(d *svg, i int) {
	up := b.part.rows[i].above
	if up < 0 {
		return
	}
	colour, dashes := svgGrey, "2 3"
	if b.part.live(i, up) {
		colour, dashes = svgDark, "none"
	}
	from, to := &b.cells[i], &b.cells[up]
	if from.column == to.column {
		d.leaf("path", "", "d", line(from.x, from.y, to.x, to.y+6), "stroke", colour, "stroke-dasharray", dashes)
	} else {
		// Over the top of the column, down the gutter, and up to the end of the
		// chain in the column before.
		over, gutter, under := b.head-6, from.edge-svgGutter/2+8, b.height-12
		d.leaf("path", "", "d", line(from.x, from.y, from.x, over, gutter, over, gutter, under, to.x, under, to.x, to.y+6),
			"stroke", colour, "stroke-dasharray", dashes)
	}
	b.arrow(d, to.x, to.y+5, 0, colour)
}

// drawBranch draws the line from a skipped row to the one that skips it.
func (b *svgBand) drawBranch(d *svg, i int) {
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
	d.leaf("path", "", "d", line(c.x-5, c.y, x, c.y, x, top), "stroke", laneColour(0), "stroke-width", "1.2")
}

// drawLane draws a side line.
func (b *svgBand) drawLane(d *svg, l *sideLine) {
	colour := laneColour(l.index)
	to := &b.cells[l.to]
	top, bottom := b.cells[l.top()].y, b.cells[l.bottom()].y
	d.leaf("path", "", "d", line(l.x, bottom, l.x, top), "stroke", colour, "stroke-width", "1.2")
	d.leaf("path", "", "d", line(l.x, to.y, to.end+4, to.y), "stroke", colour, "stroke-width", "1.2")
	b.arrow(d, to.end+3, to.y, 1, colour)
	for _, f := range l.from {
		dashes := "none"
		if f.reasons == bySkipRange {
			dashes = "1.5 3"
		}
		c := &b.cells[f.from]
		d.leaf("path", "", "d", line(c.end, c.y, l.x, c.y), "stroke", colour, "stroke-width", "1.2", "stroke-dasharray", dashes)
	}
}

// arrow draws the head of an arrow: upwards, or to the left.
func (b *svgBand) arrow(d *svg, x, y float64, left int, colour string) {
	points := []float64{x, y, x - 3.5, y + 6, x + 3.5, y + 6}
	if left != 0 {
		points = []float64{x, y, x + 6, y - 3.5, x + 6, y + 3.5}
	}
	d.leaf("path", "", "d", line(points...)+"Z", "fill", colour, "stroke", "none")
}

// laneColour returns the colour of a side line.
func laneColour(i int) string {
	colours := [...]string{"#1a56a8", "#7b3fa0", "#00707a", "#9a4a1c", "#4d6b14"}
	return colours[i%len(colours)]
}

// drawRow draws a version: dot, name, version, badges.
func (b *svgBand) drawRow(d *svg, i int) {
	r, c := &b.part.rows[i], &b.cells[i]
	style := r.style()
	d.open("g")
	d.leaf("title", r.tooltip())
	if r.offered {
		d.leaf("circle", "", "cx", num(c.x), "cy", num(c.y), "r", "4.5", "fill", style.line)
	} else {
		d.leaf("circle", "", "cx", num(c.x), "cy", num(c.y), "r", "4.5", "fill", "#ffffff", "stroke", style.line, "stroke-width", "1.5")
	}
	x := c.x + 12
	name := text.Middle(text.Name(r.name), maxLabel)
	weight := "normal"
	if r.has(markHead) || r.has(markInstalled) {
		weight = "bold"
	}
	d.leaf("text", name, "x", num(x), "y", num(c.y+4), "font-weight", weight)
	x += svgChars(columns(name))
	if r.version != "" {
		version := text.Middle(r.version, maxLabel/2)
		d.leaf("text", version, "x", num(x+10), "y", num(c.y+4), "fill", svgGrey)
		x += 10 + svgChars(columns(version))
	}
	for _, m := range r.badges() {
		text := badgeText(m)
		style := styleOf(m.kind)
		d.leaf("rect", "", "x", num(x+6), "y", num(c.y-7.5), "width", num(svgBadge(text)), "height", "15", "rx", "4",
			"fill", style.fill, "stroke", style.line, "stroke-width", "0.8")
		d.leaf("text", text, "x", num(x+11), "y", num(c.y+3.5), "font-size", "10", "fill", "#1d2329")
		x += 6 + svgBadge(text)
	}
	if text := b.jumpText(i); text != "" {
		d.leaf("text", text, "x", num(x+10), "y", num(c.y+4), "fill", laneColour(0))
	}
	d.close()
}

// styleOf returns the style of a mark.
func styleOf(k markKind) boxStyle {
	for _, s := range boxStyles() {
		if s.mark == k {
			return s.style
		}
	}
	return boxStyle{"plain", "#ffffff", "#5b6570"}
}
