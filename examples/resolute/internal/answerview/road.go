package answerview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed109e2655/resolute/examples/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Road writes how a road ends, what each round does, and the table of which package is
// at which bundle after which round.
func (t *Text) Road(name string, road *scenario.Road) {
	t.Line("%s: %s", text.Inert(name), t.roadHeadline(road))
	for i, r := range road.Rounds {
		if r.Conflict != nil {
			t.Line("round %d: %s", i+1, t.headline(r.Status, Headline(r)))
			t.Conflict(r.Conflict)
			continue
		}
		t.Line("round %d:", i+1)
		t.Changes("  ", r.Steps)
		t.warnings("  ", added(road, i, r.Warnings))
	}
	t.roadTable(road)
	t.warnings("", added(road, len(road.Rounds), road.Warnings))
	t.unresolved(road.Unresolved)
}

// added are the warnings that the round before did not have.
func added(road *scenario.Road, round int, warnings []resolver.Warning) []resolver.Warning {
	if round == 0 {
		return warnings
	}
	return newWarnings(road.Rounds[round-1].Warnings, warnings)
}

// newWarnings are the warnings that were not there before.
func newWarnings(before, warnings []resolver.Warning) []resolver.Warning {
	return slices.DeleteFunc(slices.Clone(warnings), func(w resolver.Warning) bool { return slices.Contains(before, w) })
}

// roadHeadline is the end of the road in a few words.
func (t *Text) roadHeadline(road *scenario.Road) string {
	n := len(rounds(road))
	after := text.Count(n, "round", "rounds")
	switch {
	case road.Loop:
		return t.Paint(terminal.Red, "a loop: "+loopText(road))
	case road.Status == scenario.Unsatisfiable:
		return t.headline(road.Status, fmt.Sprintf("no solution in round %d", n+1))
	case road.Status != scenario.Resolved && n > 0:
		return t.headline(road.Status, fmt.Sprintf("%s after %s", road.Status, after))
	case road.Status != scenario.Resolved:
		return t.headline(road.Status, string(road.Status))
	case n == 0:
		return t.headline(road.Status, "nothing changes")
	}
	return t.headline(road.Status, "settled after "+after)
}

// loopText says where a loop begins again.
func loopText(road *scenario.Road) string {
	return fmt.Sprintf("after round %d comes round %d again", len(road.Rounds), road.LoopStart+1)
}

// roadRow is a package on the road: the bundle before the first round, then that
// after each, empty where it is not there.
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

// roadTable writes a row for each package and a column for each round.
func (t *Text) roadTable(road *scenario.Road) {
	rows := roadRows(road)
	if len(rows) == 0 {
		return
	}
	table := tabwriter.NewWriter(t, 0, 0, 2, ' ', 0)
	head := []string{"PACKAGE", "NOW"}
	for i := range rounds(road) {
		head = append(head, fmt.Sprintf("ROUND %d", i+1))
	}
	fmt.Fprintln(table, strings.Join(head, "\t"))
	for _, row := range rows {
		cells := []string{row.name}
		for i, c := range row.cells {
			if c != "" && i > 0 && row.cells[i-1] == c {
				c = "="
			}
			cells = append(cells, cmp.Or(c, "-"))
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	table.Flush() // a buffer takes everything
}
