// Package search is the second stage of a resolution. It takes the decisions of section 6 of the
// semantics in order, each for the best candidate that is not false.
//
// A [State] has the trail of choices and the literals that they imply. Clauses are generated when a
// look finds an option impossible (look.go), propagate by watched literals (clause.go), and are
// learned from conflicts by first-UIP analysis (conflict.go). The order of decisions is fixed, and
// a literal that is implied is not thereby selected. A search that makes no progress uses a
// [Solver], which the later stages provide. ALGORITHM.md proves each step.
package search

import (
	"errors"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// ErrDisagree reports that the solver and the decisions disagree about a problem.
var ErrDisagree = errors.New("internal error: the decisions and the solver disagree; please report the request")

// Solver decides which choices are satisfiable together.
type Solver interface {
	// Possible reports whether there is a solution at all.
	Possible() bool
	// FirstFailing returns the index of the first choice of a trail that is unsatisfiable together
	// with those before it. The first proven choices are known to be satisfiable and were
	// committed. The whole trail is known to be unsatisfiable.
	FirstFailing(trail []Choice, proven int) int
	// Commit makes choices final.
	Commit(choices []Choice)
}

// DecideAll takes decisions without a solver until all are satisfied or it reaches a dead end. The
// trail is a solution only if the outcome is Complete.
func DecideAll(p *problem.Problem, opts Settings) (*State, Outcome) {
	st := newState(p, opts)
	st.emit(searchStarted, 0, 0, Option{})
	return st, st.resolve(0, 0)
}

// Finish finds the best result set (section 6) after the decisions reached a dead end. It calls
// newSolver at most once, for the whole problem; a nil Solver means that there is no solution. It
// reports whether there is a result set; if not, the budget may be exhausted.
func (st *State) Finish(out Outcome, newSolver func() Solver) bool {
	if out != deadEnd {
		return out == Complete && !st.p.Budget.Stopped()
	}
	s := newSolver()
	if s == nil || !s.Possible() {
		return false
	}
	proven := 0
	for out == deadEnd {
		if len(st.Trail) <= proven {
			st.p.Budget.Fail(ErrDisagree)
			return false
		}
		fails := s.FirstFailing(st.Trail, proven)
		if st.p.Budget.Stopped() {
			return false
		}
		bad := st.Trail[fails]
		option := st.optionLiteral(st.Queue[bad.Decision], bad.Option, bad.Picked)
		s.Commit(st.Trail[proven:fails])
		proven = fails
		st.back(fails, argument.RejectedBySolver)
		st.addRejected(bad.Picked)
		out = st.refute(option, bad.Option+1, proven)
	}
	return out == Complete && !st.p.Budget.Stopped()
}
