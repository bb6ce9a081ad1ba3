package resolver

import (
	"errors"

	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
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
	if st != nil || p.budget.Stopped() || p.req.Policy.Failures != FailuresPartial {
		return st, nil, nil
	}
	a := admission{of: p}
	if err := a.installed(); err != nil {
		return nil, nil, err
	}
	if err := a.subscriptions(); err != nil {
		return nil, nil, err
	}
	return p.settle(), a.unresolved, nil
}

// admission decides which installed bundles are broken and which subscriptions take
// part, and explains each that is not as it should be.
type admission struct {
	of         *resolution
	parts      *components // of the request, made when the first is explained
	unresolved []Unresolved
}

// installed finds the installed bundles that cannot hold together with those
// before them, and makes the problem lenient with them.
func (a *admission) installed() error {
	p := a.of
	placing := problem.Assumptions{Dropped: unowning(p.problem), Lenient: make([]bool, p.universe.NumInstalled())}
	broken := formula.AdmitInstalled(p.under(placing), p.observer(p.config.watch.Solver))
	if p.budget.Stopped() || len(broken) == 0 {
		return p.failed()
	}
	are := make([]bool, p.universe.NumInstalled())
	for _, i := range broken {
		are[p.universe.Inst[i]] = true
	}
	for _, i := range broken {
		conflict, err := a.brokenConflict(i, are)
		if err != nil {
			return err
		}
		a.note(Unresolved{Installed: p.req.Installed[i].Name, Conflict: conflict})
		p.warnBroken(i, conflict)
	}
	p.problem = p.under(problem.Assumptions{Lenient: are, Broken: are})
	return p.failed()
}

// brokenConflict explains why an installed bundle cannot hold together with those
// before it. Nobody else asks for anything then but for what is in place: those
// behind it are tolerated, as the broken ones before it are.
func (a *admission) brokenConflict(i int32, broken []bool) (*Conflict, error) {
	n := a.of.universe.Inst[i]
	before := func(k problem.NodeID) bool { return broken[k] && k < n }
	return a.explained(a.explain(installedFact(i), assuming{
		dropped: func(k int32) bool { return a.of.problem.Demands.List[k].Owned == problem.NoNode },
		lenient: func(k problem.NodeID) bool { return before(k) || k > n },
		broken:  before,
	}, true))
}

// unowning are the subscriptions that own nothing.
func unowning(v *problem.Problem) []bool {
	left := make([]bool, len(v.Demands.List))
	for k := range left {
		left[k] = v.Demands.List[k].Owned == problem.NoNode
	}
	return left
}

// explain finds out why the component of a root has no solution. The error is a *Conflict, or
// what stopped the search for one.
func (a *admission) explain(root formula.Fact, terms assuming, installedOnly bool) error {
	of, err := a.part(root, terms)
	if err != nil {
		return err
	}
	of.installedOnly = installedOnly
	return a.of.conflict(of)
}

// part is the component of a root.
func (a *admission) part(root formula.Fact, terms assuming) (part, error) {
	if a.parts == nil {
		parts, err := newComponents(a.of)
		if err != nil {
			return part{}, err
		}
		a.parts = parts
	}
	return a.parts.restrict(a.of.req, root, terms), nil
}

// explained takes the conflict out of what conflict returned, and counts the solver
// calls that it took.
func (a *admission) explained(err error) (*Conflict, error) {
	var conflict *Conflict
	if !errors.As(err, &conflict) {
		return nil, err
	}
	a.of.budget.Solves = conflict.Stats.Solves
	return conflict, nil
}

// note keeps and tells the hooks that something is not as it should be.
func (a *admission) note(u Unresolved) {
	a.unresolved = append(a.unresolved, u)
	c := a.of.config
	if c.watch.Resolution != nil {
		c.watch.Resolution(a.of.budget.Context(), trace.Event{LeftOut: &trace.LeftOut{Subscription: u.Subscription, Installed: u.Installed,
			Headline: u.Conflict.Headline(), Facts: len(u.Conflict.Facts), Part: c.Operation != ""}})
	}
}

// subscriptions decides which subscriptions take part.
func (a *admission) subscriptions() error {
	p := a.of
	left, err := formula.AdmitSubscriptions(p.problem, p.observer(p.config.watch.Solver), func(i int, left []bool) error {
		conflict, err := a.leftOut(i, left)
		if err == nil {
			a.note(Unresolved{Subscription: p.problem.Demands.List[i].Name, Conflict: conflict})
		}
		return err
	})
	if err != nil {
		return err
	}
	if left == nil {
		p.problem = a.leaving(unowning(p.problem))
		return p.conflict(p.whole())
	}
	p.problem = a.leaving(left)
	return p.failed()
}

// leaving is the problem as it is when some subscriptions are left out.
func (a *admission) leaving(left []bool) *problem.Problem {
	v := a.of.problem
	return a.of.under(problem.Assumptions{Dropped: left, Lenient: v.Assumptions.Lenient, Broken: v.Assumptions.Broken})
}

// leftOut explains why a subscription cannot be admitted, given those before it
// that were. Of the later ones, those count that own something and could keep it;
// if that does not explain it, all that own something.
func (a *admission) leftOut(i int, before []bool) (*Conflict, error) {
	var err error
	for _, all := range []bool{false, true} {
		if err = a.explain(subscriptionFact(int32(i)), a.terms(i, before, all), false); !errors.Is(err, search.ErrDisagree) {
			break
		}
	}
	return a.explained(err)
}

// terms are those under which a subscription is looked at.
func (a *admission) terms(i int, before []bool, all bool) assuming {
	terms := assuming{dropped: func(k int32) bool {
		s := &a.of.problem.Demands.List[k]
		return before[k] || int(k) > i && (s.Owned == problem.NoNode || !all && !s.Keeps())
	}}
	if of := &a.of.problem.Assumptions; of.Broken != nil {
		terms.lenient, terms.broken = of.IsLenient, of.IsBroken
	}
	return terms
}
