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

// run takes decisions until all are satisfied, always the first option that is
// not plainly refuted. from is the index of the first option to look at in the
// first decision. Nothing that is refused here could have been chosen; what is
// chosen is proven only once the run is complete, or by the solver: where the run
// is complete, its result satisfies the whole problem, and with it every choice
// on the way was the first one possible.
func (st *State) run(from int) Outcome {
	for ; st.head < len(st.Queue); st.head++ {
		if st.p.Tick() {
			return aborted
		}
		if from == 0 && st.settled(st.Queue[st.head]) {
			st.tell(satisfied, st.head, 0, Option{})
			continue
		}
		if !st.decide(st.head, from) {
			if st.p.Stopped() {
				return aborted
			}
			return deadEnd
		}
		from = 0
	}
	return Complete
}

// settled reports whether what was chosen already satisfies a decision.
func (st *State) settled(d Decision) bool {
	p := st.p
	switch d.Kind {
	case DecideInstalled:
		return st.Has(p.Inst[d.Of])
	case DecideSubscription:
		for range st.MetBy(&p.Subs[d.Of]) {
			return true
		}
		return false
	case DecideForced:
		return slices.ContainsFunc(st.Chosen, func(n problem.NodeID) bool { return p.Means(p.Force[d.Of], n) })
	default:
		return st.satisfied(d.Goal, d.From)
	}
}

// MetBy goes through the chosen candidates of a subscription, each with the channel
// that offers it, nil for the installed bundle: one at most, unless its candidates
// are of several packages.
func (st *State) MetBy(s *problem.Subscription) iter.Seq2[problem.NodeID, *graph.Channel] {
	return func(yield func(problem.NodeID, *graph.Channel) bool) {
		for _, pkg := range s.Pkgs {
			n := slot(st.byPkg, pkg)
			if n == problem.NoNode {
				continue
			}
			if ch, ok := st.p.Offers(s, n); ok && !yield(n, ch) {
				return
			}
		}
		for _, n := range st.Beside {
			if ch, ok := st.p.Offers(s, n); ok && slot(st.byPkg, st.p.Nodes[n].Pkg) != n && !yield(n, ch) {
				return
			}
		}
	}
}

// decide chooses the first option of a decision, beginning at the from-th, that
// is not refuted, and notes those that are.
func (st *State) decide(at, from int) bool {
	st.tell(takenUp, at, 0, Option{})
	opts := OptionsOf(st.p, st.Queue[at])
	passed := len(st.Passed)
	for i := from; ; i++ {
		o, ok := opts.At(i)
		if !ok {
			st.Passed = st.Passed[:passed]
			st.tell(ended, at, 0, Option{})
			return false
		}
		if st.refuted(st.Queue[at], o) {
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
