package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Path writes the outcome of a path, the changes of each round, and a table of the bundle of
// each package after each round.
func (t *Text) Path(name string, path *scenario.Path) {
	status := path.Status
	if path.Loop {
		status = scenario.Unsatisfiable // for its color
	}
	t.Line("%s: %s", name, t.headline(status, pathHeadline(path)))
	path, omitted := late(path)
	for i, r := range path.Rounds {
		if r.Conflict != nil {
			t.Line("round %d: %s", i+1, t.Verdict(r))
			t.Conflict(r.Conflict)
			continue
		}
		t.Line("round %d:", i+1)
		t.Changes("  ", r.Steps)
		t.warnings("  ", added(path, i, r.Warnings))
	}
	if omitted != "" {
		t.Line("%s", omitted)
		return
	}
	t.pathTable(path)
	t.warnings("", added(path, len(path.Rounds), path.Warnings))
	t.unresolved(path.Unresolved)
	for _, s := range path.Held {
		t.Line("%s stays%s", text.Inert(s.Bundle), onHold(s))
	}
	t.blocked(path.Blocked)
}

// added returns the warnings that are new in a round.
func added(path *scenario.Path, round int, warnings []resolver.Warning) []resolver.Warning {
	if round == 0 {
		return warnings
	}
	return newWarnings(path.Rounds[round-1].Warnings, warnings)
}

// newWarnings returns the warnings that are not among those before.
func newWarnings(before, warnings []resolver.Warning) []resolver.Warning {
	return slices.DeleteFunc(slices.Clone(warnings), func(w resolver.Warning) bool { return slices.Contains(before, w) })
}

// pathHeadline summarizes the outcome of a path.
func pathHeadline(path *scenario.Path) string {
	n := len(path.Done())
	after := text.Count(n, "round", "rounds")
	switch {
	case path.Loop:
		return path.End()
	case path.Status == scenario.Unsatisfiable:
		return fmt.Sprintf("no solution in round %d", n+1)
	case path.Status != scenario.Resolved && n > 0:
		return fmt.Sprintf("%s after %s", path.Status, after)
	case path.Status != scenario.Resolved:
		return string(path.Status)
	case n == 0:
		return "nothing changes"
	}
	return "settled after " + after
}

// pathTable writes a row for each package and a column for each round, or a block for each
// package on a narrow terminal.
func (t *Text) pathTable(path *scenario.Path) {
	rows := path.Packages()
	if len(rows) == 0 {
		return
	}
	table := &terminal.Table{Columns: []terminal.Column{{Head: "PACKAGE"}, {Head: "NOW"}}}
	for i := range path.Done() {
		table.Columns = append(table.Columns, terminal.Column{Head: fmt.Sprintf("ROUND %d", i+1)})
	}
	for _, row := range rows {
		cells := []terminal.Cell{{Text: row.Package}}
		for i, c := range row.Bundles {
			if c != "" && i > 0 && row.Bundles[i-1] == c {
				c = "="
			}
			cells = append(cells, terminal.Cell{Text: cmp.Or(c, "-"), Short: versionOf(c, row.Package)})
		}
		table.Rows = append(table.Rows, cells)
	}
	if t.Table(table) {
		return
	}
	for _, cells := range table.Rows {
		t.Line("%s", cells[0].Text)
		for i, c := range cells[1:] {
			if c.Text != "=" {
				t.Line("  %-*s  %s", len(fmt.Sprintf("round %d", len(cells)-2)), strings.ToLower(table.Columns[i+1].Head), cmp.Or(c.Short, c.Text))
			}
		}
	}
}
