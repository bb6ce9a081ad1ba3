package view

import (
	"cmp"
	"context"
	_ "embed" // the template
	"fmt"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/internal/text"
)

// findingsSource is the template of the page of findings, and findingsParts its parts, which other
// pages have as well.
//
//go:embed findings.html
var findingsSource string

//go:embed findings_parts.html
var findingsParts string

// MaxRows bounds the findings and changes on a page; further ones are counted.
const MaxRows = 5000

// maxOpen bounds the groups of a page that is not folded.
const maxOpen = 8

// The kinds of rows besides the severities.
const (
	rowBetter = "better" // an improvement
	rowChange = "change" // a change without a verdict
	rowGood   = "good"   // a passed check
)

// rowKinds are the kinds of rows, worst first, with their names for one and several.
func rowKinds() [][3]string {
	return [][3]string{
		{string(report.Error), "error", "errors"}, {string(report.Warning), "warning", "warnings"}, {string(report.Note), "note", "notes"},
		{rowBetter, "improvement", "improvements"}, {rowChange, "change", "changes"}, {rowGood, "passed", "passed"},
	}
}

// findingsPage is a page of findings in groups, with contents and a filter by severity.
type findingsPage struct {
	Command, Headline, Tone string
	Said                    []string
	Groups                  []*findingGroup
	// Of is the noun for one and several groups, and Omitted the number of groups beyond [MaxRows].
	Of      [2]string
	Omitted int

	byName map[string]*findingGroup
}

// newFindingsPage returns a page without findings.
func newFindingsPage(command, headline, tone string, said ...string) *findingsPage {
	return &findingsPage{Command: command, Headline: headline, Tone: tone, Said: said, Of: [2]string{"package", "packages"}, byName: make(map[string]*findingGroup)}
}

// findingGroup is a section of a page of findings.
type findingGroup struct {
	ID, Name string
	Rows     []findingRow
	Changes  []string
	// Old and New are the update graphs before and after; Note replaces or explains them.
	Old, New *htmldoc.Figure
	Note     string
	// Omitted is the number of rows and changes beyond [MaxRows].
	Omitted int

	counts map[string]int
}

// findingRow is one finding. Rows of the same kind that are Like the same are similar.
type findingRow struct {
	Kind, Like, Text, Code, Where string
	// Commands are what to run; Detail is a longer explanation, folded.
	Commands []string
	Detail   string
}

// group returns the group with a name.
func (p *findingsPage) group(name string) *findingGroup {
	g := p.byName[name]
	if g == nil {
		g = &findingGroup{Name: name, counts: make(map[string]int)}
		p.byName[name] = g
		p.Groups = append(p.Groups, g)
	}
	return g
}

// add adds a row.
func (g *findingGroup) add(r findingRow) {
	g.counts[r.Kind]++
	g.Rows = append(g.Rows, r)
}

// change adds a change.
func (g *findingGroup) change(line string) {
	g.counts[rowChange]++
	g.Changes = append(g.Changes, line)
}

