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
func (st *state) refuted(d decision, o option) bool {
	work := lookWork
	if o.node == noNode || st.has(o.node) {
		return slices.ContainsFunc(o.commits, func(g *goal) bool {
			return st.refutedGoal(g, d.from, st.look, &work)
		})
	}
	return st.refutedNode(o.node, o.commits, d.from, st.look, &work)
}

// refutedNode looks for a proof that a node cannot be added, its requirements and
// the extra goals of another bundle included.
func (st *state) refutedNode(n nodeID, extra []*goal, from nodeID, depth int, work *int) bool {
	if st.clashes(n) || st.violatesNogood(n) {
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
	for _, r := range st.p.requirements(n) {
		if st.refutedGoal(r.goal, n, depth, work) {
			return true
		}
	}
	return slices.ContainsFunc(extra, func(g *goal) bool { return st.refutedGoal(g, from, depth, work) })
}

// rivalOfPackage is the chosen bundle that has the place of a node in its package.
func (st *state) rivalOfPackage(n nodeID) nodeID {
	pkg := st.p.nodes[n].pkg
	if st.p.lenient == nil {
		return slot(st.byPkg, pkg)
	}
	return st.rival(slot(st.byPkg, pkg), n, func(m *node) bool { return m.pkg == pkg })
}

// rivalOfGVK is the chosen bundle that has the place of a node as provider of an API.
func (st *state) rivalOfGVK(n nodeID, g int32) nodeID {
	if st.p.lenient == nil {
		return slot(st.byGVK, g)
	}
	return st.rival(slot(st.byGVK, g), n, func(m *node) bool { return slices.Contains(m.gvks, g) })
}

// clashes reports whether a node can never be chosen, or takes a place that is
// taken.
func (st *state) clashes(n nodeID) bool {
	why, by, _ := st.clash(n)
	if by != noNode {
		st.proof.node(by)
	}
	return why != refusedUnknown
}

// clash finds what is in the way of a node whatever comes with it: which rule, the
// bundle that has its place, and the API that both provide.
func (st *state) clash(n nodeID) (why refusedBy, by nodeID, gvk int32) {
	nd := &st.p.nodes[n]
	if nd.ban != banNone {
		return refusedByBan, noNode, 0
	}
	if by := st.rivalOfPackage(n); by != noNode {
		return refusedByPackage, by, 0
	}
	for _, g := range nd.gvks {
		if by := st.rivalOfGVK(n, g); by != noNode {
			return refusedByGVK, by, g
		}
	}
	for _, g := range nd.exclusive {
		if by := st.byGrp[g]; by != noNode && st.p.inForce(g) {
			return refusedByGroup, by, 0
		}
	}
	return refusedUnknown, noNode, 0
}

// banned reports whether something holds that a prohibition in force excludes.
func (st *state) banned() bool {
	for i, b := range st.bans {
		if st.violated(b.goal.kids[0], b.from) {
			st.proof.ban(i)
			st.proof.violated(b.goal.kids[0], b.from)
			return true
		}
	}
	return false
}

// refutedGoal looks for a proof that a goal of a bundle cannot hold.
func (st *state) refutedGoal(g *goal, from nodeID, depth int, work *int) bool {
	refuted := func(k *goal) bool { return st.refutedGoal(k, from, depth, work) }
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
		if !st.violated(g.kids[0], from) {
			return false
		}
		st.proof.violated(g.kids[0], from)
		return true
	case goalAtom:
		return st.refutedAtom(g.atom, from, depth, work)
	default:
		return false
	}
}

// refutedAtom looks for a proof that no bundle can match an atom.
func (st *state) refutedAtom(a *atom, from nodeID, depth int, work *int) bool {
	p := st.p
	if st.matched(a) {
		return false
	}
	own := noCatalog
	if from != noNode {
		own = p.nodes[from].cat
	}
	l := p.candidatesOf(a, own)
	before := st.proof.size()
	for i := 0; ; i++ {
		c, ok := p.at(l, i)
		if !ok {
			return !p.stopped()
		}
		if *work--; *work < 0 || !st.refutedNode(c, nil, noNode, depth-1, work) {
			st.proof.drop(before)
			return false
		}
	}
}
