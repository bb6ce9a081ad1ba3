package resolver

import (
	"errors"
	"slices"

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
	if st != nil || p.problem.Stopped() || p.req.Policy.Failures != failuresPartial {
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
	unresolved []Unresolved
}

// installed finds the installed bundles that cannot hold together with those
// before them, and makes the problem lenient with them.
func (a *admission) installed() error {
	p := a.of
	placing := problem.Terms{Left: unowning(p.view), Lenient: make([]bool, len(p.req.Installed))}
	broken := formula.AdmitInstalled(p.problem.Under(placing), p.observer(p.config.watch.Solver))
	if p.problem.Stopped() || len(broken) == 0 {
		return p.failed()
	}
	are := make([]bool, len(p.problem.Inst))
	for _, i := range broken {
		are[i] = true
	}
	for _, i := range broken {
		conflict, err := a.brokenConflict(i, are)
		if err != nil {
			return err
		}
		a.note(Unresolved{Installed: p.req.Installed[i].Name, Conflict: conflict})
		p.warnBroken(i, conflict)
	}
	p.view = p.problem.Under(problem.Terms{Lenient: are, Broken: are})
	return p.failed()
}

// brokenConflict explains why an installed bundle cannot hold together with those
// before it. Nobody else asks for anything then but for what is in place: those
// behind it are tolerated, as the broken ones before it are.
func (a *admission) brokenConflict(i int32, broken []bool) (*Conflict, error) {
	terms := problem.Terms{Left: unowning(a.of.view), Lenient: slices.Clone(broken), Broken: slices.Clone(broken)}
	for k := range broken {
		before := broken[k] && int32(k) < i
		terms.Lenient[k], terms.Broken[k] = before || int32(k) > i, before
	}
	return a.explained(a.of.conflict(a.of.problem.Under(terms), true))
}

// unowning are the subscriptions that own nothing.
func unowning(v *problem.View) []bool {
	left := make([]bool, len(v.Subs))
	for k := range left {
		left[k] = v.Subs[k].Owned == problem.NoNode
	}
	return left
}

// explained takes the conflict out of what conflict returned, and counts the solver
// calls that it took.
func (a *admission) explained(err error) (*Conflict, error) {
	var conflict *Conflict
	if !errors.As(err, &conflict) {
		return nil, err
	}
	a.of.problem.Solves = conflict.Stats.Solves
	return conflict, nil
}

// note keeps and tells the hooks that something is not as it should be.
func (a *admission) note(u Unresolved) {
	a.unresolved = append(a.unresolved, u)
	c := a.of.config
	if c.watch.Resolution != nil {
		c.watch.Resolution(a.of.problem.Context(), trace.Event{LeftOut: &trace.LeftOut{Subscription: u.Subscription, Installed: u.Installed,
			Headline: u.Conflict.Headline(), Facts: len(u.Conflict.Facts), Part: c.Operation != ""}})
	}
}

// subscriptions decides which subscriptions take part.
func (a *admission) subscriptions() error {
	p := a.of
	left, err := formula.AdmitSubscriptions(p.view, p.observer(p.config.watch.Solver), func(i int, left []bool) error {
		conflict, err := a.leftOut(i, left)
		if err == nil {
			a.note(Unresolved{Subscription: p.view.Subs[i].Name, Conflict: conflict})
		}
		return err
	})
	if err != nil {
		return err
	}
	if left == nil {
		return p.conflict(a.leaving(unowning(p.view)), false)
	}
	p.view = a.leaving(left)
	return p.failed()
}

// leaving is the problem as it is when some subscriptions are left out.
func (a *admission) leaving(left []bool) *problem.View {
	v := a.of.view
	return a.of.problem.Under(problem.Terms{Left: left, Lenient: v.Lenient, Broken: v.Broken})
}

// leftOut explains why a subscription cannot be admitted, given those before it
// that were. Of the later ones, those count that own something and could keep it;
// if that does not explain it, all that own something.
func (a *admission) leftOut(i int, before []bool) (*Conflict, error) {
	var err error
	for _, all := range []bool{false, true} {
		left := slices.Clone(before)
		for k := i + 1; k < len(left); k++ {
			s := &a.of.view.Subs[k]
			left[k] = s.Owned == problem.NoNode || !all && !s.Keeps()
		}
		if err = a.of.conflict(a.leaving(left), false); !errors.Is(err, search.ErrDisagree) {
			break
		}
	}
	return a.explained(err)
}
