package resolver

import (
	"errors"

	"github.com/seed109e2655/resolute/internal/sat"
)

// resolvePartial answers a problem under policy Partial (section 8): the
// subscriptions are admitted in order, and each that would make the problem
// unsatisfiable is left out and reported.
//
// A subscription that owns an installed bundle can always be met by keeping it,
// so that what it stands for, that the bundle stays or moves along an edge, is
// part of the problem from the start. If even that has no solution, there is
// nothing to leave out, and the whole request fails.
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
		if s := &p.subs[i]; s.owned == noNode {
			s.left = true
		} else {
			admitted = append(admitted, f.guardOf(subscriptionKey(i)))
		}
	}
	if f.solve(admitted...) != sat.Satisfiable {
		return nil, p.failure()
	}
	var out []Unresolved
	for i := range p.subs {
		s := &p.subs[i]
		if !s.left {
			continue
		}
		s.left = false
		guard := f.guardOf(subscriptionKey(i))
		if f.modelMeets(s) || f.solve(append(admitted, guard)...) == sat.Satisfiable {
			admitted = append(admitted, guard)
			continue
		}
		err := p.failure()
		var conflict *Conflict
		if !errors.As(err, &conflict) {
			return nil, err
		}
		out = append(out, Unresolved{Subscription: p.req.Subscriptions[i].Name, Conflict: conflict})
		s.left = true
	}
	return out, p.err
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
