package watch

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// refused describes an option that the search has refused just now, and why.
func (w *follower) refused(st *search.State, at, i int, o search.Option) trace.Candidate {
	c := trace.Candidate{Index: i, Ref: w.option(o)}
	why := st.Refusal(st.Queue[at], o)
	if why.By != problem.NoNode {
		c.By = w.ref(why.By)
	}
	switch c.Verdict = argument.Rejection(why.Reason); why.Reason {
	case "":
		if o.Node != problem.NoNode {
			c.Verdict = rejectedByBan[w.p.Nodes[o.Node].Ban]
		}
	case lexicon.RejectedByPackage:
		c.Subject = w.p.Nodes[o.Node].Bundle.Package
	case lexicon.RejectedByGVK:
		c.Subject = w.p.GVKOf(why.GVK).String()
	case lexicon.RejectedByProhibition:
		c.Subject = w.goal(why.Goal)
	case lexicon.RejectedByConstraint:
		if why.Requirement != nil {
			c.Subject = w.requirement(why.Requirement)
		} else {
			c.Subject = w.goal(why.Goal)
		}
	}
	return c
}

// rejectedByBan is the code of each ban.
var rejectedByBan = [...]argument.Rejection{problem.BanForbidden: lexicon.RejectedForbidden, problem.BanDeprecated: lexicon.RejectedDeprecated,
	problem.BanIncompatible: lexicon.RejectedIncompatible, problem.BanQuarantined: lexicon.RejectedQuarantined}

// maxWords is how many bytes of a constraint are recorded: one may have 64 KiB, and be
// decided a thousand times.
const maxWords = 4000

// requirement is a declared constraint in words.
func (w *follower) requirement(r *problem.Requirement) string {
	return w.say(r, r.Constraint.String)
}

// goal is a goal in words.
func (w *follower) goal(g *problem.Goal) string {
	return w.say(g, func() string { return goalWords(g) })
}

// say remembers what something is in words.
func (w *follower) say(what any, words func() string) string {
	said, ok := w.said[what]
	if !ok {
		said = text.Clip(words(), maxWords)
		w.said[what] = said
	}
	return said
}

// goalWords says a goal as constraints say themselves.
func goalWords(g *problem.Goal) string {
	switch g.Kind {
	case problem.GoalAtom:
		return g.Atom.Constraint.String()
	case problem.GoalAll:
		return "all of (" + goalsWords(g.Kids) + ")"
	case problem.GoalAny:
		return "any of (" + goalsWords(g.Kids) + ")"
	case problem.GoalBan:
		return "none of (" + goalsWords(g.Kids) + ")"
	case problem.GoalTrue:
		return "nothing"
	default:
		return "what cannot be"
	}
}

func goalsWords(gs []*problem.Goal) string {
	words := text.Each(gs, goalWords)
	return strings.Join(words, "; ")
}
