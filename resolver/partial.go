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
// already are tolerated, and the subscriptions are admitted in order, each that would
// make the problem unsatisfiable being left out. Both are reported.
//
// That an installed bundle which a subscription owns stays or moves along an edge
// is part of the problem from the start, so that a subscription which can always
// keep what it owns is never left out, and those before it may count on its moving.
// If even that has no solution, because of what is forced, the whole request fails.
func (p *resolution) settleAdmitted() (*search.State, []Unresolved, error) {
	st := p.settle()
	if st != nil || p.problem.Stopped() || p.req.Policy.Failures != failuresPartial {
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
	placing := problem.Terms{Left: p.unowning(), Lenient: make([]bool, len(p.req.Installed))}
	broken := formula.AdmitInstalled(p.problem.Under(placing), p.solverObserver())
	if p.problem.Stopped() || len(broken) == 0 {
		return nil, p.failed(p.problem.Err())
	}
	out := make([]Unresolved, 0, len(broken))
	are := make([]bool, len(p.problem.Inst))
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
	p.view = p.problem.Under(problem.Terms{Lenient: are, Broken: are})
	return out, p.failed(p.problem.Err())
}

// brokenConflict explains why an installed bundle cannot hold together with those
// before it. Nobody else asks for anything then but for what is in place: those
// behind it are tolerated, as the broken ones before it are.
func (p *resolution) brokenConflict(i int32, broken []bool) (*Conflict, error) {
	terms := problem.Terms{Left: p.unowning(), Lenient: slices.Clone(broken), Broken: slices.Clone(broken)}
	for k := range broken {
		before := broken[k] && int32(k) < i
		terms.Lenient[k], terms.Broken[k] = before || int32(k) > i, before
	}
	return p.explained(p.failure(p.problem.Under(terms), true))
}

// unowning are the subscriptions that own nothing.
func (p *resolution) unowning() []bool {
	left := make([]bool, len(p.view.Subs))
	for k := range left {
		left[k] = p.view.Subs[k].Owned == problem.NoNode
	}
	return left
}

// explained takes the conflict out of what failure returned, and counts the solver
// calls that it took.
func (p *resolution) explained(err error) (*Conflict, error) {
	var conflict *Conflict
	if !errors.As(err, &conflict) {
		return nil, err
	}
	p.problem.Solves = conflict.Stats.Solves
	return conflict, nil
}

// admitSubscriptions decides which subscriptions take part, and explains each that
// does not.
func (p *resolution) admitSubscriptions() ([]Unresolved, error) {
	var out []Unresolved
	left, err := formula.AdmitSubscriptions(p.view, p.solverObserver(), func(i int, left []bool) error {
		conflict, err := p.leftOut(i, left)
		if err == nil {
			out = append(out, Unresolved{Subscription: p.asked[i].Name, Conflict: conflict})
			p.sawLeftOut(out[len(out)-1])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if left == nil {
		return nil, p.failure(p.leaving(p.unowning()), false)
	}
	p.view = p.leaving(left)
	return out, p.failed(p.problem.Err())
}

// leaving is the problem as it is when some subscriptions are left out.
func (p *resolution) leaving(left []bool) *problem.View {
	return p.problem.Under(problem.Terms{Left: left, Lenient: p.view.Lenient, Broken: p.view.Broken})
}

// leftOut explains why a subscription cannot be admitted, given those before it
// that were. Of the later ones, those count that own something and could keep it;
// if that does not explain it, all that own something.
func (p *resolution) leftOut(i int, before []bool) (*Conflict, error) {
	var err error
	for _, all := range []bool{false, true} {
		left := slices.Clone(before)
		for k := i + 1; k < len(left); k++ {
			s := &p.view.Subs[k]
			left[k] = s.Owned == problem.NoNode || !all && !s.Keeps()
		}
		if err = p.failure(p.leaving(left), false); !errors.Is(err, search.ErrDisagree) {
			break
		}
	}
	return p.explained(err)
}

// failure returns what stopped the work, or else the conflict of the problem under some
// terms.
func (p *resolution) failure(v *problem.View, placing bool) error {
	if p.problem.Stopped() {
		return p.failed(p.problem.Err())
	}
	return p.conflict(v, placing)
}
