package search

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Outcome is the result of a run of decisions.
type Outcome uint8

const (
	Complete Outcome = iota // every decision is satisfied
	deadEnd                 // all options of a decision are false
	hopeless                // a conflict at the root level: there is no solution
	aborted                 // the budget is exhausted
)

// run takes decisions until all are satisfied, each time selecting the first option that a look
// does not reject. The first decision starts with the option at index from. A rejected option is
// proven impossible. A selected option is proven only once the run is complete, or by the solver:
// the result of a complete run satisfies the whole problem, so every choice was the first possible
// one. At a dead end run returns a violated clause.
func (st *State) run(from int) (Outcome, *clause) {
	for ; st.head < len(st.Queue); st.head++ {
		if st.step() {
			return aborted, nil
		}
		if from == 0 && st.settled(st.Queue[st.head]) {
			st.emit(decisionSatisfied, st.head, 0, Option{})
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

// decisionClause adds and returns the clause of a decision whose options are all false: its cause is
// false, or one of its options is true.
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

// settled reports whether the selected bundles already satisfy a decision.
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

// MetBy yields the selected candidates of a demand, each with the channel that offers it, nil for
// the installed bundle. There is at most one, unless the candidates are of several packages.
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
		for _, n := range st.Coexisting {
			if ch, ok := s.Offers(st.u, n); ok && slot(st.byPkg, st.u.Nodes[n].Pkg) != n && !yield(n, ch) {
				return
			}
		}
	}
}

// decide selects the first option of a decision, from the given index on, that a look does not
// reject, and records the rejected ones.
func (st *State) decide(at, from int) bool {
	st.emit(decisionStarted, at, 0, Option{})
	opts := st.OptionsOf(st.Queue[at])
	rejected := len(st.Rejected)
	for i := from; ; i++ {
		o, ok := opts.At(i)
		impossible := ok && st.look(st.Queue[at], i, o)
		if !ok || st.conflict != nil {
			st.Rejected = st.Rejected[:rejected]
			st.emit(decisionFailed, at, 0, Option{})
			return false
		}
		if impossible {
			st.emit(optionRejected, at, i, o)
			st.addRejected(o)
			continue
		}
		st.emit(optionSelected, at, i, o)
		st.choose(at, i, o)
		return true
	}
}

// addRejected records an option that was rejected before the next choice.
func (st *State) addRejected(o Option) {
	if o.Node != problem.NoNode {
		st.Rejected = append(st.Rejected, RejectedOption{Choice: len(st.Trail), Node: o.Node})
	}
}
