package oracle

import "slices"

// Fact is one of the things that a conflict says cannot all hold. Kind is the
// kind of the scenario format, or "forced".
type Fact struct {
	Kind string
	// Subject is the name of the subscription (subscription, noCandidate), of
	// the bundle (installed, forbidden, deprecated, forced), of the package
	// (package, quarantined) or of the API (gvk).
	Subject string
	// Catalog narrows the bundle of forbidden, deprecated and forced.
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

// Satisfiable says whether a problem can be solved when nothing but the given
// facts counts: bundles need only the constraints that a fact names, packages and
// APIs are exclusive only if a fact says so, and what no fact bars can be chosen,
// quarantined bundles included.
func Satisfiable(p *Problem, facts []Fact) (bool, error) {
	w, err := layOut(p, true)
	if err != nil {
		return false, err
	}
	all := w.requirements()
	var rs []rule
	for _, f := range facts {
		for _, i := range f.Requirements {
			rs = append(rs, requires(all[i].v, w.vars[all[i].v].forms[all[i].index]))
		}
		rs = append(rs, w.factRules(f, facts)...)
	}
	return satisfiable(len(w.vars), rs), nil
}

// factRules is what a fact asks of a result set.
func (w *world) factRules(f Fact, facts []Fact) []rule {
	named := func(installed bool) set {
		return w.those(func(v *variable) bool {
			return (v.installed >= 0) == installed && v.name == f.Subject
		})
	}
	meant := setOf(w.forced(Ref{f.Catalog, f.Subject}))
	switch f.Kind {
	case "subscription":
		for _, s := range w.subs {
			if s.sub.Name == f.Subject && (len(s.cands) > 0 || unmet(s, facts)) {
				return s.rules()
			}
		}
	case "installed":
		return []rule{atLeastOne(named(true))}
	case "package":
		return []rule{atMostOne(w.ofPackage(f.Subject))}
	case "gvk":
		for _, kind := range w.kinds() {
			if APIOf(kind).String() == f.Subject {
				return []rule{atMostOne(w.providers(kind))}
			}
		}
	case "forbidden":
		return []rule{noneOf(meant)}
	case "quarantined":
		return []rule{noneOf(w.those(func(v *variable) bool { return v.aside && v.pkg == f.Subject }))}
	case "deprecated":
		return []rule{noneOf(meant & named(false))}
	case "forced":
		return []rule{atLeastOne(meant)}
	}
	return nil
}

// unmet says whether the facts tell that a subscription has no candidate.
func unmet(s *wanted, facts []Fact) bool {
	return slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == "noCandidate" && f.Subject == s.sub.Name })
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
