package resolver

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/graph"
)

// outcome is how far a run of decisions came.
type outcome uint8

const (
	complete outcome = iota // every decision is satisfied
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
func (st *state) run(from int) outcome {
	for ; st.head < len(st.queue); st.head++ {
		if st.p.tick(); st.p.stopped() {
			return aborted
		}
		if from == 0 && st.settled(st.queue[st.head]) {
			st.seeSettled(st.head)
			continue
		}
		if !st.decide(st.head, from) {
			if st.p.stopped() {
				return aborted
			}
			return deadEnd
		}
		from = 0
	}
	return complete
}

// settled reports whether what was chosen already satisfies a decision.
func (st *state) settled(d decision) bool {
	p := st.p
	switch d.kind {
	case decideInstalled:
		return st.has(p.inst[d.sub])
	case decideSubscription:
		for range st.metBy(&p.subs[d.sub]) {
			return true
		}
		return false
	case decideForced:
		return slices.ContainsFunc(st.chosen, func(n nodeID) bool { return p.isForced(d.sub, n) })
	default:
		return st.satisfied(d.goal, d.from)
	}
}

// metBy goes through the chosen candidates of a subscription, each with the channel
// that offers it, nil for the installed bundle: one at most, unless its candidates
// are of several packages.
func (st *state) metBy(s *subscription) iter.Seq2[nodeID, *graph.Channel] {
	return func(yield func(nodeID, *graph.Channel) bool) {
		for _, pkg := range s.pkgs {
			n := slot(st.byPkg, pkg)
			if n == noNode {
				continue
			}
			if ch, ok := st.p.offers(s, n); ok && !yield(n, ch) {
				return
			}
		}
		for _, n := range st.beside {
			if ch, ok := st.p.offers(s, n); ok && slot(st.byPkg, st.p.nodes[n].pkg) != n && !yield(n, ch) {
				return
			}
		}
	}
}

// decide chooses the first option of a decision, beginning at the from-th, that
// is not refuted, and notes those that are.
func (st *state) decide(at, from int) bool {
	st.seeDecide(at)
	opts := optionsOf(st.p, st.queue[at])
	passed := len(st.passed)
	for i := from; ; i++ {
		o, ok := opts.at(i)
		if !ok {
			st.passed = st.passed[:passed]
			st.seeDeadEnd(at)
			return false
		}
		if st.refuted(st.queue[at], o) {
			st.seeRefused(at, i, o)
			st.pass(o)
			continue
		}
		st.seeChoice(at, i, o)
		st.choose(at, i, o)
		return true
	}
}

// pass notes an option that the coming choice is made instead of.
func (st *state) pass(o option) {
	if o.node != noNode {
		st.passed = append(st.passed, passedOver{choice: len(st.trail), node: o.node})
	}
}
