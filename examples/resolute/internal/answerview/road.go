package answerview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Road writes how a road ends, what each round does, and the table of which package is
// at which bundle after which round.
func (t *Text) Road(name string, road *scenario.Path) {
	status := road.Status
	if road.Loop {
		status = scenario.Unsatisfiable // in its colour
	}
	t.Line("%s: %s", text.Inert(name), t.headline(status, roadHeadline(road)))
	for i, r := range road.Rounds {
		if r.Conflict != nil {
			t.Line("round %d: %s", i+1, t.verdict(r))
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
func added(road *scenario.Path, round int, warnings []resolver.Warning) []resolver.Warning {
	if round == 0 {
		return warnings
	}
	return newWarnings(road.Rounds[round-1].Warnings, warnings)
}

// newWarnings are the warnings that were not there before.
func newWarnings(before, warnings []resolver.Warning) []resolver.Warning {
	return slices.DeleteFunc(slices.Clone(warnings), func(w resolver.Warning) bool { return slices.Contains(before, w) })
}

// roadHeadline is the end of a road in a few words.
func roadHeadline(road *scenario.Path) string {
	n := len(road.Done())
	after := text.Count(n, "round", "rounds")
	switch {
	case road.Loop:
		return "a loop: " + road.End()
	case road.Status == scenario.Unsatisfiable:
		return fmt.Sprintf("no solution in round %d", n+1)
	case road.Status != scenario.Resolved && n > 0:
		return fmt.Sprintf("%s after %s", road.Status, after)
	case road.Status != scenario.Resolved:
		return string(road.Status)
	case n == 0:
		return "nothing changes"
	}
	return "settled after " + after
}

// roadTable writes a row for each package and a column for each round.
func (t *Text) roadTable(road *scenario.Path) {
	rows := road.Packages()
	if len(rows) == 0 {
		return
	}
	table := tabwriter.NewWriter(t, 0, 0, 2, ' ', 0)
	head := []string{"PACKAGE", "NOW"}
	for i := range road.Done() {
		head = append(head, fmt.Sprintf("ROUND %d", i+1))
	}
	fmt.Fprintln(table, strings.Join(head, "\t"))
	for _, row := range rows {
		cells := []string{row.Package}
		for i, c := range row.Bundles {
			if c != "" && i > 0 && row.Bundles[i-1] == c {
				c = "="
			}
			cells = append(cells, cmp.Or(c, "-"))
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	table.Flush() // a buffer takes everything
}
