package main

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The measures of the picture of a road, in pixels.
const (
	roadLine    = 28
	roadTop     = 40
	roadMargin  = 12
	roadLetter  = 7 // as wide as a letter is on average
	roadNarrow  = 90
	roadLetters = 44 // as many of a name are shown
)

// roadSVG draws a road as a chart: a row for each package, a bar for each bundle
// from the round that brings it to the one that takes it away. What was there
// before the first round is grey. The picture needs nothing else to be shown, and
// names in it are text and nothing but text.
func roadSVG(road *scenario.Road) string {
	c := &roadChart{road: road, rows: roadRows(road)}
	c.measure()
	end := ""
	switch {
	case road.Loop:
		end = loopText(road)
	case road.Status == scenario.Unsatisfiable:
		end = roadConflict(road)
	case len(c.rows) == 0:
		end = "nothing changes"
	}
	height := roadTop + len(c.rows)*roadLine + roadMargin
	width := c.left + c.columns*c.column + roadMargin
	if end != "" {
		height += roadLine
		width = max(width, 2*roadMargin+roadLetter*utf8.RuneCountInString(end))
	}
	fmt.Fprintf(&c.out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="sans-serif" font-size="12" fill="#1d2329">`+"\n",
		width, height, width, height)
	c.out.WriteString("<title>Upgrade road</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n")
	for i := range c.columns {
		title := fmt.Sprintf("round %d", i)
		if i == 0 {
			title = "now"
		}
		c.text(c.left+i*c.column+6, 24, "#5b6570", title)
	}
	for k := range c.rows {
		c.row(k)
	}
	if end != "" {
		c.text(roadMargin, height-roadMargin, "#a32020", end)
	}
	c.out.WriteString("</svg>\n")
	return c.out.String()
}

// roadChart is the picture on its way.
type roadChart struct {
	road    *scenario.Road
	rows    []roadRow
	columns int
	left    int // where the first column begins
	column  int // as wide as a column is
	out     strings.Builder
}

// measure finds how wide the columns have to be for the names in them.
func (c *roadChart) measure() {
	c.column = roadNarrow
	if len(c.rows) > 0 {
		c.columns = len(c.rows[0].cells)
	}
	for _, row := range c.rows {
		c.left = max(c.left, textWidth(row.name))
		for i := 0; i < len(row.cells); {
			n := sameCells(row.cells[i:])
			c.column = max(c.column, (textWidth(row.cells[i])+18+n-1)/n)
			i += n
		}
	}
	c.left += 2 * roadMargin
}

// textWidth estimates how wide a name is as it is shown.
func textWidth(s string) int { return roadLetter * min(utf8.RuneCountInString(s), roadLetters) }

// sameCells is how many cells in a row hold the same from the first on.
func sameCells(cells []string) int {
	n := 1
	for n < len(cells) && cells[n] == cells[0] {
		n++
	}
	return n
}

// row draws a package.
func (c *roadChart) row(k int) {
	row, y := c.rows[k], roadTop+k*roadLine
	if k%2 == 0 {
		fmt.Fprintf(&c.out, `<rect x="0" y="%d" width="100%%" height="%d" fill="#f4f6f8"/>`+"\n", y, roadLine)
	}
	c.name(roadMargin, y+18, row.name)
	for i := 0; i < len(row.cells); {
		n := sameCells(row.cells[i:])
		if name := row.cells[i]; name != "" {
			fill, line := "#cfe3f7", "#4a7fb5"
			if i == 0 {
				fill, line = "#e3e6e9", "#9aa3ab"
			}
			x := c.left + i*c.column
			fmt.Fprintf(&c.out, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s" stroke="%s"/>`+"\n",
				x, y+3, n*c.column-6, roadLine-6, fill, line)
			c.name(x+6, y+18, name)
		}
		i += n
	}
}

// text writes a text.
func (c *roadChart) text(x, y int, colour, s string) {
	fmt.Fprintf(&c.out, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", x, y, colour, xmlText(s))
}

// name writes a name; a long one is shortened, and shown in full when pointed at.
func (c *roadChart) name(x, y int, s string) {
	short := text.Middle(s, roadLetters)
	if short == s {
		c.text(x, y, "#1d2329", s)
		return
	}
	fmt.Fprintf(&c.out, `<text x="%d" y="%d"><title>%s</title>%s</text>`+"\n", x, y, xmlText(s), xmlText(short))
}

// xmlText escapes a text for XML.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text.Inert(s))) // a builder takes everything
	return b.String()
}
