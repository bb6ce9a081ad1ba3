package resolver

import "errors"

// errDisagree says that the solver and the decisions disagree about a problem.
var errDisagree = errors.New("internal error: the decisions and the solver disagree; please report the request")

// solver decides for certain what can be together.
type solver interface {
	// Possible reports whether there is a solution at all.
	Possible() bool
	// FirstFailing returns the index of the first choice of a trail that cannot be
	// together with those before it. The first proven ones are known to be possible
	// and made final, and the whole trail is known not to be possible.
	FirstFailing(trail []choice, proven int) int
	// Commit makes choices final.
	Commit(choices []choice)
}

// decideAll takes all decisions without a solver, as far as that leads. The result is
// complete only if the outcome is.
func decideAll(p *problem, opts searchOptions) (*state, outcome) {
	st := newState(p, opts)
	st.seeStart()
	return st, st.explore(st.run(0), 0)
}

// finish finds the best result set (section 6) where the decisions have come to a dead
// end. It is asked for a solver once, for the whole of the problem. It reports whether
// there is a result set; if there is none, the work may have been stopped.
func (st *state) finish(out outcome, ask func() solver) bool {
	if out != deadEnd {
		return out == complete && !st.p.stopped()
	}
	s := ask()
	if !s.Possible() {
		return false
	}
	proven := 0
	for out == deadEnd {
		if len(st.trail) <= proven {
			st.p.fail(errDisagree)
			return false
		}
		fails := s.FirstFailing(st.trail, proven)
		if st.p.stopped() {
			return false
		}
		bad := st.trail[fails]
		s.Commit(st.trail[proven:fails])
		proven = fails
		st.seeBack(fails, true)
		st.back(fails)
		st.pass(bad.opt)
		out = st.explore(st.run(bad.option+1), proven)
	}
	return out == complete && !st.p.stopped()
}
