package search

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// The places of a bundle are its package, its APIs, and the exclusive groups that it is a member of.
// Each place has at most one bundle of the set, unless the assumptions allow more.

// slot returns an entry of a table that grows with the problem, NoNode beyond its end.
func slot(table []problem.NodeID, i int32) problem.NodeID {
	if int(i) < len(table) {
		return table[i]
	}
	return problem.NoNode
}

func setSlot(table []problem.NodeID, i int32, n problem.NodeID) []problem.NodeID {
	if int(i) >= cap(table) {
		table = slices.Grow(table, max(int(i)+1-len(table), len(table), 16))
	}
	for len(table) <= int(i) {
		table = append(table, problem.NoNode)
	}
	table[i] = n
	return table
}

// mark adds a node to the set, for the choice with a number. If another bundle already has one of
// its places, as assumptions may allow, the node is also added to Coexisting.
func (st *State) mark(n problem.NodeID, number int32) {
	nd := &st.u.Nodes[n]
	for len(st.in) <= int(n) {
		st.in = problem.Push(st.in, 0)
	}
	st.in[n] = number
	st.Chosen = problem.Push(st.Chosen, n)
	coexists := st.occupied(slot(st.byPkg, nd.Pkg), n)
	for _, g := range nd.GVKs {
		coexists = coexists || st.occupied(slot(st.byGVK, g), n)
	}
	if st.occupy(n); coexists {
		st.Coexisting = append(st.Coexisting, n)
	}
}

// occupied reports whether another selected bundle has a place.
func (st *State) occupied(has, n problem.NodeID) bool {
	return has != problem.NoNode && has != n && st.Has(has)
}

// occupy gives a node its places, except those that a selected bundle has.
func (st *State) occupy(n problem.NodeID) {
	nd := &st.u.Nodes[n]
	free := func(has problem.NodeID) bool { return has == problem.NoNode || has != n && !st.Has(has) }
	if free(slot(st.byPkg, nd.Pkg)) {
		st.byPkg = setSlot(st.byPkg, nd.Pkg, n)
	}
	for _, g := range nd.GVKs {
		if free(slot(st.byGVK, g)) {
			st.byGVK = setSlot(st.byGVK, g, n)
		}
	}
	for _, g := range st.p.Demands.GroupsOf(n) {
		if free(st.byGrp[g]) {
			st.byGrp[g] = n
		}
	}
}

// unmark removes the node that was added last.
func (st *State) unmark(n problem.NodeID) {
	st.in[n] = 0
	st.chosenByKey.Shrink(len(st.Chosen)-1, st.keysOfChosen)
	st.Chosen = st.Chosen[:len(st.Chosen)-1]
	if k := len(st.Coexisting) - 1; k >= 0 && st.Coexisting[k] == n {
		st.Coexisting = st.Coexisting[:k]
	}
	if !st.implied(n) {
		st.vacate(n)
	}
}

// vacate frees the places of a node.
func (st *State) vacate(n problem.NodeID) {
	nd := &st.u.Nodes[n]
	if slot(st.byPkg, nd.Pkg) == n {
		st.byPkg[nd.Pkg] = problem.NoNode
	}
	for _, g := range nd.GVKs {
		if slot(st.byGVK, g) == n {
			st.byGVK[g] = problem.NoNode
		}
	}
	for _, g := range st.p.Demands.GroupsOf(n) {
		if st.byGrp[g] == n {
			st.byGrp[g] = problem.NoNode
		}
	}
}

// clash reports whether a bundle is excluded, or another bundle has one of its places. It returns
// the reason, empty for an excluded bundle, and the other bundle.
func (st *State) clash(n problem.NodeID) (reason argument.Rejection, by problem.NodeID, clashes bool) {
	nd := &st.u.Nodes[n]
	if st.p.Excluded(n) {
		return "", problem.NoNode, true
	}
	by = st.rival(slot(st.byPkg, nd.Pkg), n, func(m *problem.Node) bool { return m.Pkg == nd.Pkg })
	if by != problem.NoNode {
		return argument.RejectedByPackage, by, true
	}
	for _, g := range nd.GVKs {
		by = st.rival(slot(st.byGVK, g), n, func(m *problem.Node) bool { return slices.Contains(m.GVKs, g) })
		if by != problem.NoNode {
			return argument.RejectedByGVK, by, true
		}
	}
	for _, g := range st.p.Demands.GroupsOf(n) {
		if by = st.byGrp[g]; by != problem.NoNode && by != n && st.p.GroupActive(g) {
			return argument.RejectedBySubscription, by, true
		}
	}
	return "", problem.NoNode, false
}

// rival returns a bundle in a place that must not share it with a node, or NoNode. has is the bundle
// that has the place; bundles in Coexisting may share it.
func (st *State) rival(has, n problem.NodeID, inPlace func(*problem.Node) bool) problem.NodeID {
	switch {
	case has == problem.NoNode || has == n:
		return problem.NoNode
	case !st.p.Assumptions.MayCoexist(has, n):
		return has
	}
	for _, m := range st.Coexisting {
		if m != has && m != n && inPlace(&st.u.Nodes[m]) && !st.p.Assumptions.MayCoexist(m, n) {
			return m
		}
	}
	return problem.NoNode
}

// clashing reports whether a bundle is excluded, or another bundle has one of its places.
func (st *State) clashing(n problem.NodeID) bool {
	_, _, clashes := st.clash(n)
	return clashes
}
