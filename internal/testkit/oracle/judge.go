package oracle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// Judge checks explanations of unsatisfiable problems: sets of facts, one per
// conflict. It is not safe for concurrent use.
type Judge struct {
	p            *Problem
	w            *world // includes quarantined bundles
	broken       []string
	requirements []Requirement
}

// NewJudge makes a judge. Under policy Partial, broken lists the installed
// bundles that are broken. Their constraints, their clashes with other installed
// bundles and the latter's prohibitions are ignored. Why each of them is broken,
// and why a subscription is dropped, certificates prove.
func NewJudge(p *Problem, broken ...string) (*Judge, error) {
	w, err := layOut(p, true)
	if err != nil {
		return nil, err
	}
	w.breakAll(broken)
	return &Judge{p, w, broken, w.requirements()}, nil
}

// Facts lists all facts of the problem. They are satisfiable together if and
// only if the problem has a solution.
func (j *Judge) Facts() []Fact {
	var fs []Fact
	add := func(kind, subject string) { fs = append(fs, Fact{Kind: kind, Subject: subject}) }
	for _, s := range j.w.subs {
		add("subscription", s.sub.Name)
		if len(s.cands) == 0 {
			add("noCandidate", s.sub.Name)
		} else if len(s.cands) < len(s.free) {
			add("hold", s.sub.Name)
		}
	}
	for _, v := range j.w.stay {
		fs = append(fs, Fact{Kind: "installed", Subject: j.w.vars[v].name, About: bit(v)})
	}
	for _, f := range j.p.Force {
		fs = append(fs, Fact{Kind: "forced", Subject: f.Name, Catalog: f.Catalog})
	}
	for i, r := range j.requirements {
		fs = append(fs, Fact{Kind: "constraint", Subject: r.Bundle, Catalog: r.Catalog, Requirements: []int{i}, About: bit(r.v)})
	}
	for _, pkg := range j.w.packages() {
		add("package", pkg)
		add("quarantined", pkg)
	}
	for _, kind := range j.w.kinds() {
		add("gvk", APIOf(kind).String())
	}
	for i, v := range j.w.vars {
		f := Fact{Subject: v.name, Catalog: j.w.from(v)}
		if f.Kind = "forbidden"; v.forbidden {
			fs = append(fs, f)
		}
		f.About = bit(i)
		if f.Kind = "deprecated"; !v.bundle.Deprecated {
			f.Kind = "incompatible"
		}
		if v.excluded {
			fs = append(fs, f)
		}
	}
	return fs
}

// Satisfiable reports whether the problem is satisfiable under the given facts
// alone: only the named constraints apply, packages and APIs are exclusive and
// subscriptions are held only if a fact requires it, and a bundle, even a
// quarantined one, is eligible unless a fact excludes it. A false fact demands
// nothing.
func (j *Judge) Satisfiable(facts []Fact) bool {
	d := &demands{}
	for _, f := range facts {
		for _, i := range f.Requirements {
			r := j.requirements[i]
			if forms := j.w.vars[r.v].forms; forms != nil { // nil for a broken bundle
				d.add(requires(r.v, forms[r.index]))
			}
		}
		j.w.addFact(d, f, facts)
	}
	return d.satisfiable(len(j.w.vars))
}

// addFact adds the demands of a fact.
func (w *world) addFact(d *demands, f Fact, facts []Fact) {
	meant := setOf(w.forced(Ref{Catalog: f.Catalog, Name: f.Subject}))
	ofPackage := meant & w.those(func(v *variable) bool { return f.Package == "" || v.pkg == f.Package })
	switch f.Kind {
	case "subscription":
		for _, s := range w.subs {
			if s.sub.Name == f.Subject {
				w.addSubscription(d, s, facts)
			}
		}
	case "installed":
		d.oneOf(w.those(func(v *variable) bool { return v.installed >= 0 && v.name == f.Subject }))
	case "package":
		d.add(w.exclusive(w.ofPackage(f.Subject)))
	case "gvk":
		for _, kind := range w.kinds() {
			if APIOf(kind).String() == f.Subject {
				d.add(w.exclusive(w.providers(kind)))
			}
		}
	case "forbidden":
		d.out |= meant & w.those(func(v *variable) bool { return v.forbidden }) &^ (w.broken | w.pending)
	case "quarantined":
		d.out |= w.those(func(v *variable) bool { return v.quarantined && v.pkg == f.Subject })
	case "deprecated":
		d.out |= ofPackage & w.those(func(v *variable) bool { return v.installed < 0 && v.bundle.Deprecated })
	case "incompatible":
		required := w.p.Policy.Compatibility == resolver.CompatibilityRequire
		d.out |= ofPackage & w.those(func(v *variable) bool { return v.installed < 0 && v.incompatible && required })
	case "forced":
		if slices.Contains(w.p.Force, Ref{Catalog: f.Catalog, Name: f.Subject}) {
			d.oneOf(meant)
		}
	}
}

