package search

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// failure is an option that was found impossible together with some choices before
// its decision.
type failure struct {
	decision, option int
	because          []int32 // numbers of choices, ascending
}

// explore takes decisions until all are satisfied, or until there is no solution,
// or too many dead ends
// have led no deeper. At a dead end it finds out which choices led there; together
// they are impossible. So the last of them was wrong, given the others, and the
// next option takes its place: what is skipped on the way back had no part in it.
// That is a proof for each option that is refused, as section 6 wants it, and the
// work is that of the decisions, where a solver would have to know everything in
// reach first.
//
// The first choices of the trail may be known to be possible.
func (st *State) explore(out Outcome, proven int) Outcome {
	var b proof
	var failures []failure
	for ; out == deadEnd && st.deadEnds < st.most; st.deadEnds++ {
		if len(st.Trail) > st.deepest.decided {
			st.deepest, st.deadEnds = depth{len(st.Trail), len(st.Queue) - st.head}, 0
		}
		b.start(st)
		ok := st.proveDeadEnd(failures)
		st.proof = nil
		if !ok {
			break
		}
		slices.Sort(b.list)
		if len(b.list) == 0 {
			return hopeless
		}
		last := len(b.list) - 1
		bad := int(b.list[last])
		if bad < proven {
			break // cannot be: the solver found these choices possible
		}
		st.learn(b.list)
		c := st.Trail[bad]
		for n := len(failures); n > 0 && failures[n-1].decision > c.Decision; n-- {
			failures = failures[:n-1]
		}
		failures = append(failures, failure{c.Decision, c.Option, slices.Clone(b.list[:last])})
		st.back(bad, lexicon.RejectedByDeadEnd)
		st.pass(c.Picked)
		out = st.run(c.Option + 1)
	}
	return out
}

// proveDeadEnd collects the choices for which the next decision has no option: those
// that refute one of its options, and the one that brought it up. It reports false
// if an option that was refused is not refuted for itself.
func (st *State) proveDeadEnd(failures []failure) bool {
	opts := OptionsOf(st.p, st.Queue[st.head])
	for i := 0; ; i++ {
		o, more := opts.At(i)
		if st.p.Tick() || !more {
			break
		}
		if f := failedOption(failures, st.head, i); f != nil {
			for _, k := range f.because {
				st.proof.choice(k)
			}
		} else if !st.refuted(st.Queue[st.head], o) {
			return false
		}
	}
	st.proof.decision(st.head)
	return !st.p.Stopped()
}

// failedOption finds out whether an option of a decision is among failures, which
// are by decision, the latest last.
func failedOption(failures []failure, decision, option int) *failure {
	for i := len(failures) - 1; i >= 0 && failures[i].decision == decision; i-- {
		if failures[i].option == option {
			return &failures[i]
		}
	}
	return nil
}

// The largest set that is worth remembering, and how many each bundle may be in.
const (
	nogoodSize  = 4
	nogoodsEach = 32
)

// learn remembers that choices are impossible together, if they are few and of
// bundles alone. It saves finding the same out again elsewhere.
func (st *State) learn(together []int32) {
	if len(together) > nogoodSize {
		return
	}
	nodes := make([]problem.NodeID, len(together))
	for i, k := range together {
		c := &st.Trail[k]
		if len(c.Picked.Commits) > 0 || c.Picked.Node == problem.NoNode {
			return
		}
		nodes[i] = c.Picked.Node
	}
	if st.nogoods == nil {
		st.nogoods = make(map[problem.NodeID][][]problem.NodeID)
	}
	for i, n := range nodes {
		if len(st.nogoods[n]) < nogoodsEach {
			st.nogoods[n] = append(st.nogoods[n], slices.Delete(slices.Clone(nodes), i, i+1))
		}
	}
}

// violatesNogood reports whether a node was found not to go together with nodes that
// are chosen.
func (st *State) violatesNogood(n problem.NodeID) bool {
	for _, others := range st.nogoods[n] {
		if !slices.ContainsFunc(others, func(m problem.NodeID) bool { return !st.Has(m) }) {
			for _, m := range others {
				st.proof.node(m)
			}
			return true
		}
	}
	return false
}
