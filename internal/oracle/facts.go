package oracle

import "slices"

// Fact is one of the things that a conflict says cannot all hold. Kind is the
// kind of the scenario format, or "forced".
type Fact struct {
	Kind string
	// Subject is the name of the subscription (subscription, noCandidate, hold),
	// of the bundle (installed, forbidden, deprecated, incompatible, forced), of
	// the package (package, quarantined) or of the API (gvk).
	Subject string
	// Catalog narrows the bundle of forbidden, deprecated, incompatible and
	// forced.
	Catalog Key
	// Requirements are the constraints meant by a fact of kind constraint, as
	// indexes into [Requirements].
	Requirements []int
}

// Requirement is one constraint of one bundle of a problem.
type Requirement struct {
	Bundle     string
	Catalog    Key // where the bundle is from, or was
	Installed  bool
	Constraint *Constraint
	v, index   int
}

// Requirements lists the constraints of all bundles, quarantined ones included.
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
			r := Requirement{Bundle: v.name, Installed: v.installed >= 0, Constraint: &v.requires[j], v: i, index: j}
			if v.cat >= 0 {
				r.Catalog = w.cats[v.cat].Key
			}
			list = append(list, r)
		}
	}
	return list
}

// Means says whether a reference means a bundle of an answer's result set.
func Means(p *Problem, a Answer, r Ref) (bool, error) {
	w, err := newWorld(p)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(w.vars, func(v *variable) bool {
		return w.means(r, v) && slices.ContainsFunc(a.Steps, func(s Step) bool {
			var from Key
			if v.installed >= 0 {
				from = p.Installed[v.installed].Catalog
			} else {
				from = w.cats[v.cat].Key
			}
			return s.Bundle == v.name && s.Package == v.pkg && (s.Action == "keep") == (v.installed >= 0) && s.Catalog == from
		})
	}), nil
}

// Counts says whether an installed bundle counts: no other one takes over from it.
func (p *Problem) Counts(name string) bool { return p.replacement(name) == "" }
