package view

import (
	_ "embed" // the template
	"html/template"
	"io"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/internal/picture"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// mirrorSource is the template of the page.
//
//go:embed mirror.html
var mirrorSource string

// WriteMirror writes a plan as an HTML page.
func WriteMirror(w io.Writer, p *mirror.Plan) error {
	drawn := 0
	conflict := func(c *resolver.Conflict) *picture.Figure {
		if drawn++; c == nil || drawn > maxConflicts {
			return nil
		}
		return &picture.Figure{Of: "The conflict as a graph", Source: draw.Conflict(c.Argument())}
	}
	return picture.WritePage(w, mirrorSource, template.FuncMap{"picture": conflict, "sentence": sentence}, map[string]any{"Plan": p, "Channels": mirrorChart(p)})
}

// maxConflicts bounds the drawn conflicts; others are shown as text.
const maxConflicts = 50

// maxChannels bounds the drawn channels.
const maxChannels = 200

// mirrorChart draws the mirrored bundles of each channel from tail to head. It returns nil
// without channels.
func mirrorChart(p *mirror.Plan) *picture.Figure {
	c := picture.Chart{Title: "Mirrored channels"}
	added := make(map[[2]string]bool)
	for _, a := range p.Added {
		added[[2]string{a.Package, a.Bundle}] = true
	}
	for _, sel := range p.Selections {
		for _, pkg := range sel.Packages {
			for _, ch := range pkg.Channels {
				if len(c.Rows) == maxChannels {
					c.End = "more channels are not drawn"
					break
				}
				row := picture.Row{Name: pkg.Name + " " + ch.Name}
				for _, name := range ch.Upgrades {
					if added[[2]string{pkg.Name, name}] {
						name += " (added)"
					}
					row.Cells = append(row.Cells, name)
				}
				c.Rows = append(c.Rows, row)
			}
		}
	}
	longest := 0
	for _, r := range c.Rows {
		longest = max(longest, len(r.Cells))
	}
	for i := range c.Rows { // align heads on the right
		c.Rows[i].Cells = append(make([]string, longest-len(c.Rows[i].Cells)), c.Rows[i].Cells...)
	}
	for i := range longest {
		title := ""
		if i == longest-1 {
			title = "head"
		}
		c.Columns = append(c.Columns, title)
	}
	return chartFigure(&c)
}

// chartFigure returns the figure of a chart, or nil if the chart is empty.
func chartFigure(c *picture.Chart) *picture.Figure {
	if len(c.Rows) == 0 {
		return nil
	}
	return &picture.Figure{Of: c.Title, Source: picture.Drawn{Picture: c.SVG()}}
}
