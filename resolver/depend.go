package resolver

// result is a finished result set with what its bundles need of each other.
type result struct {
	st    *state
	p     *problem
	needs [][]need // by index into st.chosen
	at    map[nodeID]int
}

// need says that a bundle needs another one of the set, because of one of its
// requirements.
type need struct {
	on  int // index into st.chosen
	req int // index of the requirement
}

// newResult finds the dependencies inside a result set (section 7).
func newResult(st *state) *result {
	r := &result{st: st, p: st.p, at: make(map[nodeID]int, len(st.chosen)), needs: make([][]need, len(st.chosen))}
	for i, n := range st.chosen {
		r.at[n] = i
	}
	for i, n := range st.chosen {
		for k, req := range r.p.requirements(n) {
			for _, on := range r.support(n, req.goal, nil) {
				r.needs[i] = append(r.needs[i], need{on: r.at[on], req: k})
			}
		}
	}
	return r
}

// support appends the bundles of the set that make a goal hold for a bundle: for
// each part the best placed one. What the bundle does for itself counts as
// nothing.
func (r *result) support(n nodeID, g *goal, out []nodeID) []nodeID {
	switch g.kind {
	case goalAtom:
		if on := r.supporter(n, g.atom); on != n && on != noNode {
			out = append(out, on)
		}
	case goalAll:
		for _, k := range g.kids {
			out = r.support(n, k, out)
		}
	case goalAny:
		if k := r.branch(n, g); k != nil {
			out = r.support(n, k, out)
		}
	}
	return out
}

// supporter is the bundle of the set that makes an atom hold: the declaring one
// itself, else the best placed one; noNode if there is none.
func (r *result) supporter(n nodeID, a *atom) nodeID {
	p := r.p
	if p.matches(a, n) {
		return n
	}
	switch a.kind { // at most one bundle of the set can match
	case atomGVK:
		return slot(r.st.byGVK, a.gvk)
	case atomPackage:
		if on := slot(r.st.byPkg, a.pkg); on != noNode && p.matches(a, on) {
			return on
		}
		return noNode
	}
	return r.bestTested(n, a)
}

// bestTested is the best placed bundle of the set that matches an atom which has to
// be evaluated per bundle.
func (r *result) bestTested(n nodeID, a *atom) nodeID {
	best, rank := noNode, r.p.ranking(r.p.nodes[n].cat)
	for c := range r.st.eligible(a) {
		if r.p.matches(a, c) && (best == noNode || rank.compare(c, best) < 0) {
			best = c
		}
	}
	return best
}

// branch picks the child of an `any` that makes it hold through other bundles: the
// one whose option comes first in the order of section 6. It is nil if some child
// holds without any other bundle.
func (r *result) branch(n nodeID, g *goal) *goal {
	for _, k := range g.kids {
		if r.holds(k) && len(r.support(n, k, nil)) == 0 {
			return nil
		}
	}
	for _, o := range r.p.anyOptions(g, r.p.nodes[n].cat) {
		if (o.node == noNode || r.st.has(o.node)) && r.holds(o.child) {
			return o.child
		}
	}
	return nil
}

// holds evaluates a goal on the result set.
func (r *result) holds(g *goal) bool {
	switch g.kind {
	case goalTrue:
		return true
	case goalAtom:
		return r.st.matched(g.atom)
	case goalAll:
		for _, k := range g.kids {
			if !r.holds(k) {
				return false
			}
		}
		return true
	case goalAny:
		for _, k := range g.kids {
			if r.holds(k) {
				return true
			}
		}
		return false
	case goalBan:
		return !r.holds(g.kids[0])
	default:
		return false
	}
}

// waves numbers the bundles of the set so that each comes after what it needs;
// those of a dependency cycle share a number.
func (r *result) waves() []int {
	n := len(r.needs)
	comp := components(r.needs)
	wave := make([]int, n)
	byComp := make([][]int, 0, n)
	for i, c := range comp {
		for len(byComp) <= c {
			byComp = append(byComp, nil)
		}
		byComp[c] = append(byComp[c], i)
	}
	// Components are numbered so that what is needed has the lower number.
	level := make([]int, len(byComp))
	for c, members := range byComp {
		for _, i := range members {
			for _, d := range r.needs[i] {
				if to := comp[d.on]; to != c {
					level[c] = max(level[c], level[to]+1)
				}
			}
		}
	}
	for i, c := range comp {
		wave[i] = level[c]
	}
	return wave
}

// components numbers the strongly connected components of the needs, by Tarjan's
// algorithm without recursion: a component has a higher number than all that it
// leads to.
func components(needs [][]need) []int {
	const unseen = -1
	n := len(needs)
	index, low, comp := make([]int, n), make([]int, n), make([]int, n)
	for i := range index {
		index[i], comp[i] = unseen, unseen
	}
	type frame struct{ node, next int }
	var stack []int
	var calls []frame
	count, comps := 0, 0
	for root := range n {
		if index[root] != unseen {
			continue
		}
		calls = append(calls, frame{node: root})
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			v := f.node
			if f.next == 0 {
				index[v], low[v] = count, count
				count++
				stack = append(stack, v)
			}
			if f.next < len(needs[v]) {
				w := needs[v][f.next].on
				f.next++
				switch {
				case index[w] == unseen:
					calls = append(calls, frame{node: w})
				case comp[w] == unseen:
					low[v] = min(low[v], index[w])
				}
				continue
			}
			f.next++
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				low[calls[len(calls)-1].node] = min(low[calls[len(calls)-1].node], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			for comp[v] == unseen {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				comp[w] = comps
			}
			comps++
		}
	}
	return comp
}
