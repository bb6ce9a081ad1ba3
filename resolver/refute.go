package resolver

import "slices"

// shortLook is how many levels of requirements a quick refutation follows. What is
// hopeless further down comes to light when the decisions get there, see backjump.go.
const shortLook = 1

// lookWork is how many candidates a quick refutation looks at altogether.
const lookWork = 256

// refuted reports that an option plainly cannot be added to what is chosen. True
// is a proof; false means only that no short one was found. Where state.proof is
// set, a proof names the choices that it rests on.
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
	if st.clashes(n) || st.forewarned(n) {
		return true
	}
	st.mark(n, supposed)
	defer st.unmark(n)
	if st.banned() {
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
	if nd.ban != banNone {
		return true
	}
	if by := slot(st.byPkg, nd.pkg); by != noNode {
		st.proof.node(by)
		return true
	}
	for _, g := range nd.gvks {
		if by := slot(st.byGVK, g); by != noNode {
			st.proof.node(by)
			return true
		}
	}
	for _, g := range nd.exclusive {
		if by := st.byGrp[g]; by != noNode {
			st.proof.node(by)
			return true
		}
	}
	return false
}

// banned reports whether something holds that a prohibition in force excludes.
func (st *state) banned() bool {
	for i, b := range st.bans {
		if st.satisfied(b.kids[0]) {
			st.proof.ban(i)
			st.proof.holds(b.kids[0])
			return true
		}
	}
	return false
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
		before := st.proof.size()
		for _, k := range g.kids {
			if !refuted(k) {
				st.proof.drop(before)
				return false
			}
		}
		return true
	case goalBan:
		if !st.satisfied(g.kids[0]) {
			return false
		}
		st.proof.holds(g.kids[0])
		return true
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
	before := st.proof.size()
	for i := 0; ; i++ {
		c, ok := p.at(l, i)
		if !ok {
			return p.err == nil
		}
		if *work--; *work < 0 || !st.refutedNode(c, nil, depth-1, work) {
			st.proof.drop(before)
			return false
		}
	}
}
