package oracle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// Judge judges what is said about why a problem has no solution: sets of facts,
// one a conflict. It may be used by one goroutine at a time.
type Judge struct {
	p            *Problem
	w            *world // quarantined bundles included
	broken       []string
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
	w.breakAll(broken)
	return &Judge{p, w, broken, w.requirements()}, nil
}

// BeforeSubscriptions makes it a judge of the conflict about an installed bundle that
// policy Partial finds broken: a subscription asks for nothing yet but that what it
// owns stays or is replaced by one of its candidates, and the installed bundles
// behind that one ask for nothing either.
func (j *Judge) BeforeSubscriptions(next string) *Judge {
	w := j.w
	w.admit(-1)
	behind := false
	for i, v := range w.vars {
		if v.installed >= 0 && behind {
			w.unseen |= bit(i)
		}
		behind = behind || v.installed >= 0 && v.name == next
	}
	w.spare(w.unseen)
	w.settle()
	return j
}

// Facts lists all facts of the problem. They can hold together if and only if it has
// a solution.
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
		if v.barred {
			fs = append(fs, f)
		}
	}
	return fs
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
	meant := setOf(w.forced(Ref{Catalog: f.Catalog, Name: f.Subject}))
	ofPackage := meant & w.those(func(v *variable) bool { return f.Package == "" || v.pkg == f.Package })
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
		d.out |= meant & w.those(func(v *variable) bool { return v.forbidden }) &^ (w.broken | w.unseen)
	case "quarantined":
		d.out |= w.those(func(v *variable) bool { return v.aside && v.pkg == f.Subject })
	case "deprecated":
		d.out |= ofPackage & w.those(func(v *variable) bool { return v.installed < 0 && v.bundle.Deprecated })
	case "incompatible":
		required := w.p.Policy.Compatibility == resolver.CompatibilityRequire
		d.out |= ofPackage & w.those(func(v *variable) bool { return v.installed < 0 && v.unfit && required })
	case "forced":
		if slices.Contains(w.p.Force, Ref{Catalog: f.Catalog, Name: f.Subject}) {
			d.oneOf(meant)
		}
	}
}

// askSubscription adds what a subscription asks for, as far as the facts say: that
// it is held, or that it has no candidate, is a fact of its own.
func (w *world) askSubscription(d *demands, s *wanted, facts []Fact) {
	has := func(kind string) bool {
		return slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == kind && f.Subject == s.sub.Name })
	}
	held := s.sub.Hold != "" && s.owned >= 0
	unmet := has("noCandidate") && len(s.cands) == 0
	switch {
	case held && !has("hold") && s.waiting:
		d.oneOf(setOf(s.free) | bit(s.owned))
	case len(s.free) == 0 && !unmet && !s.waiting:
	case held && !has("hold") && !unmet: // what it would move to may be there beside it
		d.oneOf(setOf(s.free))
	default:
		s.ask(d)
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
// nothing: with one of them, or two have a subscription, an installed bundle or a
// forced one in common, or one is missing: without those of the conflicts that are
// reported, there would still be no solution.
func (j *Judge) CheckAll(conflicts [][]Fact) error {
	var roots []Fact
	for i, facts := range conflicts {
		if err := j.Check(facts); err != nil {
			return fmt.Errorf("conflict %d: %w", i, err)
		}
		for _, f := range facts {
			if isRoot(f, roots) {
				return fmt.Errorf("conflict %d has the %s %s in common with one before", i, f.Kind, f.Subject)
			}
		}
		roots = append(roots, facts...)
	}
	switch ok, err := j.solvableWithout(roots); {
	case err != nil:
		return err
	case !ok:
		return errors.New("there is another conflict that has nothing in common with these")
	}
	return nil
}

// isRoot reports whether a fact is about what is asked for, and among some facts.
func isRoot(f Fact, among []Fact) bool {
	asked := f.Kind == "subscription" || f.Kind == "installed" || f.Kind == "forced"
	return asked && slices.ContainsFunc(among, func(g Fact) bool {
		return f.Kind == g.Kind && f.Subject == g.Subject && (f.Kind != "forced" || f.Catalog == g.Catalog)
	})
}

// solvableWithout reports whether the problem has a solution if those of the facts
// do not count that are about what is asked for: subscriptions, what must stay, and
// what is forced.
func (j *Judge) solvableWithout(facts []Fact) (bool, error) {
	w, err := newWorld(j.p)
	if err != nil {
		return false, err
	}
	w.breakAll(j.broken)
	p := *j.p
	if p.Policy.Failures == resolver.FailuresPartial { // it fails as a whole for what is installed and forced alone
		w.admit(-1)
	}
	p.Force = slices.DeleteFunc(slices.Clone(p.Force), func(r Ref) bool {
		return isRoot(Fact{Kind: "forced", Subject: r.Name, Catalog: r.Catalog}, facts)
	})
	w.p = &p
	w.subs = slices.DeleteFunc(w.subs, func(s *wanted) bool {
		return isRoot(Fact{Kind: "subscription", Subject: s.sub.Name}, facts)
	})
	w.stay = slices.DeleteFunc(w.stay, func(v int) bool {
		return isRoot(Fact{Kind: "installed", Subject: w.vars[v].name}, facts)
	})
	return w.all().satisfiable(len(w.vars)), nil
}
