package resolver

import (
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// resolvePartial answers a problem under policy Partial (section 8): installed
// bundles that are broken already are borne with, and the subscriptions are admitted
// in order, each that would make the problem unsatisfiable being left out. Both are
// reported.
//
// That an installed bundle which a subscription owns stays or moves along an edge
// is part of the problem from the start, so that a subscription which can always
// keep what it owns is never left out, and those before it may count on its moving.
// If even that has no solution, because of what is forced, the whole request fails.
func (p *problem) resolvePartial() (*Solution, error) {
	if st := p.settle(); st != nil || p.err != nil {
		return p.finish(st)
	}
	unresolved, err := p.admit()
	if err != nil {
		return nil, err
	}
	sol, err := p.finish(p.settle())
	if sol != nil {
		sol.Unresolved = unresolved
	}
	return sol, err
}

// admit decides which installed bundles are broken and which subscriptions take
// part, and explains each that is not as it should be.
func (p *problem) admit() ([]Unresolved, error) {
	out, err := p.admitInstalled()
	if err != nil {
		return nil, err
	}
	more, err := p.admitSubscriptions()
	return append(out, more...), err
}

// admitInstalled finds the installed bundles that cannot hold together with those
// before them, and makes the problem lenient with them.
func (p *problem) admitInstalled() ([]Unresolved, error) {
	f := p.encode(guardInstalled)
	a := installedAdmission{f: f, broken: make([]bool, len(p.inst))}
	var counting []int32
	for i, n := range p.inst {
		if n != noNode {
			f.unadmitted(n) // has a literal from now on
			counting = append(counting, int32(i))
		}
	}
	if a.admit(counting); p.err != nil || len(a.found) == 0 {
		return nil, p.err
	}
	out := make([]Unresolved, 0, len(a.found))
	for _, i := range a.found {
		conflict, err := p.brokenConflict(i, a.broken)
		if err != nil {
			return nil, err
		}
		name := p.req.Installed[i].Name
		out = append(out, Unresolved{Installed: name, Conflict: conflict})
		p.sawLeftOut(out[len(out)-1])
		p.warnBroken(i, conflict)
	}
	p.excuse(a.broken, a.broken)
	return out, p.err
}

// installedAdmission admits installed bundles as far as they can hold together.
type installedAdmission struct {
	f      *formula
	given  []sat.Lit // that those admitted count, and that the broken ones stay
	broken []bool    // by index of Request.Installed
	found  []int32   // the broken ones in order
}

// admit goes through some installed bundles in order: all at once where that is
// possible, else the first half and then the second.
func (a *installedAdmission) admit(list []int32) {
	if len(list) == 0 || a.f.p.err != nil {
		return
	}
	lits := make([]sat.Lit, len(list))
	for k, i := range list {
		lits[k] = a.f.admit[i]
	}
	switch a.f.solve(append(slices.Clip(a.given), lits...)...) {
	case sat.Satisfiable:
		a.given = append(a.given, lits...)
	case sat.Unsatisfiable:
		if len(list) == 1 {
			a.broken[list[0]] = true
			a.found = append(a.found, list[0])
			a.given = append(a.given, a.f.lits[a.f.p.inst[list[0]]])
			return
		}
		a.admit(list[:len(list)/2])
		a.admit(list[len(list)/2:])
	}
}

// brokenConflict explains why an installed bundle cannot hold together with those
// before it. Nobody else asks for anything then but for what is in place: those
// behind it are borne with, as the broken ones before it are.
func (p *problem) brokenConflict(i int32, broken []bool) (*Conflict, error) {
	lenient, stays := slices.Clone(broken), slices.Clone(broken)
	for k := range lenient {
		lenient[k] = lenient[k] && int32(k) < i || int32(k) > i
		stays[k] = stays[k] && int32(k) < i
	}
	left := make([]bool, len(p.subs))
	for k := range p.subs {
		s := &p.subs[k]
		left[k], s.left = s.left, s.owned == noNode
	}
	p.lenient, p.broken = lenient, stays
	p.placing = true
	err := p.failure()
	p.placing = false
	p.lenient, p.broken = nil, nil
	for k := range p.subs {
		p.subs[k].left = left[k]
	}
	return p.explained(err)
}

// explained takes the conflict out of what failure returned, and counts the solver
// calls that it took.
func (p *problem) explained(err error) (*Conflict, error) {
	var conflict *Conflict
	if !errors.As(err, &conflict) {
		return nil, err
	}
	p.solves = conflict.Stats.Solves
	return conflict, nil
}

// admitSubscriptions decides which subscriptions take part, and explains each that
// does not.
func (p *problem) admitSubscriptions() ([]Unresolved, error) {
	f := p.encode(guardSubscriptions)
	var admitted []sat.Lit
	for i := range p.subs {
		if pending, ok := f.pending[i]; ok {
			admitted = append(admitted, pending)
		}
	}
	if f.solve(admitted...) != sat.Satisfiable {
		for i := range p.subs {
			p.subs[i].left = p.subs[i].owned == noNode
		}
		return nil, p.failure()
	}
	for i := range p.subs {
		p.subs[i].left = true
	}
	var out []Unresolved
	current := true // the latest model has all that was admitted
	for i := range p.subs {
		s := &p.subs[i]
		s.left = false
		guard := f.guardOf(subscriptionKey(i))
		if current && f.modelMeets(s) || f.solve(append(admitted, guard)...) == sat.Satisfiable {
			admitted, current = append(admitted, guard), true
			continue
		}
		conflict, err := p.leftOut(i)
		if err != nil {
			return nil, err
		}
		out = append(out, Unresolved{Subscription: p.asked[i].Name, Conflict: conflict})
		p.sawLeftOut(out[len(out)-1])
		s.left = true
		admitted = slices.DeleteFunc(admitted, func(l sat.Lit) bool { return l == f.pending[i] })
		if s.owned != noNode && !p.ownedElse(s) {
			admitted, current = append(admitted, f.lits[s.owned]), false
		}
	}
	return out, p.err
}

// ownedElse reports whether another subscription, admitted or still to be looked
// at, owns what a subscription owns, and may move it.
func (p *problem) ownedElse(s *subscription) bool {
	return slices.ContainsFunc(p.subs, func(o subscription) bool {
		return o.owned == s.owned && o.index != s.index && (o.index > s.index || !o.left)
	})
}

// leftOut explains why a subscription cannot be admitted, given those before it
// that were. Of the later ones, those count that own something and could keep it;
// if that does not explain it, all that own something.
func (p *problem) leftOut(i int) (*Conflict, error) {
	defer func() {
		for k := i + 1; k < len(p.subs); k++ {
			p.subs[k].left = true
		}
	}()
	var err error
	for _, all := range []bool{false, true} {
		for k := i + 1; k < len(p.subs); k++ {
			s := &p.subs[k]
			s.left = s.owned == noNode || !all && !s.keeps()
		}
		if err = p.failure(); !errors.Is(err, errInternal) {
			break
		}
	}
	return p.explained(err)
}

// failure returns what stopped the work, or else the conflict of the
// subscriptions that take part.
func (p *problem) failure() error {
	if p.err != nil {
		return p.err
	}
	return p.conflict()
}

func subscriptionKey(i int) factKey { return factKey{FactSubscription, int32(i), 0} }

// modelMeets reports whether the current model has a candidate of a
// subscription.
func (f *formula) modelMeets(s *subscription) bool {
	for _, n := range f.p.allCandidates(s) {
		if f.s.Value(f.lits[n]) {
			return true
		}
	}
	return false
}
