// Package search is the second stage of a resolution: it takes the decisions of
// section 6 of the semantics, one after the other, each for the best candidate that is
// not false.
//
// A [State] is what has been chosen so far, and the literals that follow from it. Clauses are
// generated where a look finds an option impossible (look.go), propagate by watched literals
// (clause.go), and are learned from conflicts by first-UIP analysis (conflict.go). The order of
// decisions is fixed, and what is true by propagation is not chosen. A search that gets nowhere
// asks a [Solver], which the stages behind this one provide. ALGORITHM.md says why each step is
// right.
package search

import (
	"errors"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// ErrDisagree says that the solver and the decisions disagree about a problem.
var ErrDisagree = errors.New("internal error: the decisions and the solver disagree; please report the request")

// Solver decides for certain what can be together.
type Solver interface {
	// Possible reports whether there is a solution at all.
	Possible() bool
	// FirstFailing returns the index of the first choice of a trail that cannot be
	// together with those before it. The first proven ones are known to be possible
	// and made final, and the whole trail is known not to be possible.
	FirstFailing(trail []Choice, proven int) int
	// Commit makes choices final.
	Commit(choices []Choice)
}

// DecideAll takes all decisions without a solver, as far as that leads. The result is
// complete only if the outcome is.
func DecideAll(p *problem.Problem, opts Settings) (*State, Outcome) {
	st := newState(p, opts)
	st.tell(began, 0, 0, Option{})
	return st, st.resolve(0, 0)
}

// Finish finds the best result set (section 6) where the decisions have come to a dead
// end. It is asked for a solver once, for the whole of the problem; nil says that there is
// no solution, which takes none. It reports whether there is a result set; if there is
// none, the work may have been stopped.
func (st *State) Finish(out Outcome, ask func() Solver) bool {
	if out != deadEnd {
		return out == Complete && !st.p.Budget.Stopped()
	}
	s := ask()
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
		st.pass(bad.Picked)
		out = st.refute(option, bad.Option+1, proven)
	}
	return out == Complete && !st.p.Budget.Stopped()
}
