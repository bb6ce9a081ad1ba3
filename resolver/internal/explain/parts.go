package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// part is one atom that a constraint requires, with its own message and those of the nested
// compounds around it, outermost first.
type part struct {
	atom     *problem.Atom
	messages []string
}

// partsOf lists the atoms that the constraint of the i-th fact requires, in declared order.
func (d *describer) partsOf(i int) []part {
	if d.parts[i] == nil {
		c := d.requirement(i).Constraint
		if d.u.Rules.PerBundle {
			d.parts[i] = []part{{atom: d.u.AtomOf(c)}}
		} else {
			d.parts[i] = partsUnder(d.u, c, true, nil, nil)
		}
	}
	return d.parts[i]
}

// partsUnder appends the required atoms of a constraint. A negation inverts positive: inside one,
// only atoms under a further negation are required.
func partsUnder(u *problem.Universe, c constraints.Constraint, positive bool, messages []string, out []part) []part {
	kids, which, negated := problem.Compound(c)
	if which == problem.GoalAtom {
		if a := u.AtomOf(c); positive && !a.Always {
			out = append(out, part{a, messages})
		}
		return out
	}
	for _, k := range kids {
		below := messages
		if m := k.Message(); m != "" {
			below = append(slices.Clone(messages), m)
		}
		out = partsUnder(u, k, positive != negated, below, out)
	}
	return out
}

// details returns, for each part of a constraint, the message of its author and why it has no
// candidate at all; and the newest versions of packages that have none inside a required range.
// Both are nil if there is nothing to report.
func (d *describer) details(i int) (parts []argument.Part, newestVersions []string) {
	list := d.partsOf(i)
	for k, part := range list {
		said := argument.Part{Message: strings.Join(part.messages, "; ")}
		if len(d.u.All(d.listOf(i, part.atom))) == 0 {
			if _, found := d.nothing[part.atom]; !found { // many facts may share the atom
				d.nothing[part.atom] = d.nothingMatches(part.atom)
			}
			said.Nothing = d.nothing[part.atom]
			if newest := newest(d.u, part.atom); newest != "" {
				newestVersions = text.AppendNew(newestVersions, newest)
			}
		}
		if said == (argument.Part{}) {
			continue
		}
		if parts == nil {
			parts = make([]argument.Part, len(list))
		}
		parts[k] = said
	}
	return parts, newestVersions
}

// listOf returns the candidates of an atom, ranked for the bundle that declares the i-th fact.
func (d *describer) listOf(i int, a *problem.Atom) *problem.Candidates {
	return d.u.CandidatesOf(a, d.u.Nodes[d.keys[i].A].Cat)
}

// newest returns the newest installable version of the package that an atom requires, as
// "VERSION (BUNDLE)", or "".
func newest(u *problem.Universe, a *problem.Atom) string {
	if a.Kind != problem.AtomPackage {
		return ""
	}
	var newest *graph.Bundle
	for c := range u.Cats {
		content := u.Cats[c].Content
		for _, id := range content.InPackage(a.Want.Name) {
			b := content.Bundle(id)
			if u.Budget.Step() {
				return ""
			}
			if len(b.Places) > 0 && (newest == nil || b.Version.GT(*newest.Version)) {
				newest = b
			}
		}
	}
	if newest == nil {
		return ""
	}
	return fmt.Sprintf("%s (%s)", newest.Version, newest.Name)
}

// maxSuggested is the maximum number of missing packages of one conflict for which similar names
// are suggested.
const maxSuggested = 100

// packageMissing is packageNotFound for any catalog, cached by name.
func (d *describer) packageMissing(name string) string {
	said, known := d.missing[name]
	switch {
	case known:
	case len(d.missing) < maxSuggested:
		said = packageNotFound(d.u, name, nil)
		d.missing[name] = said
	default:
		return packageNotIn(name, anyCatalog)
	}
	return said
}

// nothingMatches words, as a clause, why an atom has no candidate at all.
func (d *describer) nothingMatches(a *problem.Atom) string {
	u := d.u
	switch a.Kind {
	case problem.AtomGVK:
		return "nothing in the catalogs that could be installed provides " + a.API.String()
	case problem.AtomPackage:
		for c := range u.Cats {
			if u.Cats[c].Content.Package(a.Want.Name) != nil {
				return fmt.Sprintf("no version of package %s that could be installed is inside %s", a.Want.Name, a.Want.Range)
			}
		}
		said := d.packageMissing(a.Want.Name)
		if strings.HasSuffix(said, "?") { // misspelled in the bundle; no change of the request helps
			said += " Only the author of the " + lexicon.Bundle(d.u.Terms) + " can change that"
		}
		return said
	}
	switch c := a.Constraint.(type) {
	case *constraints.CEL:
		if c.Program != nil && c.Program.Needs().ClusterOnly {
			return "the rule asks about the cluster alone, and this cluster does not fulfil it"
		}
		return "the rule holds for nothing in the catalogs that could be installed"
	case *constraints.Label:
		return "nothing in the catalogs that could be installed has that label"
	default:
		return "no single " + lexicon.Bundle(d.u.Terms) + " in the catalogs that could be installed satisfies the whole of it, as policy PerBundle asks"
	}
}
