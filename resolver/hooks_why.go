package resolver

import "strings"

// refused describes an option that the search has refused just now, and why.
func (w watcher) refused(st *state, at, i int, o option) Candidate {
	c := w.p.candidateOf(i, o)
	why := st.Refusal(st.queue[at], o)
	if why.By != noNode {
		c.By = w.p.refOf(why.By)
	}
	switch why.Reason {
	case refusedByBan:
		c.Reason = rejectedByBan[w.p.nodes[o.node].ban]
	case refusedByPackage:
		pkg := w.p.nodes[o.node].bundle.Package
		c.Reason, c.Subject = RejectedByPackage, func() string { return pkg }
	case refusedByGVK:
		c.Reason, c.Subject = RejectedByGVK, func() string { return w.p.gvkOf(why.GVK).String() }
	case refusedByGroup:
		c.Reason = RejectedBySubscription
	case refusedByNogood:
		c.Reason = RejectedByDeadEnd
	case refusedByProhibition:
		c.Reason, c.Subject = RejectedByProhibition, func() string { return wordsOfGoal(why.Goal) }
	case refusedByGoal:
		c.Reason, c.Subject = RejectedByConstraint, func() string { return wordsOfGoal(why.Goal) }
		if why.Requirement != nil {
			c.Subject = why.Requirement.constraint.String
		}
	}
	return c
}

// rejectedByBan is the code of each ban.
var rejectedByBan = [...]Rejection{banForbidden: RejectedForbidden, banDeprecated: RejectedDeprecated,
	banIncompatible: RejectedIncompatible, banQuarantined: RejectedQuarantined}

// wordsOfGoal says a goal as constraints say themselves.
func wordsOfGoal(g *goal) string {
	switch g.kind {
	case goalAtom:
		return wordsOfAtom(g.atom)
	case goalAll:
		return "all of (" + wordsOfGoals(g.kids) + ")"
	case goalAny:
		return "any of (" + wordsOfGoals(g.kids) + ")"
	case goalBan:
		return "none of (" + wordsOfGoals(g.kids) + ")"
	case goalTrue:
		return "nothing"
	default:
		return "what cannot be"
	}
}

func wordsOfGoals(gs []*goal) string {
	words := make([]string, len(gs))
	for i, g := range gs {
		words[i] = wordsOfGoal(g)
	}
	return strings.Join(words, "; ")
}

func wordsOfAtom(a *atom) string {
	switch a.kind {
	case atomGVK:
		return "an operator that provides " + clean(a.api.String())
	case atomPackage:
		return "package " + clean(a.what.Name) + " in range " + clean(a.what.Range.String())
	default:
		return a.tests.constraint.String()
	}
}
