package view

import (
	"context"
	_ "embed" // the template
	"html/template"
	"io"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// mirrorSource is the template of the page.
//
//go:embed mirror.html
var mirrorSource string

// WriteMirror writes a plan as an HTML page.
func WriteMirror(ctx context.Context, w io.Writer, p *mirror.Plan) error {
	figures, drawn := htmldoc.NewFigures(ctx), 0
	conflict := func(c *resolver.Conflict) *htmldoc.Figure {
		if drawn++; c == nil || drawn > maxConflicts {
			return nil
		}
		return figures.New("The conflict, left to right", draw.Conflict(c.Argument()))
	}
	return htmldoc.Write(ctx, w, mirrorSource, template.FuncMap{"picture": conflict, "sentence": sentence}, map[string]any{"Plan": p, "Channels": mirrorChart(figures, p)})
}

// maxConflicts bounds the drawn conflicts; others are shown as text.
const maxConflicts = 50

// maxChannels bounds the drawn channels.
const maxChannels = 200

// mirrorChart draws the mirrored bundles of each channel from tail to head. It returns nil
// without channels.
func mirrorChart(figures *htmldoc.Figures, p *mirror.Plan) *htmldoc.Figure {
	var rows []draw.Row
	var columns []string
	end := ""
	added := make(map[[2]string]bool)
	for _, a := range p.Added {
		added[[2]string{a.Package, a.Bundle}] = true
	}
	for _, sel := range p.Selections {
		for _, pkg := range sel.Packages {
			for _, ch := range pkg.Channels {
				if len(rows) == maxChannels {
					end = "more channels are not drawn"
					break
				}
				row := draw.Row{Name: pkg.Name + " " + ch.Name}
				for _, name := range ch.Upgrades {
					if added[[2]string{pkg.Name, name}] {
						name += " (added)"
					}
					row.Cells = append(row.Cells, name)
				}
				rows = append(rows, row)
			}
		}
	}
	longest := 0
	for _, r := range rows {
		longest = max(longest, len(r.Cells))
	}
	for i := range rows { // align heads on the right
		rows[i].Cells = append(make([]string, longest-len(rows[i].Cells)), rows[i].Cells...)
	}
	for i := range longest {
		title := ""
		if i == longest-1 {
			title = "head"
		}
		columns = append(columns, title)
	}
	return chartFigure(figures, "Mirrored channels", columns, rows, end)
}

// chartFigure returns the figure of a chart, or nil if the chart is empty.
func chartFigure(figures *htmldoc.Figures, title string, columns []string, rows []draw.Row, end string) *htmldoc.Figure {
	if len(rows) == 0 {
		return nil
	}
	return figures.New(title, draw.Chart(title, columns, rows, end))
}
