package resolver

import (
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// resolvePartial answers a problem under policy Partial (section 8): the
// subscriptions are admitted in order, and each that would make the problem
// unsatisfiable is left out and reported.
//
// That an installed bundle which a subscription owns stays or moves along an edge
// is part of the problem from the start, so that a subscription which can always
// keep what it owns is never left out, and those before it may count on its moving.
// If even that has no solution, there is nothing to leave out, and the whole
// request fails.
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

// admit decides which subscriptions take part, and explains each that does not.
func (p *problem) admit() ([]Unresolved, error) {
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
		out = append(out, Unresolved{Subscription: p.req.Subscriptions[i].Name, Conflict: conflict})
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
	var conflict *Conflict
	if errors.As(err, &conflict) {
		return conflict, nil
	}
	return nil, err
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
