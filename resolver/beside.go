package resolver

// standBeside adds a node to the places that it has, of which another bundle has some
// already; it reports false if all of them are free.
func (st *state) standBeside(n nodeID) bool {
	nd := &st.p.nodes[n]
	free := slot(st.byPkg, nd.pkg) == noNode
	for _, g := range nd.gvks {
		free = free && slot(st.byGVK, g) == noNode
	}
	if free {
		return false
	}
	st.beside = append(st.beside, n)
	if slot(st.byPkg, nd.pkg) == noNode {
		st.byPkg = setSlot(st.byPkg, nd.pkg, n)
	}
	for _, g := range nd.gvks {
		if slot(st.byGVK, g) == noNode {
			st.byGVK = setSlot(st.byGVK, g, n)
		}
	}
	for _, g := range nd.exclusive {
		st.byGrp[g] = n
	}
	return true
}

// leaveBeside takes back the last standBeside.
func (st *state) leaveBeside(n nodeID) {
	nd := &st.p.nodes[n]
	st.beside = st.beside[:len(st.beside)-1]
	if st.byPkg[nd.pkg] == n {
		st.byPkg[nd.pkg] = noNode
	}
	for _, g := range nd.gvks {
		if st.byGVK[g] == n {
			st.byGVK[g] = noNode
		}
	}
	for _, g := range nd.exclusive {
		st.byGrp[g] = noNode
	}
}

// rival returns a chosen bundle in a place that a node cannot share with it, noNode
// if there is none: the one that has the place, or one that stands beside it.
func (st *state) rival(has, n nodeID, inPlace func(*node) bool) nodeID {
	if has == noNode || !st.p.excused(has, n) {
		return has
	}
	for _, m := range st.beside {
		if m != has && inPlace(&st.p.nodes[m]) && !st.p.excused(m, n) {
			return m
		}
	}
	return noNode
}
