// Package chart draws who is where and when: a row for each package, a bar for each
// bundle from the moment that brings it to the one that takes it away.
package chart

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed109e2655/resolute/internal/text"
)

// The measures of the picture, in pixels.
const (
	line    = 28
	top     = 40
	margin  = 12
	letter  = 7 // as wide as a letter is on average
	narrow  = 90
	letters = 44 // as many of a name are shown
)

// Chart is what is drawn.
type Chart struct {
	// Title is what the picture is of, for those who cannot see it.
	Title string
	// Columns are the titles of the moments. What is there at the first is grey.
	Columns []string
	// Rows are the packages.
	Rows []Row
	// End is said below the rows, unless it is empty.
	End string
}

// Row is a package: at each moment the bundle that is there, empty where there is
// none.
type Row struct {
	Name  string
	Cells []string
}

// SVG draws the chart. The picture needs nothing else to be shown, and names in it are
// text and nothing but text.
func (c Chart) SVG() string {
	d := &drawing{Chart: c}
	d.measure()
	height := top + len(c.Rows)*line + margin
	width := d.left + len(c.Columns)*d.column + margin
	if c.End != "" {
		height += line
		width = max(width, 2*margin+letter*utf8.RuneCountInString(c.End))
	}
	fmt.Fprintf(&d.out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="sans-serif" font-size="12" fill="#1d2329">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&d.out, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", escape(c.Title))
	for i, title := range c.Columns {
		d.text(d.left+i*d.column+6, 24, "#5b6570", text.Middle(title, letters))
	}
	for k := range c.Rows {
		d.row(k)
	}
	if c.End != "" {
		d.text(margin, height-margin, "#a32020", c.End)
	}
	d.out.WriteString("</svg>\n")
	return d.out.String()
}

// drawing is the picture on its way.
type drawing struct {
	Chart
	left   int // where the first column begins
	column int // as wide as a column is
	out    strings.Builder
}

// measure finds how wide the columns have to be for the names in them.
func (d *drawing) measure() {
	d.column = narrow
	for _, title := range d.Columns {
		d.column = max(d.column, width(title)+18)
	}
	for _, row := range d.Rows {
		d.left = max(d.left, width(row.Name))
		for i := 0; i < len(row.Cells); {
			n := same(row.Cells[i:])
			d.column = max(d.column, (width(row.Cells[i])+18+n-1)/n)
			i += n
		}
	}
	d.left += 2 * margin
}

// width estimates how wide a name is as it is shown.
func width(s string) int { return letter * min(utf8.RuneCountInString(s), letters) }

// same is how many cells in a row hold the same from the first on.
func same(cells []string) int {
	n := 1
	for n < len(cells) && cells[n] == cells[0] {
		n++
	}
	return n
}

// row draws a package.
func (d *drawing) row(k int) {
	row, y := d.Rows[k], top+k*line
	if k%2 == 0 {
		fmt.Fprintf(&d.out, `<rect x="0" y="%d" width="100%%" height="%d" fill="#f4f6f8"/>`+"\n", y, line)
	}
	d.name(margin, y+18, row.Name)
	for i := 0; i < len(row.Cells); {
		n := same(row.Cells[i:])
		if name := row.Cells[i]; name != "" {
			fill, stroke := "#cfe3f7", "#4a7fb5"
			if i == 0 {
				fill, stroke = "#e3e6e9", "#9aa3ab"
			}
			x := d.left + i*d.column
			fmt.Fprintf(&d.out, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s" stroke="%s"/>`+"\n",
				x, y+3, n*d.column-6, line-6, fill, stroke)
			d.name(x+6, y+18, name)
		}
		i += n
	}
}

// text writes a text.
func (d *drawing) text(x, y int, colour, s string) {
	fmt.Fprintf(&d.out, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", x, y, colour, escape(s))
}

// name writes a name; a long one is shortened, and shown in full when pointed at.
func (d *drawing) name(x, y int, s string) {
	short := text.Middle(s, letters)
	if short == s {
		d.text(x, y, "#1d2329", s)
		return
	}
	fmt.Fprintf(&d.out, `<text x="%d" y="%d"><title>%s</title>%s</text>`+"\n", x, y, escape(s), escape(short))
}

// escape makes a text inert, and escapes it for XML.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text.Inert(s))) // a builder takes everything
	return b.String()
}
