package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

// printRoadTable writes a row for each package and a column for each round.
func printRoadTable(b *bytes.Buffer, road *scenario.Road) {
	rows := road.Packages()
	if len(rows) == 0 {
		return
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	head := []string{"PACKAGE", "NOW"}
	for i := range road.Done() {
		head = append(head, fmt.Sprintf("ROUND %d", i+1))
	}
	fmt.Fprintln(table, strings.Join(head, "\t"))
	for _, row := range rows {
		cells := []string{row.Package}
		for i, c := range row.Bundles {
			switch {
			case c == "":
				cells = append(cells, "-")
			case i > 0 && row.Bundles[i-1] == c:
				cells = append(cells, "=")
			default:
				cells = append(cells, c)
			}
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	table.Flush() // a buffer takes everything
}
