package resolver

import (
	"errors"

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
	if f.solve() != sat.Satisfiable {
		for i := range p.subs {
			p.subs[i].left = p.subs[i].owned == noNode
		}
		return nil, p.failure()
	}
	for i := range p.subs {
		p.subs[i].left = true
	}
	var admitted []sat.Lit
	var out []Unresolved
	for i := range p.subs {
		s := &p.subs[i]
		s.left = false
		guard := f.guardOf(subscriptionKey(i))
		if f.modelMeets(s) || f.solve(append(admitted, guard)...) == sat.Satisfiable {
			admitted = append(admitted, guard)
			continue
		}
		conflict, err := p.leftOut(i)
		if err != nil {
			return nil, err
		}
		out = append(out, Unresolved{Subscription: p.req.Subscriptions[i].Name, Conflict: conflict})
		if s.left = true; s.owned != noNode {
			admitted = append(admitted, f.lits[s.owned])
		}
	}
	return out, p.err
}

// leftOut explains why a subscription cannot be admitted, given those before it
// that were. What later ones own may move as it does for the decision itself.
func (p *problem) leftOut(i int) (*Conflict, error) {
	for k := i + 1; k < len(p.subs); k++ {
		p.subs[k].left = p.subs[k].owned == noNode
	}
	err := p.failure()
	for k := i + 1; k < len(p.subs); k++ {
		p.subs[k].left = true
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
