package search

import (
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

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
// takes the same steps in the same order, so that it reaches and evaluates nothing
// that is not known already.
func (st *State) Refusal(d Decision, o Option) Refusal {
	work := lookWork
	if o.Node == problem.NoNode || st.Has(o.Node) {
		for _, g := range o.Commits {
			if st.refutedGoal(g, d.From, st.Look, &work) {
				return refusalOf(g, nil)
			}
		}
		return Refusal{By: problem.NoNode}
	}
	if why, by, gvk := st.clash(o.Node); why != refusedUnknown {
		return Refusal{Reason: why, By: by, GVK: gvk}
	}
	if st.violatesNogood(o.Node) {
		return Refusal{Reason: RefusedByNogood, By: problem.NoNode}
	}
	st.mark(o.Node, supposed)
	defer st.unmark(o.Node)
	for _, b := range st.bans {
		if st.Violated(b.goal.Kids[0], b.from) {
			return Refusal{Reason: RefusedByProhibition, By: b.from, Goal: b.goal.Kids[0]}
		}
	}
	for _, r := range st.p.Requirements(o.Node) {
		if st.refutedGoal(r.Goal, o.Node, st.Look, &work) {
			return refusalOf(r.Goal, &r)
		}
	}
	for _, g := range o.Commits {
		if st.refutedGoal(g, d.From, st.Look, &work) {
			return refusalOf(g, nil)
		}
	}
	return Refusal{By: problem.NoNode}
}

// refusalOf is the refusal by a goal that comes with an option: something that it
// prohibits is chosen, or something that it needs cannot be.
func refusalOf(g *problem.Goal, whole *problem.Requirement) Refusal {
	if g.Kind == problem.GoalBan {
		return Refusal{Reason: RefusedByProhibition, By: problem.NoNode, Goal: g.Kids[0]}
	}
	return Refusal{Reason: RefusedByGoal, By: problem.NoNode, Goal: g, Requirement: whole}
}
