package draw

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Path draws an upgrade path. The SVG is a chart with a row for each package and a bar for each
// bundle, from the round that installs it to the one that removes it; bundles present before
// the first round are grey. DOT and Mermaid have a group for the current state and one for each
// round, with its installs and upgrades, and an arrow from each bundle to its replacement.
func Path(p *scenario.Path) Picture {
	return Picture{
		diagram: func(ctx context.Context) *picture.Diagram { return path(ctx, p) },
		chart:   func(ctx context.Context) *picture.Chart { return pathChart(ctx, p) },
	}
}

func pathChart(ctx context.Context, r *scenario.Path) *picture.Chart {
	rows := r.Packages()
	c := &picture.Chart{Title: "Upgrade path", Columns: rounds(r), End: r.End()}
	for _, row := range picture.Each(ctx, rows) {
		c.Rows = append(c.Rows, picture.Row{Name: row.Package, Cells: row.Bundles})
	}
	if len(rows) == 0 {
		c.Columns = nil
	}
	return c
}

func path(ctx context.Context, r *scenario.Path) *picture.Diagram {
	d := &picture.Diagram{Name: "path", Title: "Upgrade path", Way: picture.Across}
	rows := r.Packages()
	last := make([]string, len(rows)) // the last node drawn of each package
	for i, title := range rounds(r) {
		g := picture.Group{ID: fmt.Sprintf("r%d", i), Title: title}
		for k, row := range picture.Each(ctx, rows) {
			if row.Bundles[i] == "" || i > 0 && row.Bundles[i] == row.Bundles[i-1] {
				continue
			}
			n := picture.Node{ID: fmt.Sprintf("n%d_%d", i, k), Lines: []string{row.Bundles[i]}}
			g.Nodes = append(g.Nodes, n)
			if last[k] != "" {
				d.Edges = append(d.Edges, picture.Edge{From: last[k], To: n.ID})
			}
			last[k] = n.ID
		}
		if len(g.Nodes) > 0 { // the current state may be empty
			d.Groups = append(d.Groups, g)
		}
	}
	n := len(r.Done())
	switch {
	case r.Loop:
		d.Edges = append(d.Edges, picture.Edge{From: fmt.Sprintf("r%d", n), To: fmt.Sprintf("r%d", r.LoopStart+1), Label: "and again", Faint: true})
	case r.Status == scenario.Unsatisfiable:
		d.Loose = append(d.Loose, picture.Node{ID: "over", Lines: []string{r.End()}})
		if n > 0 {
			d.Edges = append(d.Edges, picture.Edge{From: fmt.Sprintf("r%d", n), To: "over"})
		}
	}
	return d
}

// rounds returns the titles of the rounds of a path.
func rounds(r *scenario.Path) []string {
	out := []string{"now"}
	for i := range r.Done() {
		out = append(out, fmt.Sprintf("%s: round %d", turn(i), i+1))
	}
	return out
}
