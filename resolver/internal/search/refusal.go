package search

import "github.com/seed109e2655/resolute/resolver/internal/problem"

// Refusal is what refutes an option.
type Refusal struct {
	Reason RefusedBy
	By     problem.NodeID // the chosen bundle in the way, NoNode if it is not one
	// Goal is what cannot hold, or what is prohibited; nil for other reasons.
	Goal *problem.Goal
	// Requirement is the whole requirement of the bundle that Goal is, if it is one.
	Requirement *problem.Requirement
	GVK         int32 // the API that both provide
}

// RefusedBy says which kind of rule refutes an option.
type RefusedBy uint8

// The rules.
const (
	refusedUnknown       RefusedBy = iota
	RefusedByBan                   // it can never be newly chosen
	RefusedByPackage               // the place in its package is taken
	RefusedByGVK                   // an API of its has a provider
	RefusedByGroup                 // a subscription has chosen another of its candidates
	RefusedByProhibition           // something holds that is prohibited
	RefusedByGoal                  // something that comes with it cannot hold
	RefusedByNogood                // it was found not to go together with what is chosen
)

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
		return Refusal{Reason: RefusedByProhibition, By: problem.NoNode, Goal: g.Kids[0]}
	}
	return Refusal{Reason: RefusedByGoal, By: problem.NoNode, Goal: g, Requirement: whole}
}
