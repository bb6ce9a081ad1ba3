package terminal

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Table is a table whose columns fit the terminal. Other outputs have no width limit.
type Table struct {
	Columns []Column
	Rows    [][]Cell
}

// Column is a column of a table.
type Column struct {
	Head string
	// Optional columns are dropped if the table is too wide.
	Optional bool
}

// Cell is a table cell. Its texts are untrusted and escaped.
type Cell struct {
	Text string
	// Short replaces the text if the table is too wide. It may be empty.
	Short string
	// Paint colors the text; nil leaves it plain.
	Paint func(string) Painted
}

const (
	tableGap = 2
	// minLast is the minimum width of a wrapped last column.
	minLast = 20
)

// Table writes a table. If it is too wide, optional columns are dropped, then texts shortened,
// then the last column is wrapped. If it still does not fit, Table writes nothing and returns
// false.
func (t *Text) Table(table *Table) bool {
	columns, short, last, ok := table.layout(t.width())
	if ok {
		t.table(table, columns, short, last)
	}
	return ok
}

// Fancy reports whether the output is a terminal or colored.
func (t *Text) Fancy() bool { return t.to != nil && (t.to.tty || t.to.colour) }

// Fits reports whether a text with an indent fits on a line of the terminal.
func (t *Text) Fits(indent int, said string) bool {
	width := t.width()
	return width == 0 || indent+columns(text.Inert(said)) <= width
}

// width returns the width of the terminal, or 0 if there is none.
func (t *Text) width() int {
	if t.to == nil || t.to.width < minWidth {
		return 0
	}
	return t.to.width
}

// layout selects the indexes of the columns to show, whether to shorten texts, and the width of
// the last column (0 is unlimited). A width of 0 is unlimited.
func (x *Table) layout(width int) (columns []int, short bool, last int, ok bool) {
	var all, needed []int
	for i, c := range x.Columns {
		all = append(all, i)
		if !c.Optional {
			needed = append(needed, i)
		}
	}
	for _, try := range []struct {
		columns []int
		short   bool
	}{{all, false}, {needed, false}, {needed, true}} {
		if total, _ := x.width(try.columns, try.short); width == 0 || total <= width {
			return try.columns, try.short, 0, true
		}
	}
	total, of := x.width(needed, true)
	last = width - (total - of)
	return needed, true, last, last >= minLast && last >= x.longestWord(needed[len(needed)-1])
}

// width returns the widths of the table and of its last column.
func (x *Table) width(columns []int, short bool) (total, last int) {
	for i, c := range columns {
		last = x.columnWidth(c, short)
		if total += last; i > 0 {
			total += tableGap
		}
	}
	return total, last
}

// columnWidth returns the width of a column.
func (x *Table) columnWidth(column int, short bool) int {
	n := columns(x.Columns[column].Head)
	for _, row := range x.Rows {
		n = max(n, columns(row[column].text(short)))
	}
	return n
}

// longestWord returns the width of the longest word in the short texts of a column.
func (x *Table) longestWord(column int) int {
	n := 0
	for _, row := range x.Rows {
		for _, word := range strings.Fields(row[column].text(true)) {
			n = max(n, columns(word))
		}
	}
	return n
}

func (c *Cell) text(short bool) string {
	if short && c.Short != "" {
		return text.Inert(c.Short)
	}
	return text.Inert(c.Text)
}

// table writes the header and the rows.
func (t *Text) table(x *Table, shown []int, short bool, last int) {
	widths := make([]int, len(shown))
	head := make([]Cell, len(x.Columns))
	for i, c := range shown {
		widths[i] = x.columnWidth(c, short)
		head[c].Text = x.Columns[c].Head
	}
	t.row(head, shown, widths, short, last)
	for _, row := range x.Rows {
		t.row(row, shown, widths, short, last)
	}
}

// row writes a row, wrapping its last column.
func (t *Text) row(row []Cell, shown, widths []int, short bool, last int) {
	var line strings.Builder
	indent := 0
	for i, c := range shown {
		cell := &row[c]
		said := cell.text(short)
		if i < len(shown)-1 {
			line.WriteString(cell.paint(said) + strings.Repeat(" ", widths[i]-columns(said)+tableGap))
			indent += widths[i] + tableGap
			continue
		}
		for j, part := range wrapWords(said, last) {
			if j > 0 {
				line.WriteString("\n" + strings.Repeat(" ", indent))
			}
			line.WriteString(cell.paint(part))
		}
	}
	t.WriteString(line.String() + "\n")
}

func (c *Cell) paint(said string) string {
	if c.Paint == nil {
		return said
	}
	return string(c.Paint(said))
}

// wrapWords wraps a text between words into lines of at most width columns. A width of 0 is
// unlimited.
func wrapWords(s string, width int) []string {
	if width == 0 || columns(s) <= width {
		return []string{s}
	}
	var parts []string
	at := 0
	for _, word := range strings.Fields(s) {
		n := columns(word)
		if len(parts) > 0 && at+1+n <= width {
			parts[len(parts)-1] += " " + word
			at += 1 + n
			continue
		}
		parts, at = append(parts, word), n
	}
	return parts
}
