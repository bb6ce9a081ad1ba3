package picture

// line is an edge with the items along its path.
type line struct {
	Edge
	items []int
}

// trunk is the shared path of edges with a common node through the layers
// between.
type trunk struct {
	node    int
	arrives bool // the common node is the target
	faint   bool
	clash   bool
	layer   int
}

// route gives each edge that spans several layers a slot in each layer between.
// Edges with the same target or source share their slots, so that many of them
// take no more room than one.
func (l *layout) route(edges []Edge) {
	arriving, leaving := make(map[string]int), make(map[string]int)
	for _, e := range edges {
		arriving[e.To]++
		leaving[e.From]++
	}
	passes := make(map[trunk]int)
	joined := make(map[[2]int]bool)
	for _, e := range edges {
		from, to := l.at[e.From], l.at[e.To]
		t := trunk{node: to, arrives: true, faint: e.Faint, clash: e.Clash}
		if leaving[e.From] > arriving[e.To] {
			t = trunk{node: from, faint: e.Faint, clash: e.Clash}
		}
		way := []int{from}
		step, last := 1, l.items[to].layer
		if last < l.items[from].layer {
			step = -1
		}
		for layer := l.items[from].layer + step; layer*step < last*step; layer += step {
			t.layer = layer
			i, known := passes[t]
			if !known {
				i = len(l.items)
				passes[t] = i
				l.items = append(l.items, item{layer: layer})
				l.layers[layer] = append(l.layers[layer], i)
			}
			way = append(way, i)
		}
		way = append(way, to)
		l.join(way, step, joined)
		l.lines = append(l.lines, line{e, way})
	}
}

// join makes the items of a line neighbours, and records the sides of its
// nodes at which it leaves and arrives. A line within a layer runs to the right
// of both its nodes.
func (l *layout) join(way []int, step int, joined map[[2]int]bool) {
	from, to := &l.items[way[0]], &l.items[way[len(way)-1]]
	leaves, arrives := l.sides(way[0], way[len(way)-1])
	from.out[leaves], to.in[arrives] = true, true
	if from.layer == to.layer {
		return
	}
	for i := 1; i < len(way); i++ {
		left, right := way[i-1], way[i]
		if step < 0 {
			left, right = right, left
		}
		if pair := [2]int{left, right}; !joined[pair] {
			joined[pair] = true
			l.items[left].after = append(l.items[left].after, right)
			l.items[right].before = append(l.items[right].before, left)
		}
	}
}
