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

// downgraded is the action, in texts, of an upgrade to a lower version.
const downgraded resolver.Action = "downgrade"

// steps writes the table of the bundles, wave by wave, or a block for each of them where the
// terminal is too narrow for a table.
func (t *Text) steps(steps []resolver.Step) {
	if len(steps) == 0 {
		return
	}
	packages := packagesOf(steps)
	one := oneCatalog(steps)
	table := &terminal.Table{Columns: []terminal.Column{{Head: "WAVE"}, {Head: "ACTION"}, {Head: "BUNDLE"}, {Head: "CATALOG", Optional: one}, {Head: "CHANNEL"}, {Head: "BECAUSE"}}}
	for _, s := range steps {
		table.Rows = append(table.Rows, t.stepCells(s, packages))
	}
	if t.Table(table) {
		return
	}
	for _, row := range table.Rows {
		t.stepBlock(row, one)
	}
}

// packagesOf are the packages of bundles that are the only ones of theirs: the package names
// the bundle.
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

// oneCatalog reports whether all bundles come from one catalog, as far as that is known.
func oneCatalog(steps []resolver.Step) bool {
	seen := ""
	for _, s := range steps {
		if of := catalogOf(s); of != "" {
			if seen != "" && of != seen {
				return false
			}
			seen = of
		}
	}
	return true
}

// stepCells are the cells of a step.
func (t *Text) stepCells(s resolver.Step, packages map[string]string) []terminal.Cell {
	action := actionOf(s)
	colour := actionViews()[action].colour
	of := func(long, short string) terminal.Cell {
		c := terminal.Cell{Text: cmp.Or(long, "-"), Short: short}
		if action == resolver.Keep {
			c.Paint = func(said string) terminal.Painted { return t.Paint(colour, said) }
		}
		return c
	}
	cells := []terminal.Cell{
		of(strconv.Itoa(s.Wave), ""), of(t.action(action), ""), of(Moved(s), shortMoved(s)),
		of(catalogOf(s), ""), of(s.Channel, ""), of(because(s.Because, nil)+onHold(s), because(s.Because, packages)+onHold(s)),
	}
	if action != resolver.Keep {
		cells[1].Paint = func(said string) terminal.Painted { return t.Paint(colour, said) }
		cells[2].Paint = func(said string) terminal.Painted { return t.paintVersion(colour, said) }
	}
	return cells
}

// onHold says that the bundle of a step is kept because of a hold.
func onHold(s resolver.Step) string {
	if s.Hold == "" {
		return ""
	}
	return "; on hold: " + text.Inert(s.Hold)
}

// stepBlock writes a step in lines: the wave, what happens to the bundle, from where, and why.
func (t *Text) stepBlock(row []terminal.Cell, oneCatalog bool) {
	said := func(i, indent int) terminal.Painted { // in full where that fits
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

// actionView is how an action is shown.
type actionView struct {
	symbol string
	colour terminal.Colour
}

func actionViews() map[resolver.Action]actionView {
	return map[resolver.Action]actionView{
		resolver.Install: {"+", terminal.Green}, resolver.Upgrade: {"~", terminal.Yellow},
		downgraded: {"-", terminal.Red}, resolver.Keep: {"=", terminal.Dim},
	}
}

// action is the word for an action, behind its symbol where a person looks on.
func (t *Text) action(action resolver.Action) string {
	if t.Fancy() {
		return actionViews()[action].symbol + " " + string(action)
	}
	return string(action)
}

// actionOf is the action of a step; an upgrade to a lower version is a downgrade.
func actionOf(s resolver.Step) resolver.Action {
	if s.Action == resolver.Upgrade && s.Version != nil {
		for _, from := range s.Replaces {
			if v, ok := versionIn(from); ok && v.GT(*s.Version) {
				return downgraded
			}
		}
	}
	return s.Action
}

// Changes writes the steps that change something, a line each behind an indent.
func (t *Text) Changes(indent string, steps []resolver.Step) {
	for _, s := range steps {
		if s.Action != resolver.Keep {
			action := actionOf(s)
			colour := actionViews()[action].colour
			t.Line("%s%s %s", indent, t.Paint(colour, t.action(action)), t.paintVersion(colour, Moved(s)))
		}
	}
}

// paintVersion colours the version at the end of the name of a bundle.
func (t *Text) paintVersion(colour terminal.Colour, said string) terminal.Painted {
	at := strings.LastIndexByte(said, ' ') + 1
	if i := versionAt(said[at:]); i > 0 {
		at += i
	} else if _, err := semver.Parse(said[at:]); err != nil {
		return terminal.Painted(text.Inert(said))
	}
	return terminal.Painted(text.Inert(said[:at])) + t.Paint(colour, said[at:])
}

// versionAt is where the version at the end of the name of a bundle begins, such as
// etcd.v0.9.4; negative if there is none.
func versionAt(name string) int {
	for i := 1; i < len(name); i++ {
		if c := name[i-1]; c != '.' && c != '-' {
			continue
		}
		v := strings.TrimPrefix(name[i:], "v")
		if v == "" || v[0] < '0' || v[0] > '9' {
			continue
		}
		if _, err := semver.Parse(v); err == nil {
			return i
		}
	}
	return -1
}

// versionIn reads the version at the end of the name of a bundle.
func versionIn(name string) (semver.Version, bool) {
	at := versionAt(name)
	if at < 0 {
		return semver.Version{}, false
	}
	v, err := semver.Parse(strings.TrimPrefix(name[at:], "v"))
	return v, err == nil
}

// IsDowngrade reports whether a move from one bundle to another leads to a lower version, as
// their names say.
func IsDowngrade(from, to string) bool {
	a, okA := versionIn(from)
	b, okB := versionIn(to)
	return okA && okB && b.LT(a)
}

// short is the package and version of a bundle whose name is made of just these, else its
// name.
func short(name, pkg string) string {
	if v := versionOf(name, pkg); v != "" {
		return pkg + " " + v
	}
	return name
}

// versionOf is the version in the name of a bundle that is its package and version:
// package.vVERSION, or with another separator. It is empty for other names.
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

// Moved names the bundle of a step, behind what it replaces.
func Moved(s resolver.Step) string {
	if len(s.Replaces) == 0 {
		return text.Inert(s.Bundle)
	}
	return replaced(s) + " -> " + text.Inert(s.Bundle)
}

// shortMoved is what Moved says, shorter.
func shortMoved(s resolver.Step) string {
	to := short(s.Bundle, s.Package)
	switch from := s.Replaces; {
	case len(from) == 0:
		return to
	case len(from) == 1 && versionOf(from[0], s.Package) != "" && to != s.Bundle:
		return fmt.Sprintf("%s -> %s", short(from[0], s.Package), versionOf(s.Bundle, s.Package))
	}
	return replaced(s) + " -> " + to
}

// replaced names what a step replaces.
func replaced(s resolver.Step) string { return text.Inert(strings.Join(s.Replaces, ", ")) }
