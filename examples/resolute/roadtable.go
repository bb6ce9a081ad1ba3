package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// roadRow is a package on the road: the bundle before the first round, then that
// after each, empty where there is none.
type roadRow struct {
	name  string
	cells []string
}

// rounds are the rounds that were carried out, without a conflict at the end.
func rounds(road *scenario.Road) []*scenario.Answer {
	if n := len(road.Rounds); n > 0 && road.Rounds[n-1].Conflict != nil {
		return road.Rounds[:n-1]
	}
	return road.Rounds
}

// roadRows lists the packages of a road in the order in which they appear. What a
// bundle of another package replaces stands in that package's row.
func roadRows(road *scenario.Road) []roadRow {
	var rows []roadRow
	at := make(map[string]int)
	rounds := rounds(road)
	for i, r := range rounds {
		for _, s := range r.Steps {
			k, ok := at[s.Package]
			if !ok {
				k = len(rows)
				at[s.Package] = k
				rows = append(rows, roadRow{text.Inert(s.Package), make([]string, len(rounds)+1)})
			}
			rows[k].cells[i+1] = text.Inert(s.Bundle)
			switch {
			case i > 0:
			case s.Action == "keep":
				rows[k].cells[0] = text.Inert(s.Bundle)
			default:
				rows[k].cells[0] = replaced(s)
			}
		}
	}
	return rows
}

// printRoadTable writes a row for each package and a column for each round.
func printRoadTable(b *bytes.Buffer, road *scenario.Road) {
	rows := roadRows(road)
	if len(rows) == 0 {
		return
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	head := []string{"PACKAGE", "NOW"}
	for i := range rounds(road) {
		head = append(head, fmt.Sprintf("ROUND %d", i+1))
	}
	fmt.Fprintln(table, strings.Join(head, "\t"))
	for _, row := range rows {
		cells := []string{row.name}
		for i, c := range row.cells {
			switch {
			case c == "":
				cells = append(cells, "-")
			case i > 0 && row.cells[i-1] == c:
				cells = append(cells, "=")
			default:
				cells = append(cells, c)
			}
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	table.Flush() // a buffer takes everything
}
