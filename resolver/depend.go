package resolver

import "slices"

// result is a finished result set with what its bundles need of each other.
type result struct {
	st    *state
	p     *problem
	needs [][]need // by index into st.chosen
	at    []int32  // by node: index into st.chosen, if it is chosen
}

// need says that a bundle needs another one of the set, because of one of its
// requirements.
type need struct {
	on  int32 // index into st.chosen
	req int32 // index of the requirement
}

// newResult finds the dependencies inside a result set (section 7).
func newResult(st *state) *result {
	p := st.p
	r := &result{st: st, p: p, at: make([]int32, len(p.nodes)), needs: make([][]need, len(st.chosen))}
	for i, n := range st.chosen {
		r.at[n] = int32(i)
	}
	var all []need // what needs are parts of
	var on []nodeID
	for i, n := range st.chosen {
		first := len(all)
		for k, req := range p.requirements(n) {
			if on = r.support(n, req.goal, on[:0]); p.err != nil {
				return r
			}
			for _, m := range on {
				all = push(all, need{on: r.at[m], req: int32(k)})
			}
		}
		r.needs[i] = slices.Clip(all[first:])
	}
	return r
}

// support appends the bundles of the set that make a goal hold for a bundle: for
// each part the best placed one. What the bundle does for itself counts as
// nothing.
func (r *result) support(n nodeID, g *goal, out []nodeID) []nodeID {
	switch r.p.tick(); g.kind {
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
	if a.kind != atomTested && len(r.st.beside) == 0 { // at most one bundle of the set can match
		return r.st.match(a)
	}
	return r.bestMatch(n, a)
}

// bestMatch is the best placed bundle of the set that matches an atom.
func (r *result) bestMatch(n nodeID, a *atom) nodeID {
	best, rank := noNode, r.p.ranking(r.p.nodes[n].cat)
	eligible := slices.Values(r.st.chosen)
	if a.kind == atomTested {
		eligible = r.st.eligible(a)
	}
	for c := range eligible {
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
		if r.holds(n, k) && len(r.support(n, k, nil)) == 0 {
			return nil
		}
	}
	for _, o := range r.p.anyOptions(g, r.p.nodes[n].cat) {
		if (o.node == noNode || r.st.has(o.node)) && r.holds(n, o.child) {
			return o.child
		}
	}
	return nil
}

// holds evaluates a goal of a bundle on the result set.
func (r *result) holds(from nodeID, g *goal) bool {
	switch g.kind {
	case goalTrue:
		return true
	case goalAtom:
		return r.st.matched(g.atom)
	case goalAll:
		for _, k := range g.kids {
			if !r.holds(from, k) {
				return false
			}
		}
		return true
	case goalAny:
		for _, k := range g.kids {
			if r.holds(from, k) {
				return true
			}
		}
		return false
	case goalBan:
		return !r.st.violated(g.kids[0], from)
	default:
		return false
	}
}

// waves numbers the bundles of the set so that each comes after what it needs;
// those of a dependency cycle share a number.
func (r *result) waves() []int32 {
	comp, order := components(r.needs)
	// Components are numbered so that what is needed has the lower number.
	level := make([]int32, len(order))
	for _, i := range order {
		c := comp[i]
		for _, d := range r.needs[i] {
			if to := comp[d.on]; to != c {
				level[c] = max(level[c], level[to]+1)
			}
		}
	}
	for i, c := range comp {
		comp[i] = level[c]
	}
	return comp
}

// tarjan finds strongly connected components, by Tarjan's algorithm without
// recursion.
type tarjan struct {
	needs      [][]need
	index, low []int32
	comp       []int32 // the component of each
	order      []int32 // by component
	stack      []int32
	calls      []frame
	count      int32
	comps      int32
}

// frame is a visit on its way: the node, and which of its needs comes next.
type frame struct{ node, next int32 }

// components numbers the strongly connected components of the needs: a component
// has a higher number than all that it leads to. The second result has the members
// of each component together, the components by number.
func components(needs [][]need) (comp, order []int32) {
	n := len(needs)
	memory := make([]int32, 5*n)
	part := func() []int32 {
		out := memory[:n:n]
		memory = memory[n:]
		return out
	}
	t := &tarjan{needs: needs, index: part(), low: part(), comp: part(), order: part()[:0], stack: part()[:0]}
	for i := range needs {
		t.index[i], t.comp[i] = -1, -1
	}
	for root := range int32(n) {
		if t.index[root] < 0 {
			t.visit(root)
		}
	}
	return t.comp, t.order
}

// visit follows the needs of a node that has not been seen.
func (t *tarjan) visit(root int32) {
	t.enter(root)
	for len(t.calls) > 0 {
		f := &t.calls[len(t.calls)-1]
		v := f.node
		if int(f.next) == len(t.needs[v]) {
			t.leave(v)
			continue
		}
		w := t.needs[v][f.next].on
		f.next++
		switch {
		case t.index[w] < 0:
			t.enter(w)
		case t.comp[w] < 0:
			t.low[v] = min(t.low[v], t.index[w])
		}
	}
}

func (t *tarjan) enter(v int32) {
	t.index[v], t.low[v] = t.count, t.count
	t.count++
	t.stack = append(t.stack, v)
	t.calls = append(t.calls, frame{node: v})
}

// leave ends the visit of a node; with the first of a component, that is complete.
func (t *tarjan) leave(v int32) {
	t.calls = t.calls[:len(t.calls)-1]
	if n := len(t.calls); n > 0 {
		caller := t.calls[n-1].node
		t.low[caller] = min(t.low[caller], t.low[v])
	}
	if t.low[v] != t.index[v] {
		return
	}
	for t.comp[v] < 0 {
		w := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.comp[w] = t.comps
		t.order = append(t.order, w)
	}
	t.comps++
}
