package picture

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// The dimensions of a chart, in pixels.
const (
	barHeight = 28.0
	headRoom  = 40.0
	narrow    = 90.0
	barGap    = 6.0
	letters   = 44 // max characters of a name
)

// MaxColumns is the maximum number of columns of a chart; excess columns in
// the middle are folded into one.
const MaxColumns = 40

// Chart shows which bundles are installed over time: a row for each package,
// and a bar for each bundle from its installation to its removal. Bundles
// present in the first column are grey.
type Chart struct {
	// Title is the accessible name of the picture.
	Title string
	// Columns are the titles of the columns.
	Columns []string
	// Rows are the packages.
	Rows []Row
	// End is a note below the rows, or "".
	End string
}

// Row is a package with its bundle in each column, empty while absent.
type Row struct {
	Name  string
	Cells []string
}

// WriteSVG renders the chart as an SVG picture that can be inlined into a page. It
// draws the first [MaxNodes] rows and notes how many are omitted; of more than
// [MaxColumns] columns, it draws the first and the last.
func (c *Chart) WriteSVG(ctx context.Context, w io.Writer) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	d := &chart{Chart: c.foldColumns(), description: c.description()}
	if more := len(d.Rows) - MaxNodes; more > 0 {
		d.Rows = d.Rows[:MaxNodes]
		d.notes = append(d.notes, text.Count(more, "more row is not drawn", "more rows are not drawn"))
	}
	if c.End != "" {
		d.notes = append(d.notes, text.Inert(c.End))
	}
	return d.draw(ctx, w)
}

// foldColumns returns the chart with at most [MaxColumns] columns.
func (c *Chart) foldColumns() Chart {
	const first = MaxColumns / 2
	last := len(c.Columns) - (MaxColumns - first - 1)
	if len(c.Columns) <= MaxColumns {
		return *c
	}
	out := Chart{Title: c.Title}
	fold := func(cells []string, middle string) []string {
		return slices.Concat(cells[:first], []string{middle}, cells[last:])
	}
	out.Columns = fold(c.Columns, text.Count(last-first, "column", "columns")+" folded")
	for _, r := range c.Rows {
		middle := r.Cells[first]
		if slices.ContainsFunc(r.Cells[first:last], func(s string) bool { return s != middle }) {
			middle = "…"
		}
		out.Rows = append(out.Rows, Row{r.Name, fold(r.Cells, middle)})
	}
	return out
}

// description describes the chart in words.
func (c *Chart) description() string {
	var b strings.Builder
	for _, r := range c.Rows {
		if b.Len() > MaxDescription {
			break
		}
		var names []string
		for _, name := range slices.Compact(slices.Clone(r.Cells)) {
			if name == "" {
				name = "nothing"
			}
			names = append(names, text.Inert(name))
		}
		b.WriteString(text.Inert(r.Name) + ": " + strings.Join(names, ", then ") + ". ")
	}
	b.WriteString(text.Inert(c.End))
	return strings.TrimSpace(b.String())
}

// chart is a chart with its layout.
type chart struct {
	Chart
	description string
	notes       []string
	left        float64   // left edge of the first column
	widths      []float64 // of the columns
}

// draw draws a folded chart.
func (d *chart) draw(ctx context.Context, to io.Writer) error {
	d.measure()
	width := d.left + total(d.widths) + margin
	for _, note := range d.notes {
		width = max(width, 2*margin+BoldWidth(note))
	}
	height := headRoom + float64(len(d.Rows)+len(d.notes))*barHeight + margin
	w := NewWriter(ctx, to, max(width, 240), height, d.Title, d.description)
	x := d.left
	for i, title := range d.Columns {
		d.name(w, x+barGap, 24, title)
		x += d.widths[i]
	}
	for k := range d.Rows {
		d.row(w, k)
	}
	for i, note := range d.notes {
		w.Text(margin, headRoom+float64(len(d.Rows)+i)*barHeight+18, note, "font-weight", "bold")
	}
	return w.End()
}

func shown(name string) string { return text.Middle(text.Inert(name), letters) }

// measure computes the widths of the columns from the names in them.
func (d *chart) measure() {
	d.widths = make([]float64, len(d.Columns))
	for i, title := range d.Columns {
		d.widths[i] = max(narrow, Width(shown(title))+3*barGap)
	}
	for _, row := range d.Rows {
		d.left = max(d.left, Width(shown(row.Name)))
		bars(row.Cells, func(i, n int) {
			if missing := Width(shown(row.Cells[i])) + 3*barGap - total(d.widths[i:i+n]); missing > 0 {
				d.widths[i+n-1] += missing
			}
		})
	}
	d.left += 2 * margin
}

func total(widths []float64) (sum float64) {
	for _, w := range widths {
		sum += w
	}
	return sum
}

// bars yields the runs of equal cells.
func bars(cells []string, each func(first, count int)) {
	for i := 0; i < len(cells); {
		n := 1
		for i+n < len(cells) && cells[i+n] == cells[i] {
			n++
		}
		each(i, n)
		i += n
	}
}

func (d *chart) row(w *Writer, k int) {
	row, y := d.Rows[k], headRoom+float64(k)*barHeight
	if k%2 == 0 {
		w.Leaf("rect", "", "y", y, "width", "100%", "height", barHeight, "fill-opacity", ".04")
	}
	d.name(w, margin, y+18, row.Name)
	bars(row.Cells, func(i, n int) {
		x, length := d.left+total(d.widths[:i]), total(d.widths[i:i+n])
		if row.Cells[i] == "" {
			return
		}
		tone := Blue
		if i == 0 {
			tone = Grey
		}
		w.Leaf("rect", "", tone, "x", x, "y", y+3, "width", length-barGap, "height", barHeight-6, "rx", "4")
		d.name(w, x+barGap, y+18, row.Cells[i])
	})
}

// name writes a name; a long one is shortened, with the full text as a
// tooltip.
func (d *chart) name(w *Writer, x, y float64, s string) {
	s = text.Inert(s)
	if shown(s) == s {
		w.Text(x, y, s)
		return
	}
	w.Open("g")
	w.Leaf("title", s)
	w.Text(x, y, shown(s))
	w.Close()
}
