package search

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Outcome is how far a run of decisions came.
type Outcome uint8

const (
	Complete Outcome = iota // every decision is satisfied
	deadEnd                 // a decision has no option left that is not refuted
	hopeless                // no choice is left to go back to: there is no solution
	aborted                 // the work was stopped
)

// run takes decisions until all are satisfied, always the first option that is not found
// impossible. from is the index of the first option to look at in the first decision. Nothing
// that is refused here could have been chosen; what is chosen is proven only once the run is
// complete, or by the solver: where the run is complete, its result satisfies the whole problem,
// and with it every choice on the way was the first one possible. At a dead end it returns a
// clause that is violated.
func (st *State) run(from int) (Outcome, *clause) {
	for ; st.head < len(st.Queue); st.head++ {
		if st.p.Budget.Step() {
			return aborted, nil
		}
		if from == 0 && st.settled(st.Queue[st.head]) {
			st.tell(satisfied, st.head, 0, Option{})
			continue
		}
		decided := st.decide(st.head, from)
		switch conflict := st.conflict; {
		case !decided && st.p.Budget.Stopped():
			return aborted, nil
		case conflict != nil:
			st.conflict = nil
			return deadEnd, conflict
		case !decided:
			return deadEnd, st.decisionClause(st.head)
		}
		if conflict := st.propagate(); conflict != nil {
			return deadEnd, conflict
		}
		from = 0
		if st.jump > 0 {
			from, st.jump = st.undo(int(st.jump-1), noLiteral), 0
			st.head--
		}
	}
	return Complete, nil
}

// decisionClause is the clause of a decision, all options of which are false: what it is for is
// not in the set, or one of the options is.
func (st *State) decisionClause(at int) *clause {
	d := st.Queue[at]
	c := &clause{about: noLiteral}
	if d.cause != noLiteral {
		c.literals = append(c.literals, d.cause.not())
	}
	opts := st.OptionsOf(d)
	for i := 0; ; i++ {
		o, ok := opts.At(i)
		if !ok {
			break
		}
		c.literals = append(c.literals, st.optionLiteral(d, i, o))
	}
	slices.Sort(c.literals)
	c.literals = slices.Compact(c.literals)
	if d.cause == noLiteral {
		st.log(c, nil, nil, 0)
	} else {
		st.log(c, nil, nil)
	}
	st.add(c)
	return c
}

// settled reports whether what was chosen already satisfies a decision.
func (st *State) settled(d Decision) bool {
	p := st.p
	switch d.Kind {
	case DecideInstalled:
		return st.Has(p.Universe.Inst[d.Of])
	case DecideSubscription:
		for range st.MetBy(&p.Demands.List[d.Of]) {
			return true
		}
		return false
	case DecideForced:
		return slices.ContainsFunc(st.Chosen, func(n problem.NodeID) bool { return p.Universe.Means(p.Demands.Forced[d.Of], n) })
	default:
		return st.satisfied(d.Goal, d.From)
	}
}

// MetBy goes through the chosen candidates of a subscription, each with the channel
// that offers it, nil for the installed bundle: one at most, unless its candidates
// are of several packages.
func (st *State) MetBy(s *problem.Demand) iter.Seq2[problem.NodeID, *graph.Channel] {
	return func(yield func(problem.NodeID, *graph.Channel) bool) {
		for _, pkg := range s.Pkgs {
			n := slot(st.byPkg, pkg)
			if n == problem.NoNode || !st.Has(n) {
				continue
			}
			if ch, ok := s.Offers(st.u, n); ok && !yield(n, ch) {
				return
			}
		}
		for _, n := range st.Beside {
			if ch, ok := s.Offers(st.u, n); ok && slot(st.byPkg, st.u.Nodes[n].Pkg) != n && !yield(n, ch) {
				return
			}
		}
	}
}

// decide chooses the first option of a decision, beginning at the from-th, that
// is not refuted, and notes those that are.
func (st *State) decide(at, from int) bool {
	st.tell(takenUp, at, 0, Option{})
	opts := st.OptionsOf(st.Queue[at])
	passed := len(st.Passed)
	for i := from; ; i++ {
		o, ok := opts.At(i)
		impossible := ok && st.look(st.Queue[at], i, o)
		if !ok || st.conflict != nil {
			st.Passed = st.Passed[:passed]
			st.tell(ended, at, 0, Option{})
			return false
		}
		if impossible {
			st.tell(refused, at, i, o)
			st.pass(o)
			continue
		}
		st.tell(chosen, at, i, o)
		st.choose(at, i, o)
		return true
	}
}

// pass notes an option that the coming choice is made instead of.
func (st *State) pass(o Option) {
	if o.Node != problem.NoNode {
		st.Passed = append(st.Passed, PassedOver{Choice: len(st.Trail), Node: o.Node})
	}
}
