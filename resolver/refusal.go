package resolver

// refusal is what refutes an option.
type refusal struct {
	Reason refusedBy
	By     nodeID // the chosen bundle in the way, noNode if it is not one
	// Goal is what cannot hold, or what is prohibited; nil for other reasons.
	Goal *goal
	// Requirement is the whole requirement of the bundle that Goal is, if it is one.
	Requirement *requirement
	GVK         int32 // the API that both provide
}

// refusedBy says which kind of rule refutes an option.
type refusedBy uint8

// The rules.
const (
	refusedUnknown       refusedBy = iota
	refusedByBan                   // it can never be newly chosen
	refusedByPackage               // the place in its package is taken
	refusedByGVK                   // an API of its has a provider
	refusedByGroup                 // a subscription has chosen another of its candidates
	refusedByProhibition           // something holds that is prohibited
	refusedByGoal                  // something that comes with it cannot hold
	refusedByNogood                // it was found not to go together with what is chosen
)

// Refusal finds out what refutes an option that the search has refused just now. It
// takes the same steps in the same order, so that it reaches and evaluates nothing
// that is not known already.
func (st *state) Refusal(d decision, o option) refusal {
	work := lookWork
	if o.node == noNode || st.has(o.node) {
		for _, g := range o.commits {
			if st.refutedGoal(g, d.from, st.look, &work) {
				return refusalOf(g, nil)
			}
		}
		return refusal{By: noNode}
	}
	if why, by, gvk := st.clash(o.node); why != refusedUnknown {
		return refusal{Reason: why, By: by, GVK: gvk}
	}
	if st.violatesNogood(o.node) {
		return refusal{Reason: refusedByNogood, By: noNode}
	}
	st.mark(o.node, supposed)
	defer st.unmark(o.node)
	for _, b := range st.bans {
		if st.violated(b.goal.kids[0], b.from) {
			return refusal{Reason: refusedByProhibition, By: b.from, Goal: b.goal.kids[0]}
		}
	}
	for _, r := range st.p.requirements(o.node) {
		if st.refutedGoal(r.goal, o.node, st.look, &work) {
			return refusalOf(r.goal, &r)
		}
	}
	for _, g := range o.commits {
		if st.refutedGoal(g, d.from, st.look, &work) {
			return refusalOf(g, nil)
		}
	}
	return refusal{By: noNode}
}

// refusalOf is the refusal by a goal that comes with an option: something that it
// prohibits is chosen, or something that it needs cannot be.
func refusalOf(g *goal, whole *requirement) refusal {
	if g.kind == goalBan {
		return refusal{Reason: refusedByProhibition, By: noNode, Goal: g.kids[0]}
	}
	return refusal{Reason: refusedByGoal, By: noNode, Goal: g, Requirement: whole}
}
