package search

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// shortLook is how many levels of requirements a quick refutation follows. What is
// hopeless further down comes to light when the decisions get there, see backjump.go.
const shortLook = 1

// lookWork is how many candidates a quick refutation looks at altogether.
const lookWork = 256

// refuted reports that an option plainly cannot be added to what is chosen. True
// is a proof; false means only that no short one was found. Where State.proof is
// set, a proof names the choices that it rests on.
func (st *State) refuted(d Decision, o Option) bool {
	work := lookWork
	if o.Node == problem.NoNode || st.Has(o.Node) {
		return st.refutedAny(o.Commits, d.From, st.Look, &work)
	}
	return st.refutedNode(o.Node, o.Commits, d.From, st.Look, &work)
}

// refutedNode looks for a proof that a node cannot be added, its requirements and
// the extra goals of another bundle included.
func (st *State) refutedNode(n problem.NodeID, extra []*problem.Goal, from problem.NodeID, depth int, work *int) bool {
	if st.clashes(n) {
		return true
	}
	if st.violatesNogood(n) {
		return st.refuse(lexicon.RejectedByDeadEnd, problem.NoNode, nil)
	}
	st.mark(n, supposed)
	defer st.unmark(n)
	if st.banned() {
		return true
	}
	if depth == 0 {
		return false
	}
	reqs := st.p.Requirements(n)
	for i := range reqs {
		if st.refutedGoal(reqs[i].Goal, n, depth, work) {
			return st.refuseFor(reqs[i].Goal, &reqs[i])
		}
	}
	return st.refutedAny(extra, from, depth, work)
}

// refutedAny looks for a proof that one of several goals that come with an option cannot
// hold.
func (st *State) refutedAny(goals []*problem.Goal, from problem.NodeID, depth int, work *int) bool {
	for _, g := range goals {
		if st.refutedGoal(g, from, depth, work) {
			return st.refuseFor(g, g)
		}
	}
	return false
}

// clashes reports whether a node can never be chosen, or takes a place that is taken.
func (st *State) clashes(n problem.NodeID) bool {
	nd := &st.p.Nodes[n]
	taken := func(why string, by problem.NodeID) bool {
		if by == problem.NoNode {
			return false
		}
		st.proof.node(by)
		return st.refuse(why, by, nil)
	}
	if st.p.Barred(n) {
		return st.refuse("", problem.NoNode, nil)
	}
	if taken(lexicon.RejectedByPackage, st.rival(slot(st.byPkg, nd.Pkg), n, func(m *problem.Node) bool { return m.Pkg == nd.Pkg })) {
		return true
	}
	for _, g := range nd.GVKs {
		if taken(lexicon.RejectedByGVK, st.rival(slot(st.byGVK, g), n, func(m *problem.Node) bool { return slices.Contains(m.GVKs, g) })) {
			return true
		}
	}
	for _, g := range nd.Exclusive {
		if st.p.InForce(g) && taken(lexicon.RejectedBySubscription, st.byGrp[g]) {
			return true
		}
	}
	return false
}

// rival returns a chosen bundle in a place that a node cannot share with it, NoNode
// if there is none: the one that has the place, or one that stands beside it.
func (st *State) rival(has, n problem.NodeID, inPlace func(*problem.Node) bool) problem.NodeID {
	if has == problem.NoNode || !st.p.Excused(has, n) {
		return has
	}
	for _, m := range st.Beside {
		if m != has && inPlace(&st.p.Nodes[m]) && !st.p.Excused(m, n) {
			return m
		}
	}
	return problem.NoNode
}

// banned reports whether something holds that a prohibition in force excludes.
func (st *State) banned() bool {
	for i, b := range st.bans {
		if st.violated(b.goal.Kids[0], b.from) {
			st.proof.ban(i)
			return st.refuse(lexicon.RejectedByProhibition, b.from, b.goal.Kids[0])
		}
	}
	return false
}

// refutedGoal looks for a proof that a goal of a bundle cannot hold.
func (st *State) refutedGoal(g *problem.Goal, from problem.NodeID, depth int, work *int) bool {
	match := func(a *problem.Atom) bool { return !st.refutedAtom(a, from, depth, work) }
	kept := func(ban *problem.Goal) bool { return !st.violated(ban.Kids[0], from) }
	return !g.HoldsFor(problem.Why{Reasons: st.proof, Fails: true}, match, kept)
}

// refutedAtom looks for a proof that no bundle can match an atom.
func (st *State) refutedAtom(a *problem.Atom, from problem.NodeID, depth int, work *int) bool {
	p := st.p
	if st.Match(a) != problem.NoNode {
		return false
	}
	own := problem.NoCatalog
	if from != problem.NoNode {
		own = p.Nodes[from].Cat
	}
	l := p.CandidatesOf(a, own)
	before := st.proof.Size()
	for i := 0; ; i++ {
		c, ok := p.At(l, i)
		if !ok {
			return !p.Stopped()
		}
		if *work--; *work < 0 || !st.refutedNode(c, nil, problem.NoNode, depth-1, work) {
			st.proof.Drop(before)
			return false
		}
	}
}
