package oracle

import (
	"errors"
	"fmt"
	"slices"
)

// Judge judges what is said about why a problem has no solution: sets of facts,
// one a conflict. It may be used by one goroutine at a time.
type Judge struct {
	p *Problem
	w *world // quarantined bundles included
	// plain is the problem as it is, without them.
	plain        *world
	requirements []Requirement
}

// NewJudge makes a judge. Under policy Partial, broken are the installed bundles
// that were found to be so before the conflict to be judged: the first ones of
// [Answer.Broken] for a conflict about the next one, all of them for others. What
// they ask for does not count, nor do their clashes with other installed bundles and
// the prohibitions of those.
func NewJudge(p *Problem, broken ...string) (*Judge, error) {
	w, err := layOut(p, true)
	if err != nil {
		return nil, err
	}
	plain, err := newWorld(p)
	if err != nil {
		return nil, err
	}
	w.breakAll(broken)
	plain.breakAll(broken)
	if p.Policy.Partial {
		plain.admit(-1)
	}
	return &Judge{p: p, w: w, plain: plain, requirements: w.requirements()}, nil
}

// Satisfiable says whether a problem can be solved when nothing but the given
// facts counts; see [Judge.Satisfiable].
func Satisfiable(p *Problem, facts []Fact) (bool, error) {
	j, err := NewJudge(p)
	if err != nil {
		return false, err
	}
	return j.Satisfiable(facts), nil
}

// Satisfiable reports whether the problem can be solved when nothing but the given
// facts counts: bundles need only the constraints that a fact names, packages and
// APIs are exclusive only if a fact says so, a subscription is held only if one
// says so, and what no fact bars can be chosen, quarantined bundles included. A fact
// that is not true asks for nothing.
func (j *Judge) Satisfiable(facts []Fact) bool {
	d := &demands{}
	for _, f := range facts {
		for _, i := range f.Requirements {
			r := j.requirements[i]
			if forms := j.w.vars[r.v].forms; forms != nil { // nil of a broken bundle
				d.add(requires(r.v, forms[r.index]))
			}
		}
		j.w.askFact(d, f, facts)
	}
	return d.satisfiable(len(j.w.vars))
}

// askFact adds what a fact asks of a result set.
func (w *world) askFact(d *demands, f Fact, facts []Fact) {
	meant := setOf(w.forced(Ref{f.Catalog, f.Subject}))
	switch f.Kind {
	case "subscription":
		for _, s := range w.subs {
			if s.sub.Name == f.Subject {
				w.askSubscription(d, s, facts)
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
		d.out |= meant & w.those(func(v *variable) bool { return v.forbidden }) &^ w.broken
	case "quarantined":
		d.out |= w.those(func(v *variable) bool { return v.aside && v.pkg == f.Subject })
	case "deprecated":
		d.out |= meant & w.those(func(v *variable) bool { return v.installed < 0 && v.bundle.Deprecated })
	case "incompatible":
		required := w.p.Policy.Compatibility == Require
		d.out |= meant & w.those(func(v *variable) bool { return v.installed < 0 && v.unfit && required })
	case "forced":
		if slices.Contains(w.p.Force, Ref{f.Catalog, f.Subject}) {
			d.oneOf(meant)
		}
	}
}

// askSubscription adds what a subscription asks for, as far as the facts tell: that
// it is held, or that it has no candidate, is a fact of its own.
func (w *world) askSubscription(d *demands, s *wanted, facts []Fact) {
	told := func(kind string) bool {
		return slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == kind && f.Subject == s.sub.Name })
	}
	cands := s.free
	held := told("hold") && s.sub.Hold != ""
	if held || told("noCandidate") && len(s.cands) == 0 {
		cands = s.cands
	}
	if len(cands) > 0 || held || told("noCandidate") {
		s.askFor(d, cands)
	}
}

// Check says what is wrong with the facts of a conflict, nil if nothing: they can
// hold together, or one of them is not needed.
func (j *Judge) Check(facts []Fact) error {
	if j.Satisfiable(facts) {
		return errors.New("these facts can hold together")
	}
	for i, f := range facts {
		if !j.Satisfiable(slices.Delete(slices.Clone(facts), i, i+1)) {
			return fmt.Errorf("the fact %s %s is not needed", f.Kind, f.Subject)
		}
	}
	return nil
}

// CheckAll says what is wrong with the list of all conflicts of a problem, nil if
// nothing: with one of them, or two have a subscription or an installed bundle in
// common, or one is missing: without the subscriptions, the installed bundles and
// what is forced of those that are told, there would still be no solution.
func (j *Judge) CheckAll(conflicts [][]Fact) error {
	roots := map[[2]string]bool{}
	for i, facts := range conflicts {
		if err := j.Check(facts); err != nil {
			return fmt.Errorf("conflict %d: %w", i, err)
		}
		for _, f := range facts {
			root := [2]string{f.Kind, f.Subject}
			if (f.Kind == "subscription" || f.Kind == "installed") && roots[root] {
				return fmt.Errorf("conflict %d has the %s %s in common with one before", i, f.Kind, f.Subject)
			}
		}
		for _, f := range facts {
			roots[[2]string{f.Kind, f.Subject}] = true
		}
	}
	if !j.solvableWithout(slices.Concat(conflicts...)) {
		return errors.New("there is another conflict that has nothing in common with these")
	}
	return nil
}

// solvableWithout reports whether the problem has a solution if the facts that are
// about what is asked for do not count: subscriptions, what must stay, and what is
// forced.
func (j *Judge) solvableWithout(facts []Fact) bool {
	w := *j.plain
	is := func(kind, subject string) bool {
		return slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == kind && f.Subject == subject })
	}
	p := *j.p
	p.Force = slices.DeleteFunc(slices.Clone(p.Force), func(r Ref) bool {
		return slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == "forced" && r == Ref{f.Catalog, f.Subject} })
	})
	w.p = &p
	w.subs = slices.DeleteFunc(slices.Clone(w.subs), func(s *wanted) bool { return is("subscription", s.sub.Name) })
	w.stay = slices.DeleteFunc(slices.Clone(w.stay), func(v int) bool { return is("installed", w.vars[v].name) })
	return w.all().satisfiable(len(w.vars))
}
