package view

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// steps writes the table of bundles, wave by wave, or a block for each bundle on a narrow
// terminal.
func (t *Text) steps(steps []resolver.Step) {
	if len(steps) == 0 {
		return
	}
	packages := packagesOf(steps)
	one := oneCatalog(steps)
	table := &terminal.Table{Columns: []terminal.Column{{Head: "WAVE"}, {Head: "ACTION"}, {Head: "BUNDLE"}, {Head: "CATALOG", Optional: one}, {Head: "CHANNEL"}, {Head: "BECAUSE"}}}
	kept := 0
	for _, s := range steps {
		if s.Action == resolver.Keep && s.Hold == "" {
			if kept++; kept > maxKept {
				continue // counted in the plan
			}
		}
		table.Rows = append(table.Rows, t.stepCells(s, packages))
		_, removed := replaces(&s)
		for _, name := range removed {
			table.Rows = append(table.Rows, t.stepCells(resolver.Step{Wave: s.Wave, Action: remove, Bundle: name, Because: []resolver.Reason{{Bundle: s.Bundle}}}, packages))
		}
	}
	if !t.Table(table) {
		for _, row := range table.Rows {
			t.stepBlock(row, one)
		}
	}
	if more := kept - maxKept; more > 0 {
		t.Line("and %s", text.Count(more, "more bundle that stays", "more bundles that stay"))
	}
}

// maxKept is the maximum number of bundles without a change in the table.
const maxKept = 10

// packagesOf maps bundles to packages, for packages with a single bundle in the list.
func packagesOf(steps []resolver.Step) map[string]string {
	bundles := make(map[string]int, len(steps))
	for _, s := range steps {
		bundles[s.Package]++
	}
	out := make(map[string]string, len(steps))
	for _, s := range steps {
		if s.Package != "" && bundles[s.Package] == 1 {
			out[s.Bundle] = s.Package
		}
	}
	return out
}

// oneCatalog reports whether all bundles with a known catalog come from the same one.
func oneCatalog(steps []resolver.Step) bool {
	seen := ""
	for _, s := range steps {
		if of := catalogText(s.Catalog); of != "" {
			if seen != "" && of != seen {
				return false
			}
			seen = of
		}
	}
	return true
}

// stepCells returns the cells of a step.
func (t *Text) stepCells(s resolver.Step, packages map[string]string) []terminal.Cell {
	action := s.Action
	colour := actionViews()[action].colour
	of := func(long, short string) terminal.Cell {
		c := terminal.Cell{Text: cmp.Or(long, "-"), Short: short}
		if action == resolver.Keep {
			c.Paint = func(said string) terminal.Painted { return t.Paint(colour, said) }
		}
		return c
	}
	why, shortWhy := because(s.Because, nil)+onHold(s), because(s.Because, packages)+onHold(s)
	if action == remove {
		why, shortWhy = "replaced by "+text.Inert(s.Because[0].Bundle), ""
	}
	cells := []terminal.Cell{
		of(strconv.Itoa(s.Wave), ""), of(signed(s.Action), ""), of(Moved(s), shortMoved(s)),
		of(catalogText(s.Catalog), ""), of(s.Channel, ""), of(why, shortWhy),
	}
	if action != resolver.Keep {
		cells[1].Paint = func(said string) terminal.Painted { return t.Paint(colour, said) }
		cells[2].Paint = func(said string) terminal.Painted { return t.paintVersion(colour, said) }
	}
	return cells
}

// onHold returns the note on a held step.
func onHold(s resolver.Step) string {
	if s.Hold == "" {
		return ""
	}
	return "; on hold: " + text.Inert(s.Hold)
}

// stepBlock writes a step as lines: wave, action, origin and reason.
func (t *Text) stepBlock(row []terminal.Cell, oneCatalog bool) {
	said := func(i, indent int) terminal.Painted { // the full text if it fits
		c := row[i]
		if c.Short != "" && !t.Fits(indent, c.Text) {
			c.Text = c.Short
		}
		if c.Paint != nil {
			return c.Paint(c.Text)
		}
		return terminal.Painted(text.Inert(c.Text))
	}
	indent := len(row[0].Text) + 2
	t.Line("%s  %s %s", said(0, 0), said(1, 0), said(2, indent+len(row[1].Text)+1))
	where := ""
	if row[4].Text != "-" {
		where = "channel " + row[4].Text
	}
	if catalog := row[3].Text; !oneCatalog && catalog != "-" {
		where = strings.TrimSpace(where + " of " + catalog)
	}
	if row[4].Text = where; where != "" {
		t.Line("%*s%s", indent, "", said(4, indent))
	}
	t.Line("%*s%s", indent, "", said(5, indent))
}

// paintVersion colors the version suffix of a bundle name.
func (t *Text) paintVersion(colour terminal.Colour, said string) terminal.Painted {
	at := strings.LastIndexByte(said, ' ') + 1
	if i := text.VersionSuffix(said[at:]); i > 0 {
		at += i
	} else if _, err := semver.Parse(said[at:]); err != nil {
		return terminal.Painted(text.Inert(said))
	}
	return terminal.Painted(text.Inert(said[:at])) + t.Paint(colour, said[at:])
}

// versionIn parses the version suffix of a bundle name.
func versionIn(name string) (semver.Version, bool) {
	_, version := text.SplitVersion(name)
	v, err := semver.Parse(version)
	return v, err == nil
}

// isDowngrade reports whether the version suffix of to is lower than that of from.
func isDowngrade(from, to string) bool {
	a, okA := versionIn(from)
	b, okB := versionIn(to)
	return okA && okB && b.LT(a)
}

// short returns the package and version of a bundle if its name consists of these, or else its
// name.
func short(name, pkg string) string {
	if v := versionOf(name, pkg); v != "" {
		return pkg + " " + v
	}
	return name
}

// versionOf returns the version in a bundle name of the form package.vVERSION, with any
// separator, or an empty string.
func versionOf(name, pkg string) string {
	rest, ok := strings.CutPrefix(name, pkg)
	if !ok || pkg == "" {
		return ""
	}
	for _, separator := range []string{".v", "-v", ".", "-"} {
		if v, ok := strings.CutPrefix(rest, separator); ok {
			if _, err := semver.Parse(v); err == nil {
				return v
			}
		}
	}
	return ""
}

// Moved returns the bundle of a step, after the one that it replaces.
func Moved(s resolver.Step) string {
	from, _ := replaces(&s)
	return moved(from, s.Bundle)
}

// shortMoved is a shorter form of Moved.
func shortMoved(s resolver.Step) string {
	to := short(s.Bundle, s.Package)
	switch from, _ := replaces(&s); {
	case from == "":
		return to
	case versionOf(from, s.Package) != "" && to != s.Bundle:
		return fmt.Sprintf("%s -> %s", short(from, s.Package), versionOf(s.Bundle, s.Package))
	default:
		return text.Inert(from) + " -> " + to
	}
}
