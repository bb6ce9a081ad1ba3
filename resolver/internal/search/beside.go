package search

import "github.com/seed109e2655/resolute/resolver/internal/problem"

// standBeside adds a node to the places that it has, of which another bundle has some
// already; it reports false if all of them are free.
func (st *State) standBeside(n problem.NodeID) bool {
	nd := &st.p.Nodes[n]
	free := slot(st.byPkg, nd.Pkg) == problem.NoNode
	for _, g := range nd.GVKs {
		free = free && slot(st.byGVK, g) == problem.NoNode
	}
	if free {
		return false
	}
	st.Beside = append(st.Beside, n)
	if slot(st.byPkg, nd.Pkg) == problem.NoNode {
		st.byPkg = setSlot(st.byPkg, nd.Pkg, n)
	}
	for _, g := range nd.GVKs {
		if slot(st.byGVK, g) == problem.NoNode {
			st.byGVK = setSlot(st.byGVK, g, n)
		}
	}
	for _, g := range nd.Exclusive {
		st.byGrp[g] = n
	}
	return true
}

// leaveBeside takes back the last standBeside.
func (st *State) leaveBeside(n problem.NodeID) {
	nd := &st.p.Nodes[n]
	st.Beside = st.Beside[:len(st.Beside)-1]
	if st.byPkg[nd.Pkg] == n {
		st.byPkg[nd.Pkg] = problem.NoNode
	}
	for _, g := range nd.GVKs {
		if st.byGVK[g] == n {
			st.byGVK[g] = problem.NoNode
		}
	}
	for _, g := range nd.Exclusive {
		st.byGrp[g] = problem.NoNode
	}
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
