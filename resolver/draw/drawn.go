package draw

import (
	"context"
	"io"

	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// Style is the style sheet inside each SVG picture. It is constant, so that a page with a strict
// content security policy can allow its hash.
const Style = picture.Style

// Picture is a picture of a [Solution], a [Conflict] or a [Path], or a [Chart]. It is drawn when
// it is written. All of its text is escaped. The zero value is an empty picture.
//
// The error of its methods is that of the writer, or the cause of the end of ctx, after which
// they stop soon.
type Picture struct {
	diagram func(context.Context) *picture.Diagram // incomplete if ctx ends
	chart   func(context.Context) *picture.Chart   // replaces the diagram in the SVG, if not nil
}

// WriteDOT writes the picture in the language of Graphviz. A [Chart] has no such form: nothing is
// written.
func (p Picture) WriteDOT(ctx context.Context, w io.Writer) error {
	return p.write(ctx, w, (*picture.Diagram).WriteDOT)
}

// WriteMermaid writes the picture as a Mermaid flowchart. A [Chart] has no such form: nothing is
// written.
func (p Picture) WriteMermaid(ctx context.Context, w io.Writer) error {
	return p.write(ctx, w, (*picture.Diagram).WriteMermaid)
}

// WriteSVG writes the picture as self-contained SVG for light and dark pages, which can be
// inlined into a page.
func (p Picture) WriteSVG(ctx context.Context, w io.Writer) error {
	if p.chart != nil {
		return p.chart(ctx).WriteSVG(ctx, w)
	}
	return p.write(ctx, w, (*picture.Diagram).WriteSVG)
}

// write draws the diagram and writes it in one form.
func (p Picture) write(ctx context.Context, w io.Writer, form func(*picture.Diagram, context.Context, io.Writer) error) error {
	switch {
	case p.diagram != nil:
		return form(p.diagram(ctx), ctx, w)
	case p.chart != nil:
		return nil
	}
	return form(new(picture.Diagram), ctx, w)
}

// Row is a row of a [Chart]: its name, and what it shows in each column, empty for nothing.
type Row struct {
	Name  string
	Cells []string
}

// Chart draws what is installed over time: a row for each package, and a bar for each run of equal
// cells. Bars in the first column are grey. The end is a note below the rows, or "". Every row
// must have a cell for each column. Of more than 200 rows, the first are drawn; of more than 40
// columns, the first and the last.
func Chart(title string, columns []string, rows []Row, end string) Picture {
	return Picture{chart: func(ctx context.Context) *picture.Chart {
		c := &picture.Chart{Title: title, Columns: columns, End: end}
		for _, r := range picture.Each(ctx, rows) {
			c.Rows = append(c.Rows, picture.Row(*r))
		}
		return c
	}}
}
