package resolver

import (
	"strings"

	"github.com/seed109e2655/resolute/properties"
)

// whyRefuted finds out what refutes an option that refuted has refused just now.
// It takes the same steps in the same order, so that it reaches and evaluates
// nothing that is not known already.
func (st *state) whyRefuted(d decision, i int, o option) Candidate {
	c := st.p.candidateOf(i, o)
	work := lookWork
	if o.node == noNode || st.has(o.node) {
		for _, g := range o.commits {
			if st.refutedGoal(g, d.from, st.look, &work) {
				st.blame(&c, g)
				break
			}
		}
		return c
	}
	switch {
	case st.whyClash(o.node, &c):
	case st.clashes(o.node): // what clashes must not be tried: its place is another's
	case st.forewarned(o.node):
		c.Reason = RejectedByDeadEnd
	case st.whyBanned(o.node, &c):
	default:
		st.whyHopeless(d, o, &c, &work)
	}
	return c
}

// whyClash: the node can never be chosen, or its place is taken.
func (st *state) whyClash(n nodeID, c *Candidate) bool {
	p, nd := st.p, &st.p.nodes[n]
	switch nd.ban {
	case banForbidden:
		c.Reason = RejectedForbidden
		return true
	case banDeprecated:
		c.Reason = RejectedDeprecated
		return true
	case banIncompatible:
		c.Reason = RejectedIncompatible
		return true
	case banQuarantined:
		c.Reason = RejectedQuarantined
		return true
	}
	if by := st.rivalOfPackage(n); by != noNode {
		pkg := nd.bundle.Package
		c.Reason, c.By, c.Subject = RejectedByPackage, p.refOf(by), func() string { return pkg }
		return true
	}
	for _, g := range nd.gvks {
		if by := st.rivalOfGVK(n, g); by != noNode {
			c.Reason, c.By, c.Subject = RejectedByGVK, p.refOf(by), func() string { return p.gvkOf(g).String() }
			return true
		}
	}
	for _, g := range nd.exclusive {
		if by := st.byGrp[g]; by != noNode && st.p.inForce(g) {
			c.Reason, c.By = RejectedBySubscription, p.refOf(by)
			return true
		}
	}
	return false
}

// whyBanned: with the node, something would hold that a chosen bundle, or the node
// itself, prohibits.
func (st *state) whyBanned(n nodeID, c *Candidate) bool {
	st.mark(n, supposed)
	defer st.unmark(n)
	for _, b := range st.bans {
		if st.violated(b.goal.kids[0], b.from) {
			c.Reason, c.Subject = RejectedByProhibition, func() string { return st.p.wordsOfGoal(b.goal.kids[0]) }
			c.By = st.p.refOf(b.from)
			return true
		}
	}
	return false
}

// whyHopeless: a requirement of the node cannot be met any more.
func (st *state) whyHopeless(d decision, o option, c *Candidate, work *int) {
	st.mark(o.node, supposed)
	defer st.unmark(o.node)
	for _, r := range st.p.requirements(o.node) {
		if st.refutedGoal(r.goal, o.node, st.look, work) {
			st.blame(c, r.goal)
			if c.Reason == RejectedByConstraint {
				c.Subject = r.constraint.String
			}
			return
		}
	}
	for _, g := range o.commits {
		if st.refutedGoal(g, d.from, st.look, work) {
			st.blame(c, g)
			return
		}
	}
}

// blame says that a goal which comes with a candidate cannot hold: something that it
// prohibits is chosen, or something that it needs cannot be.
func (st *state) blame(c *Candidate, g *goal) {
	if c.Reason = RejectedByConstraint; g.kind == goalBan {
		c.Reason, g = RejectedByProhibition, g.kids[0]
	}
	c.Subject = func() string { return st.p.wordsOfGoal(g) }
}

// wordsOfGoal says a goal as constraints say themselves.
func (p *problem) wordsOfGoal(g *goal) string {
	switch g.kind {
	case goalAtom:
		return p.wordsOfAtom(g.atom)
	case goalAll:
		return "all of (" + p.wordsOfGoals(g.kids) + ")"
	case goalAny:
		return "any of (" + p.wordsOfGoals(g.kids) + ")"
	case goalBan:
		return "none of (" + p.wordsOfGoals(g.kids) + ")"
	case goalTrue:
		return "nothing"
	default:
		return "what cannot be"
	}
}

func (p *problem) wordsOfGoals(gs []*goal) string {
	words := make([]string, len(gs))
	for i, g := range gs {
		words[i] = p.wordsOfGoal(g)
	}
	return strings.Join(words, "; ")
}

func (p *problem) wordsOfAtom(a *atom) string {
	switch a.kind {
	case atomGVK:
		return "an operator that provides " + clean(a.api.String())
	case atomPackage:
		return "package " + clean(a.what.Name) + " in range " + clean(a.what.Range.String())
	default:
		return a.tests.constraint.String()
	}
}

// gvkOf is the GVK of a number.
func (p *problem) gvkOf(id int32) properties.GVK {
	for g, i := range p.gvks {
		if i == id {
			return g
		}
	}
	return properties.GVK{}
}
