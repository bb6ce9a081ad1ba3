package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// conflictView is the view of a conflict: explanation, facts and corrections.
type conflictView struct {
	ID          string // unique on the page
	Headline    string
	Caveat      string
	Omitted     int
	Points      []pointView
	Facts       []factView
	Corrections []correctionView
	Tried       int
	Picture     *htmldoc.Figure
}

// pointView is a statement of the explanation and its premises.
type pointView struct {
	Words  []nameView
	Closes bool // no candidate remains
	Points []pointView
}

// nameView is a name with its link, or text between names.
type nameView struct {
	Text  string
	Plain bool
	Href  string // an anchor on the page

	// A live page links to this bundle, or to this package of a catalog.
	Live                     bool
	Bundle, Package, Catalog string
}

// factView is a fact of the unsatisfiable core.
type factView struct {
	*argument.Fact
	ID                 string
	Number             int
	Rejected, NearMiss []rejectedView
}

// rejectedView is a group of candidates rejected for the same reason.
type rejectedView struct {
	ID      string // of the conflict
	Bundles []string
	Text    string
	By      []int // numbers of facts
}

// correctionView is a correction with its resulting set.
type correctionView struct {
	resolver.Correction
	Go   int // index on the page
	Live bool
}

// Author reports whether only the publisher of the catalog can make the changes.
func (v correctionView) Author() bool {
	return slices.ContainsFunc(v.Changes, func(c resolver.CorrectionChange) bool { return c.Who == resolver.RoleAuthor })
}

// Commands returns the commands of all changes.
func (v correctionView) Commands() (all []string) {
	for _, c := range v.Changes {
		all = append(all, text.Each(c.Commands, text.Inert)...)
	}
	return all
}

// conflict returns the view of a conflict.
func (s *section) conflict(c *resolver.Conflict) *conflictView {
	alone := c.Argument()
	alone.Further, alone.Corrections = nil, nil // shown separately
	s.conflicts++
	v := &conflictView{ID: fmt.Sprintf("%s-c%d", s.ID, s.conflicts), Headline: alone.Headline, Caveat: alone.Caveat(), Omitted: alone.Omitted, Tried: c.Tried,
		Picture: s.page.figures.New("The conflict, left to right", draw.Conflict(alone))}
	for _, k := range c.Corrections {
		v.Corrections = append(v.Corrections, correctionView{k, s.offers, s.Live})
		s.offers++
	}
	known := make(map[string]nameView)
	for i := range c.Facts {
		f := &c.Facts[i]
		id := ""
		if !s.Live {
			id = fmt.Sprintf("%s-f%d", v.ID, i+1)
			v.Facts = append(v.Facts, newFactView(v.ID, id, i+1, f))
		}
		if f.Kind == argument.FactConstraint { // link to the requirement, which is more informative
			known[f.Bundle] = nameView{Text: f.Bundle, Href: id, Bundle: f.Bundle, Live: s.Live}
		}
		for _, r := range f.Candidates {
			if _, ok := known[r.Bundle]; !ok {
				known[r.Bundle] = nameView{Text: r.Bundle, Href: id, Bundle: r.Bundle, Live: s.Live}
			}
		}
	}
	v.Points = points(alone.Statements, c.Facts, known, s.Live)
	return v
}

// points returns the statement tree of an explanation.
func points(list []*argument.Statement, facts []argument.Fact, known map[string]nameView, live bool) []pointView {
	var out []pointView
	for _, st := range list {
		packages := make(map[string]nameView)
		for _, i := range st.Facts {
			if f := &facts[i]; f.Package != "" {
				packages[f.Package] = nameView{Text: f.Package, Package: f.Package, Catalog: catalogText(f.Catalog), Live: live}
			}
		}
		closing := []argument.StatementKind{argument.StatementNothing, argument.StatementClash, argument.StatementProhibited, argument.StatementRefused}
		out = append(out, pointView{Words: words(st.Sentence(), packages, known), Closes: len(st.Children) == 0 && slices.Contains(closing, st.Kind),
			Points: points(st.Children, facts, known, live)})
	}
	return out
}

// words splits a sentence at names. Only exact names of the conflict, delimited by characters
// that names cannot contain, are recognized.
func words(sentence string, names ...map[string]nameView) []nameView {
	var out []nameView
	rest := 0 // start of the unprocessed text
	inName := func(r rune) bool {
		return r == '.' || r == '-' || r == '_' || r == '/' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	for at := 0; at < len(sentence); {
		n := strings.IndexFunc(sentence[at:]+" ", func(r rune) bool { return !inName(r) })
		word := strings.TrimRight(sentence[at:at+n], ".")
		for _, known := range names {
			if name, ok := known[word]; ok {
				out = append(out, nameView{Text: sentence[rest:at], Plain: true}, name)
				rest = at + len(word)
				break
			}
		}
		at += n
		_, size := utf8.DecodeRuneInString(sentence[at:])
		at += size
	}
	return append(out, nameView{Text: sentence[rest:], Plain: true})
}

// newFactView returns the view of a fact. Consecutive candidates with the same rejection are
// grouped.
func newFactView(conflict, id string, number int, f *argument.Fact) factView {
	v := factView{Fact: f, ID: id, Number: number}
	for _, r := range f.Candidates {
		list := &v.Rejected
		if r.NearMiss() {
			list = &v.NearMiss
		}
		why := text.Inert(r.Text)
		if n := len(*list); n > 0 && (*list)[n-1].Text == why {
			(*list)[n-1].Bundles = append((*list)[n-1].Bundles, text.Inert(r.Bundle))
			continue
		}
		row := rejectedView{ID: conflict, Bundles: []string{text.Inert(r.Bundle)}, Text: why}
		for _, by := range r.By {
			row.By = append(row.By, by+1)
		}
		slices.Sort(row.By)
		*list = append(*list, row)
	}
	return v
}

// factKind returns the label of a kind of fact.
func factKind(k argument.FactKind) string {
	words := map[argument.FactKind]string{
		argument.FactSubscription: "requested",
		argument.FactInstalled:    "installed",
		argument.FactConstraint:   "requirement",
		argument.FactNoCandidate:  "no candidate",
		argument.FactPackage:      "one version of a package",
		argument.FactGVK:          "one provider of an API",
		argument.FactForbidden:    "forbidden",
		argument.FactDeprecated:   "deprecated",
		argument.FactQuarantined:  "catalog is broken",
		argument.FactForced:       "forced",
	}
	return cmp.Or(words[k], string(k))
}
