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

// Requirements lists the constraints of all bundles that can be in a set.
func Requirements(p *Problem) ([]Requirement, error) {
	w, err := newWorld(p)
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
// APIs are exclusive only if a fact says so, and what no fact bars can be chosen.
//
// What is quarantined cannot be chosen in any case: take it that dropping a fact
// of that kind lets everything be solved.
func Satisfiable(p *Problem, facts []Fact) (bool, error) {
	w, err := newWorld(p)
	if err != nil {
		return false, err
	}
	all := w.requirements()
	var rs []rule
	for _, f := range facts {
		if f.Kind == "noCandidate" || f.Kind == "quarantined" {
			continue // see emptied
		}
		for _, i := range f.Requirements {
			rs = append(rs, requires(all[i].v, w.vars[all[i].v].forms[all[i].index]))
		}
		if r := w.factRule(f, facts); r != nil {
			rs = append(rs, r)
		}
	}
	return satisfiable(len(w.vars), rs), nil
}

// factRule is what a fact asks of a result set, or nil if that is nothing.
func (w *world) factRule(f Fact, facts []Fact) rule {
	named := func(installed bool) set {
		return w.those(func(v *variable) bool {
			return (v.installed >= 0) == installed && v.name == f.Subject
		})
	}
	switch f.Kind {
	case "subscription":
		for _, s := range w.subs {
			if s.sub.Name == f.Subject && (len(s.cands) > 0 || emptied(s, facts)) {
				return s.rule()
			}
		}
	case "installed":
		return atLeastOne(named(true))
	case "package":
		return atMostOne(w.ofPackage(f.Subject))
	case "gvk":
		for _, kind := range w.kinds() {
			if APIOf(kind).String() == f.Subject {
				return atMostOne(w.providers(kind))
			}
		}
	case "forbidden":
		return noneOf(setOf(w.forced(Ref{f.Catalog, f.Subject})))
	case "deprecated":
		return noneOf(named(false) & setOf(w.forced(Ref{f.Catalog, f.Subject})))
	case "forced":
		return atLeastOne(setOf(w.forced(Ref{f.Catalog, f.Subject})))
	}
	return nil
}

// emptied says whether a fact tells why a subscription has no candidate.
func emptied(s *wanted, facts []Fact) bool {
	return slices.ContainsFunc(facts, func(f Fact) bool {
		return f.Kind == "noCandidate" && f.Subject == s.sub.Name ||
			f.Kind == "quarantined" && f.Subject == s.sub.Package
	})
}
