package resolver

import "slices"

// How many levels of requirements a quick refutation follows. The short look is
// what nearly every request needs; the long one finds what is hopeless further
// down, before a solver has to.
const (
	shortLook = 1
	longLook  = 4
)

// lookWork is how many candidates a quick refutation looks at altogether.
const lookWork = 256

// refuted reports that an option plainly cannot be added to what is chosen. True
// is a proof; false means only that no short one was found.
func (st *state) refuted(o option) bool {
	work := lookWork
	if o.node == noNode || st.has(o.node) {
		return slices.ContainsFunc(o.commits, func(g *goal) bool {
			return st.refutedGoal(g, noCatalog, st.look, &work)
		})
	}
	return st.refutedNode(o.node, o.commits, st.look, &work)
}

// refutedNode looks for a proof that a node cannot be added, its requirements and
// the extra goals included.
func (st *state) refutedNode(n nodeID, extra []*goal, depth int, work *int) bool {
	if st.clashes(n) {
		return true
	}
	st.mark(n)
	defer st.unmark(n)
	if slices.ContainsFunc(st.bans, func(b *goal) bool { return st.satisfied(b.kids[0]) }) {
		return true
	}
	if depth == 0 {
		return false
	}
	own := st.p.nodes[n].cat
	for _, r := range st.p.requirements(n) {
		if st.refutedGoal(r.goal, own, depth, work) {
			return true
		}
	}
	return slices.ContainsFunc(extra, func(g *goal) bool { return st.refutedGoal(g, own, depth, work) })
}

// clashes reports whether a node can never be chosen, or takes a place that is
// taken.
func (st *state) clashes(n nodeID) bool {
	nd := &st.p.nodes[n]
	if nd.ban != banNone || slot(st.byPkg, nd.pkg) != noNode {
		return true
	}
	return slices.ContainsFunc(nd.gvks, func(g int32) bool { return slot(st.byGVK, g) != noNode }) ||
		slices.ContainsFunc(nd.exclusive, func(g int32) bool { return st.byGrp[g] != noNode })
}

// refutedGoal looks for a proof that a goal of a bundle of the own catalog cannot
// hold.
func (st *state) refutedGoal(g *goal, own int32, depth int, work *int) bool {
	refuted := func(k *goal) bool { return st.refutedGoal(k, own, depth, work) }
	switch g.kind {
	case goalFalse:
		return true
	case goalAll:
		return slices.ContainsFunc(g.kids, refuted)
	case goalAny:
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !refuted(k) })
	case goalBan:
		return st.satisfied(g.kids[0])
	case goalAtom:
		return st.refutedAtom(g.atom, own, depth, work)
	default:
		return false
	}
}

// refutedAtom looks for a proof that no bundle can match an atom.
func (st *state) refutedAtom(a *atom, own int32, depth int, work *int) bool {
	p := st.p
	if st.matched(a) {
		return false
	}
	l := p.candidatesOf(a, own)
	for i := 0; ; i++ {
		c, ok := p.at(l, i)
		if !ok {
			return p.err == nil
		}
		if *work--; *work < 0 || !st.refutedNode(c, nil, depth-1, work) {
			return false
		}
	}
}
