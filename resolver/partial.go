package resolver

import (
	"errors"

	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// settleAdmitted finds the best result set; nil if there is none or the work was stopped. Under
// policy Partial (section 8), an unsatisfiable request is resolved again: installed bundles that
// are broken already are tolerated, subscriptions are admitted in order, and each that would
// make the problem unsatisfiable is dropped. Both are reported as unresolved.
//
// That an owned bundle stays or follows an upgrade edge is part of the problem from the start. A
// subscription that can always keep its bundle is therefore never dropped, and earlier
// subscriptions may rely on its upgrade. If even that has no solution, because of forced
// bundles, the whole request fails.
func (p *resolution) settleAdmitted() (*search.State, []Unresolved, error) {
	st := p.settle()
	if st != nil || p.budget.Stopped() || p.req.Policy.Failures != FailuresPartial {
		return st, nil, nil
	}
	a := partial{of: p}
	if err := a.installed(); err != nil {
		return nil, nil, err
	}
	if err := a.subscriptions(); err != nil {
		return nil, nil, err
	}
	return p.settle(), a.unresolved, nil
}

// partial finds the broken installed bundles and the subscriptions to drop, and explains each.
type partial struct {
	of         *resolution
	parts      *components    // of the request; nil before the first explanation
	opponents  map[int32]bool // of the subscription to explain, if many were; nil for all
	unresolved []Unresolved
}

// installed finds the installed bundles that conflict with earlier ones, and makes the problem
// tolerate them.
func (a *partial) installed() error {
	return a.tolerate(func(i int32, terms assuming) error {
		conflict, err := a.explained(a.explain(installedFact(i), terms, true))
		if err != nil {
			return err
		}
		a.note(Unresolved{Installed: a.of.req.Installed[i].Name, Conflict: conflict})
		a.of.warnBroken(i, conflict)
		return nil
	})
}

// tolerate finds the broken installed bundles and makes the problem tolerate them. It calls onBroken
// for each, with the terms under which it conflicts with earlier ones: only demands that own a
// bundle count; later bundles and earlier broken ones are tolerated.
func (a *partial) tolerate(onBroken func(i int32, terms assuming) error) error {
	p := a.of
	placing := problem.Assumptions{Dropped: ownsNothing(p.problem), Lenient: make([]bool, p.universe.NumInstalled())}
	broken := formula.AdmitInstalled(p.under(placing), p.observer(p.config.watch.Solver))
	if p.budget.Stopped() || len(broken) == 0 {
		return p.failed()
	}
	are := make([]bool, p.universe.NumInstalled())
	for _, i := range broken {
		are[p.universe.Inst[i]] = true
	}
	for _, i := range broken {
		n := p.universe.Inst[i]
		before := func(k problem.NodeID) bool { return are[k] && k < n }
		err := onBroken(i, assuming{
			dropped: func(k int32) bool { return p.problem.Demands.List[k].Owned == problem.NoNode },
			lenient: func(k problem.NodeID) bool { return before(k) || k > n },
			broken:  before,
		})
		if err != nil {
			return err
		}
	}
	p.problem = p.under(problem.Assumptions{Lenient: are, Broken: are})
	return p.failed()
}

// ownsNothing marks the subscriptions that own no bundle.
func ownsNothing(v *problem.Problem) []bool {
	left := make([]bool, len(v.Demands.List))
	for k := range left {
		left[k] = v.Demands.List[k].Owned == problem.NoNode
	}
	return left
}

// explain explains why the component of a root is unsatisfiable. The error is a *Conflict, or
// the reason why the explanation stopped.
func (a *partial) explain(root formula.Fact, terms assuming, installedOnly bool) error {
	of, err := a.part(root, terms)
	if err != nil {
		return err
	}
	of.installedOnly, of.quick = installedOnly, a.opponents != nil
	return a.of.conflict(of)
}

// part returns the component of a root.
func (a *partial) part(root formula.Fact, terms assuming) (part, error) {
	if a.parts == nil {
		parts, err := newComponents(a.of)
		if err != nil {
			return part{}, err
		}
		a.parts = parts
	}
	return a.parts.restrict(a.of.req, root, terms), nil
}

// explained extracts the conflict from an error, and adds its solver calls to the budget. The error is
// that of an explanation that stopped, or of the budget.
func (a *partial) explained(err error) (*Conflict, error) {
	var conflict *Conflict
	if !errors.As(err, &conflict) {
		return nil, err
	}
	a.of.budget.Solves = conflict.Stats.Solves
	if limit := a.of.budget.Limits.Solves; limit > 0 && a.of.budget.Solves > limit {
		a.of.budget.Exhaust(problem.ResourceSolves, uint64(limit))
	}
	return conflict, a.of.failed()
}

// note records an unresolved item and emits LeftOut.
func (a *partial) note(u Unresolved) {
	a.unresolved = append(a.unresolved, u)
	c := a.of.config
	if c.watch.Resolution != nil {
		c.watch.Resolution(a.of.budget.Context(), trace.Event{LeftOut: &trace.LeftOut{Subscription: u.Subscription, Installed: u.Installed,
			Headline: u.Conflict.Headline(), Facts: len(u.Conflict.Facts), Part: c.Operation != "", Terms: c.Terms}})
	}
}

// subscriptions admits subscriptions in order and drops the others.
func (a *partial) subscriptions() error {
	p := a.of
	left, err := formula.AdmitSubscriptions(p.problem, p.observer(p.config.watch.Solver), func(i int, left []bool, opponents func() map[int32]bool) error {
		if len(a.unresolved) >= maxFurther {
			a.opponents = opponents()
		}
		conflict, err := a.explainDropped(i, left)
		if err == nil {
			a.note(Unresolved{Subscription: p.problem.Demands.List[i].Name, Conflict: conflict})
		}
		return err
	})
	if err != nil {
		return err
	}
	if left == nil {
		p.problem = a.withDropped(ownsNothing(p.problem))
		return p.conflict(p.whole())
	}
	p.problem = a.withDropped(left)
	return p.failed()
}

// withDropped returns the problem with some subscriptions dropped.
func (a *partial) withDropped(left []bool) *problem.Problem {
	v := a.of.problem
	return a.of.under(problem.Assumptions{Dropped: left, Lenient: v.Assumptions.Lenient, Broken: v.Assumptions.Broken})
}

// explainDropped explains why a subscription cannot be admitted, given those admitted before it.
// Of the later ones it first considers those that can keep their bundle, and if that is not
// enough, all that own a bundle.
func (a *partial) explainDropped(i int, before []bool) (*Conflict, error) {
	var err error
	for _, all := range []bool{false, true} {
		if err = a.explain(subscriptionFact(int32(i)), a.terms(i, before, all), false); !errors.Is(err, search.ErrDisagree) {
			break
		}
	}
	return a.explained(err)
}

// terms returns the assumptions under which a subscription is explained.
func (a *partial) terms(i int, before []bool, all bool) assuming {
	terms := assuming{opponents: a.opponents, dropped: func(k int32) bool {
		s := &a.of.problem.Demands.List[k]
		return before[k] || int(k) > i && (s.Owned == problem.NoNode || !all && !s.Keeps())
	}}
	if of := &a.of.problem.Assumptions; of.Broken != nil {
		terms.lenient, terms.broken = of.IsLenient, of.IsBroken
	}
	return terms
}
