package resolver

import (
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// settleAdmitted finds the best result set, nil if there is none or the work was stopped.
// Under policy Partial (section 8), where there is none, installed bundles that are broken
// already are borne with, and the subscriptions are admitted in order, each that would
// make the problem unsatisfiable being left out. Both are reported.
//
// That an installed bundle which a subscription owns stays or moves along an edge
// is part of the problem from the start, so that a subscription which can always
// keep what it owns is never left out, and those before it may count on its moving.
// If even that has no solution, because of what is forced, the whole request fails.
func (p *resolution) settleAdmitted() (*search.State, []Unresolved, error) {
	st := p.settle()
	if st != nil || p.Stopped() || p.req.Policy.Failures != FailuresPartial {
		return st, nil, nil
	}
	unresolved, err := p.admit()
	if err != nil {
		return nil, nil, err
	}
	return p.settle(), unresolved, nil
}

// admit decides which installed bundles are broken and which subscriptions take
// part, and explains each that is not as it should be.
func (p *resolution) admit() ([]Unresolved, error) {
	out, err := p.admitInstalled()
	if err != nil {
		return nil, err
	}
	more, err := p.admitSubscriptions()
	return append(out, more...), err
}

// admitInstalled finds the installed bundles that cannot hold together with those
// before them, and makes the problem lenient with them.
func (p *resolution) admitInstalled() ([]Unresolved, error) {
	broken := formula.AdmitInstalled(&p.Problem, p.solverObserver())
	if p.Stopped() || len(broken) == 0 {
		return nil, p.failed(p.Err())
	}
	out := make([]Unresolved, 0, len(broken))
	are := make([]bool, len(p.Inst))
	for _, i := range broken {
		are[i] = true
	}
	for _, i := range broken {
		conflict, err := p.brokenConflict(i, are)
		if err != nil {
			return nil, err
		}
		out = append(out, Unresolved{Installed: p.req.Installed[i].Name, Conflict: conflict})
		p.sawLeftOut(out[len(out)-1])
		p.warnBroken(i, conflict)
	}
	p.Excuse(are, are)
	return out, p.failed(p.Err())
}

// brokenConflict explains why an installed bundle cannot hold together with those
// before it. Nobody else asks for anything then but for what is in place: those
// behind it are borne with, as the broken ones before it are.
func (p *resolution) brokenConflict(i int32, broken []bool) (*Conflict, error) {
	lenient, stays := slices.Clone(broken), slices.Clone(broken)
	for k := range lenient {
		lenient[k] = lenient[k] && int32(k) < i || int32(k) > i
		stays[k] = stays[k] && int32(k) < i
	}
	left := make([]bool, len(p.Subs))
	for k := range p.Subs {
		s := &p.Subs[k]
		left[k], s.Left = s.Left, s.Owned == problem.NoNode
	}
	p.Lenient, p.Broken = lenient, stays
	p.Placing = true
	err := p.failure()
	p.Placing = false
	p.Lenient, p.Broken = nil, nil
	for k := range p.Subs {
		p.Subs[k].Left = left[k]
	}
	return p.explained(err)
}

// explained takes the conflict out of what failure returned, and counts the solver
// calls that it took.
func (p *resolution) explained(err error) (*Conflict, error) {
	var conflict *Conflict
	if !errors.As(err, &conflict) {
		return nil, err
	}
	p.Solves = conflict.Stats.Solves
	return conflict, nil
}

// admitSubscriptions decides which subscriptions take part, and explains each that
// does not.
func (p *resolution) admitSubscriptions() ([]Unresolved, error) {
	var out []Unresolved
	possible, err := formula.AdmitSubscriptions(&p.Problem, p.solverObserver(), func(i int) error {
		conflict, err := p.leftOut(i)
		if err == nil {
			out = append(out, Unresolved{Subscription: p.asked[i].Name, Conflict: conflict})
			p.sawLeftOut(out[len(out)-1])
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case !possible:
		return nil, p.failure()
	}
	return out, p.failed(p.Err())
}

// leftOut explains why a subscription cannot be admitted, given those before it
// that were. Of the later ones, those count that own something and could keep it;
// if that does not explain it, all that own something.
func (p *resolution) leftOut(i int) (*Conflict, error) {
	defer func() {
		for k := i + 1; k < len(p.Subs); k++ {
			p.Subs[k].Left = true
		}
	}()
	var err error
	for _, all := range []bool{false, true} {
		for k := i + 1; k < len(p.Subs); k++ {
			s := &p.Subs[k]
			s.Left = s.Owned == problem.NoNode || !all && !s.Keeps()
		}
		if err = p.failure(); !errors.Is(err, search.ErrDisagree) {
			break
		}
	}
	return p.explained(err)
}

// failure returns what stopped the work, or else the conflict of the
// subscriptions that take part.
func (p *resolution) failure() error {
	if p.Stopped() {
		return p.failed(p.Err())
	}
	return p.conflict()
}