// addSubscription adds the demands of a subscription under the facts: its hold
// and its lack of candidates are separate facts.
func (w *world) addSubscription(d *demands, s *subscription, facts []Fact) {
	has := func(kind string) bool {
		return slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == kind && f.Subject == s.sub.Name })
	}
	held := s.sub.Hold != "" && s.owned >= 0
	unmet := has("noCandidate") && len(s.cands) == 0
	switch {
	case held && !has("hold") && s.pending:
		d.oneOf(setOf(s.free) | bit(s.owned))
	case len(s.free) == 0 && !unmet && !s.pending:
	case held && !has("hold") && !unmet: // its target may coexist
		d.oneOf(setOf(s.free))
	default:
		s.addTo(d)
	}
}

// Check returns an error if the facts of a conflict are satisfiable together,
// or if one is redundant.
func (j *Judge) Check(facts []Fact) error {
	if j.Satisfiable(facts) {
		return errors.New("the facts are satisfiable")
	}
	for i, f := range facts {
		if !j.Satisfiable(slices.Delete(slices.Clone(facts), i, i+1)) {
			return fmt.Errorf("the fact %s %s is redundant", f.Kind, f.Subject)
		}
	}
	return nil
}

// CheckAll returns an error if a conflict in the list is invalid, if two share
// a subscription, an installed bundle or a forced bundle, or if a conflict is
// missing: the problem must be satisfiable without the demands of the reported
// conflicts.
func (j *Judge) CheckAll(conflicts [][]Fact) error {
	var roots []Fact
	for i, facts := range conflicts {
		if err := j.Check(facts); err != nil {
			return fmt.Errorf("conflict %d: %w", i, err)
		}
		for _, f := range facts {
			if isRoot(f, roots) {
				return fmt.Errorf("conflict %d shares the %s %s with an earlier one", i, f.Kind, f.Subject)
			}
		}
		roots = append(roots, facts...)
	}
	switch ok, err := j.solvableWithout(roots); {
	case err != nil:
		return err
	case !ok:
		return errors.New("a disjoint conflict is missing")
	}
	return nil
}

// isRoot reports whether a fact is a demand of the request and in a list.
func isRoot(f Fact, among []Fact) bool {
	isDemand := f.Kind == "subscription" || f.Kind == "installed" || f.Kind == "forced"
	return isDemand && slices.ContainsFunc(among, func(g Fact) bool {
		return f.Kind == g.Kind && f.Subject == g.Subject && (f.Kind != "forced" || f.Catalog == g.Catalog)
	})
}

// solvableWithout reports whether the problem is satisfiable without those
// facts that are demands of the request: subscriptions, bundles that must
// stay, and forced bundles.
func (j *Judge) solvableWithout(facts []Fact) (bool, error) {
	w, err := newWorld(j.p)
	if err != nil {
		return false, err
	}
	w.breakAll(j.broken)
	p := *j.p
	if p.Policy.Failures == resolver.FailuresPartial { // only installed and forced bundles fail as a whole
		w.admit(-1)
	}
	p.Force = slices.DeleteFunc(slices.Clone(p.Force), func(r Ref) bool {
		return isRoot(Fact{Kind: "forced", Subject: r.Name, Catalog: r.Catalog}, facts)
	})
	w.p = &p
	w.subs = slices.DeleteFunc(w.subs, func(s *subscription) bool {
		return isRoot(Fact{Kind: "subscription", Subject: s.sub.Name}, facts)
	})
	w.stay = slices.DeleteFunc(w.stay, func(v int) bool {
		return isRoot(Fact{Kind: "installed", Subject: w.vars[v].name}, facts)
	})
	return w.all().satisfiable(len(w.vars)), nil
}
