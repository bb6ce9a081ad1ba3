package resolver

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// refused describes an option that the search has refused just now, and why.
func (w watcher) refused(st *search.State, at, i int, o search.Option) Candidate {
	c := w.p.candidateOf(i, o)
	why := st.Refusal(st.Queue[at], o)
	if why.By != problem.NoNode {
		c.By = w.p.refOf(why.By)
	}
	switch why.Reason {
	case search.RefusedByBan:
		c.Reason = rejectedByBan[w.p.Nodes[o.Node].Ban]
	case search.RefusedByPackage:
		pkg := w.p.Nodes[o.Node].Bundle.Package
		c.Reason, c.Subject = argument.RejectedByPackage, func() string { return pkg }
	case search.RefusedByGVK:
		c.Reason, c.Subject = argument.RejectedByGVK, func() string { return w.p.GVKOf(why.GVK).String() }
	case search.RefusedByGroup:
		c.Reason = argument.RejectedBySubscription
	case search.RefusedByNogood:
		c.Reason = argument.RejectedByDeadEnd
	case search.RefusedByProhibition:
		c.Reason, c.Subject = argument.RejectedByProhibition, func() string { return wordsOfGoal(why.Goal) }
	case search.RefusedByGoal:
		c.Reason, c.Subject = argument.RejectedByConstraint, func() string { return wordsOfGoal(why.Goal) }
		if why.Requirement != nil {
			c.Subject = why.Requirement.Constraint.String
		}
	}
	return c
}

// rejectedByBan is the code of each ban.
var rejectedByBan = [...]argument.Rejection{problem.BanForbidden: argument.RejectedForbidden, problem.BanDeprecated: argument.RejectedDeprecated,
	problem.BanIncompatible: argument.RejectedIncompatible, problem.BanQuarantined: argument.RejectedQuarantined}

// wordsOfGoal says a goal as constraints say themselves.
func wordsOfGoal(g *problem.Goal) string {
	switch g.Kind {
	case problem.GoalAtom:
		return wordsOfAtom(g.Atom)
	case problem.GoalAll:
		return "all of (" + wordsOfGoals(g.Kids) + ")"
	case problem.GoalAny:
		return "any of (" + wordsOfGoals(g.Kids) + ")"
	case problem.GoalBan:
		return "none of (" + wordsOfGoals(g.Kids) + ")"
	case problem.GoalTrue:
		return "nothing"
	default:
		return "what cannot be"
	}
}

func wordsOfGoals(gs []*problem.Goal) string {
	words := make([]string, len(gs))
	for i, g := range gs {
		words[i] = wordsOfGoal(g)
	}
	return strings.Join(words, "; ")
}

func wordsOfAtom(a *problem.Atom) string {
	switch a.Kind {
	case problem.AtomGVK:
		return "an operator that provides " + text.Inert(a.API.String())
	case problem.AtomPackage:
		return "package " + text.Inert(a.Want.Name) + " in range " + text.Inert(a.Want.Range.String())
	default:
		return a.Tests.Constraint.String()
	}
}
