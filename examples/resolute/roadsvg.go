package main

import (
	"fmt"

	"github.com/seed109e2655/resolute/examples/resolute/internal/chart"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// roadSVG draws a road as a chart: a row for each package, a bar for each bundle
// from the round that brings it to the one that takes it away. What was there
// before the first round is grey.
func roadSVG(road *scenario.Road) string {
	c := chart.Chart{Title: "Upgrade road"}
	for _, row := range roadRows(road) {
		c.Rows = append(c.Rows, chart.Row{Name: row.name, Cells: row.cells})
	}
	if len(c.Rows) > 0 {
		for i := range c.Rows[0].Cells {
			title := fmt.Sprintf("round %d", i)
			if i == 0 {
				title = "now"
			}
			c.Columns = append(c.Columns, title)
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
