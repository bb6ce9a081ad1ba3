package plan

// Waves numbers the bundles of the set so that each comes after what it needs;
// those of a dependency cycle share a number.
func (r *Result) Waves() []int32 {
	comp, order := components(r.Needs)
	// Components are numbered so that what is needed has the lower number.
	level := make([]int32, len(order))
	for _, i := range order {
		c := comp[i]
		for _, d := range r.Needs[i] {
			if to := comp[d.On]; to != c {
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
	needs      [][]Need
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
func components(needs [][]Need) (comp, order []int32) {
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
		w := t.needs[v][f.next].On
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
