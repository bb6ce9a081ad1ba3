package oracle

import (
	"math/bits"
	"slices"
)

// Fact is one member of the unsatisfiable set of a conflict. Kind is the kind
// in the scenario format, or "forced".
type Fact struct {
	Kind string
	// Subject is the name of the subscription (subscription, noCandidate,
	// hold), the bundle (installed, forbidden, deprecated, incompatible,
	// forced), the package (package, quarantined) or the API (gvk).
	Subject string
	// Catalog narrows the bundle of forbidden, deprecated, incompatible and
	// forced.
	Catalog Key
	// Package narrows the bundle of deprecated and incompatible, unless it is
	// empty: bundles of different packages may share a name.
	Package string
	// Requirements are indexes into [Requirements], for a fact of kind
	// constraint.
	Requirements []int

	// About is the bundle of a fact listed by [Judge.Facts]; otherwise empty.
	About set
}

// Requirement is one constraint of one bundle of a problem.
type Requirement struct {
	Bundle     string
	Catalog    Key // the bundle's catalog, current or former
	Installed  bool
	Constraint *Constraint
	v, index   int
}

// Requirements lists the constraints of all bundles, including quarantined
// ones.
func Requirements(p *Problem) ([]Requirement, error) {
	w, err := layOut(p, true)
	if err != nil {
		return nil, err
	}
	return w.requirements(), nil
}

func (w *world) requirements() []Requirement {
	var list []Requirement
	for i, v := range w.vars {
		for j := range v.requires {
			list = append(list, Requirement{Bundle: v.name, Catalog: w.from(v), Installed: v.installed >= 0, Constraint: &v.requires[j], v: i, index: j})
		}
	}
	return list
}

// Means reports whether a reference matches a bundle of an answer's result
// set.
func Means(p *Problem, a Answer, r Ref) (bool, error) {
	w, err := newWorld(p)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(w.vars, func(v *variable) bool {
		return w.means(r, v) && slices.ContainsFunc(a.Steps, func(s Step) bool {
			from := w.from(v)
			if v.installed >= 0 {
				from = p.Installed[v.installed].Catalog
			}
			return s.Bundle == v.name && s.Package == v.pkg && (s.Action == "keep") == (v.installed >= 0) && s.Catalog == from
		})
	}), nil
}

// Counts reports whether an installed bundle counts, i.e. has no replacement.
func (p *Problem) Counts(name string) bool { return p.replacement(name) == "" }

// FewestBundles returns the minimum number of bundles whose facts must be
// removed to make an unsatisfiable problem satisfiable. Facts about no bundle
// (subscriptions, packages, APIs, prohibitions, quarantines) are free. It
// returns -1 if all facts are satisfiable together.
func FewestBundles(p *Problem) (int, error) {
	j, err := NewJudge(p)
	if err != nil {
		return 0, err
	}
	facts := j.Facts()
	for k := range len(j.w.vars) + 1 {
		for some := range set(1) << len(j.w.vars) {
			if bits.OnesCount32(uint32(some)) == k && !j.Satisfiable(slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool { return f.About&^some != 0 })) {
				return k, nil
			}
		}
	}
	return -1, nil
}
