package answerview

import (
	"fmt"

	"github.com/seed109e2655/resolute/examples/resolute/internal/chart"
	"github.com/seed109e2655/resolute/internal/diagram"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// RoadPicture is a road as a graph: a group for what there is now and for each round,
// with what it installs and upgrades, and an arrow from each bundle of a package to the
// one that takes its place.
func RoadPicture(road *scenario.Road) Picture {
	d := &diagram.Diagram{Name: "road", Across: true}
	rows := roadRows(road)
	last := make([]string, len(rows)) // of each package, the node drawn last
	n := len(rounds(road))
	for i := range n + 1 {
		group := diagram.Group{ID: fmt.Sprintf("r%d", i), Title: roundTitle(i)}
		for k, row := range rows {
			if row.cells[i] == "" || i > 0 && row.cells[i] == row.cells[i-1] {
				continue
			}
			node := diagram.Node{ID: fmt.Sprintf("n%d_%d", i, k), Lines: []string{row.cells[i]}}
			group.Nodes = append(group.Nodes, node)
			if last[k] != "" {
				d.Edges = append(d.Edges, diagram.Edge{From: last[k], To: node.ID})
			}
			last[k] = node.ID
		}
		if len(group.Nodes) > 0 { // nothing need be there now
			d.Groups = append(d.Groups, group)
		}
	}
	switch {
	case road.Loop:
		d.Edges = append(d.Edges, diagram.Edge{From: fmt.Sprintf("r%d", n), To: fmt.Sprintf("r%d", road.LoopStart+1), Label: "and again", Faint: true})
	case road.Status == scenario.Unsatisfiable:
		d.Loose = []diagram.Node{{ID: "over", Lines: []string{roadConflict(road)}}}
		if n > 0 {
			d.Edges = append(d.Edges, diagram.Edge{From: fmt.Sprintf("r%d", n), To: "over"})
		}
	}
	return d
}

// roundTitle names a column of a picture; 0 is what there is now.
func roundTitle(i int) string {
	if i == 0 {
		return "now"
	}
	return fmt.Sprintf("round %d", i)
}

// roadConflict is the conflict in which a road ends, in one line.
func roadConflict(road *scenario.Road) string {
	last := road.Rounds[len(road.Rounds)-1].Conflict
	return fmt.Sprintf("no solution in round %d: %s", len(road.Rounds), last.Headline())
}

// RoadSVG draws a road as a chart: a row for each package, a bar for each bundle from
// the round that brings it to the one that takes it away. What was there before the
// first round is grey.
func RoadSVG(road *scenario.Road) string {
	c := chart.Chart{Title: "Upgrade road"}
	for _, row := range roadRows(road) {
		c.Rows = append(c.Rows, chart.Row{Name: row.name, Cells: row.cells})
	}
	if len(c.Rows) > 0 {
		for i := range c.Rows[0].Cells {
			c.Columns = append(c.Columns, roundTitle(i))
		}
	}
	switch {
	case road.Loop:
		c.End = loopText(road)
	case road.Status == scenario.Unsatisfiable:
		c.End = roadConflict(road)
	case len(c.Rows) == 0:
		c.End = "nothing changes"
	}
	return c.SVG()
}