// findingRowOf returns the row of a finding of a report.
func findingRowOf(f *report.Finding, code string) findingRow {
	where := f.File
	if where != "" && f.Line > 0 {
		where = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return findingRow{Kind: string(f.Severity), Like: f.Code, Text: f.Text, Code: code, Where: where}
}

// kindCount is a kind of rows with its number.
type kindCount struct {
	Kind, Name string
	N          int
}

// counted returns the kinds that occur, worst first.
func counted(counts map[string]int) (out []kindCount) {
	for _, k := range rowKinds() {
		if n := counts[k[0]]; n > 0 {
			out = append(out, kindCount{k[0], text.Count(n, k[1], k[2]), n})
		}
	}
	return out
}

// Counts returns the kinds of rows in the group, worst first.
func (g *findingGroup) Counts() []kindCount { return counted(g.counts) }

// worst returns the rank of the worst kind of row, that of passed checks without any.
func (g *findingGroup) worst() int {
	kinds := rowKinds()
	if i := slices.IndexFunc(kinds, func(k [3]string) bool { return g.counts[k[0]] > 0 }); i >= 0 {
		return i
	}
	return len(kinds) - 1
}

// Filters returns the kinds of rows on the page; nil if there is no choice.
func (p *findingsPage) Filters() []kindCount {
	all := make(map[string]int)
	for _, g := range p.Groups {
		for kind, n := range g.counts {
			all[kind] += n
		}
	}
	if len(all) < 2 {
		return nil
	}
	return counted(all)
}

// contents are the groups with the same worst kind.
type contents struct {
	kindCount
	Groups []*findingGroup
}

// Contents returns the groups by their worst kind; nil if there is one group.
func (p *findingsPage) Contents() (out []contents) {
	if len(p.Groups) < 2 {
		return nil
	}
	for _, g := range p.Groups {
		kind := g.Counts()[0]
		if len(out) == 0 || out[len(out)-1].Kind != kind.Kind {
			kind.Name = rowKinds()[g.worst()][2]
			out = append(out, contents{kindCount: kind})
		}
		out[len(out)-1].Groups = append(out[len(out)-1].Groups, g)
	}
	return out
}

// Open reports whether the groups are few enough to show their content.
func (p *findingsPage) Open() bool { return len(p.Groups) <= maxOpen }

// Label returns the kind in a word.
func (r *findingRow) Label() string {
	if r.Kind == rowGood {
		return "ok"
	}
	return r.Kind
}

// similarRows are similar rows; those beyond [maxSimilar] are folded.
type similarRows struct {
	Kind, Like    string
	Shown, Folded []findingRow
}

// Similar returns the rows of the group with similar ones together.
func (g *findingGroup) Similar() (out []similarRows) {
	for _, list := range alike(g.Rows, func(r *findingRow) [2]string { return [2]string{r.Kind, r.Like} }) {
		s := similarRows{Kind: list[0].Kind, Like: list[0].Like}
		for i, r := range list {
			if i < maxSimilar || len(list) == maxSimilar+1 {
				s.Shown = append(s.Shown, *r)
			} else {
				s.Folded = append(s.Folded, *r)
			}
		}
		out = append(out, s)
	}
	return out
}

// alike groups the elements of a list with the same key, in the order of the first of each.
func alike[T any, K comparable](list []T, key func(*T) K) (out [][]*T) {
	at := make(map[K]int)
	for i := range list {
		k := key(&list[i])
		n, ok := at[k]
		if !ok {
			n = len(out)
			at[k], out = n, append(out, nil)
		}
		out[n] = append(out[n], &list[i])
	}
	return out
}

// rank returns the position of a kind of rows, worst first.
func rank(kind string) int {
	return slices.IndexFunc(rowKinds(), func(k [3]string) bool { return k[0] == kind })
}

// finish sorts the groups and their rows, worst first, numbers them and applies [MaxRows].
func (p *findingsPage) finish() {
	slices.SortStableFunc(p.Groups, func(a, b *findingGroup) int { return cmp.Compare(a.worst(), b.worst()) })
	left := MaxRows
	for i, g := range p.Groups {
		if left == 0 {
			p.Groups, p.Omitted = p.Groups[:i], len(p.Groups)-i
			return
		}
		g.ID = fmt.Sprintf("g%d", i)
		slices.SortStableFunc(g.Rows, func(a, b findingRow) int { return cmp.Compare(rank(a.Kind), rank(b.Kind)) })
		rows, changes := min(len(g.Rows), left), min(len(g.Changes), max(left-len(g.Rows), 0))
		g.Omitted = len(g.Rows) - rows + len(g.Changes) - changes
		g.Rows, g.Changes = g.Rows[:rows], g.Changes[:changes]
		left -= rows + changes
	}
}

// write writes the page.
func (p *findingsPage) write(ctx context.Context, w io.Writer) error {
	return htmldoc.Write(ctx, w, findingsSource+findingsParts, nil, p)
}
