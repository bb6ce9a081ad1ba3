package search

import (
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Refusal is what refutes an option.
type Refusal struct {
	// Reason is a code of package lexicon: RejectedByPackage, RejectedByGVK,
	// RejectedBySubscription, RejectedByProhibition, RejectedByConstraint (something that
	// comes with it cannot hold) or RejectedByDeadEnd (it was found not to go together with
	// what is chosen); empty for what can never be newly chosen.
	Reason string
	By     problem.NodeID // the chosen bundle in the way, NoNode if it is not one
	// Goal is what cannot hold, or what is prohibited; nil for other reasons.
	Goal *problem.Goal
	// Requirement is the whole requirement of the bundle that Goal is, if it is one.
	Requirement *problem.Requirement
	GVK         int32 // the API that both provide
}

// Refusal finds out what refutes an option that the search has refused just now. It
// takes the same steps, so that it reaches and evaluates nothing that is not known
// already.
func (st *State) Refusal(d Decision, o Option) Refusal {
	why := Refusal{By: problem.NoNode}
	st.refusal = &why
	if !st.refuted(d, o) {
		why = Refusal{By: problem.NoNode}
	}
	st.refusal = nil
	return why
}

// refuse notes why what is looked at is refused, if somebody wants to know: the option
// itself comes last.
func (st *State) refuse(why Refusal) bool {
	if st.refusal != nil {
		*st.refusal = why
	}
	return true
}

// refusedFor is the refusal by a goal that comes with an option: something that it
// prohibits is chosen, or something that it needs cannot be. It may be the goal of a
// requirement.
func refusedFor(g *problem.Goal, whole *problem.Requirement) Refusal {
	if g.Kind == problem.GoalBan {
		return Refusal{Reason: lexicon.RejectedByProhibition, By: problem.NoNode, Goal: g.Kids[0]}
	}
	return Refusal{Reason: lexicon.RejectedByConstraint, By: problem.NoNode, Goal: g, Requirement: whole}
}
