package picture

// line is an edge with the items along its path.
type line struct {
	Edge
	items []int
}

// trunk is the shared path of edges with a common node through the rows
// between.
type trunk struct {
	node    int
	arrives bool // the common node is the target
	faint   bool
	row     int
}

// route gives each edge that spans several rows a slot in each row between.
// Edges with the same target or source share their slots, so that many of them
// take no more room than one.
func (l *layout) route(d *Diagram) {
	arriving, leaving := make(map[string]int), make(map[string]int)
	for _, e := range d.Edges {
		arriving[e.To]++
		leaving[e.From]++
	}
	passes := make(map[trunk]int)
	joined := make(map[[2]int]bool)
	for _, e := range d.Edges {
		from, to := l.at[e.From], l.at[e.To]
		t := trunk{node: to, arrives: true, faint: e.Faint}
		if leaving[e.From] > arriving[e.To] {
			t = trunk{node: from, faint: e.Faint}
		}
		way := []int{from}
		step, last := 1, l.items[to].row
		if last < l.items[from].row {
			step = -1
		}
		for row := l.items[from].row + step; row*step < last*step; row += step {
			t.row = row
			i, known := passes[t]
			if !known {
				i = len(l.items)
				passes[t] = i
				l.items = append(l.items, item{row: row})
				l.rows[row] = append(l.rows[row], i)
			}
			way = append(way, i)
		}
		way = append(way, to)
		l.join(way, step, joined)
		l.lines = append(l.lines, line{e, way})
	}
}

// join makes the items of a line neighbours, and records the sides of its
// nodes at which it leaves and arrives. A line within a row runs below both
// its nodes.
func (l *layout) join(way []int, step int, joined map[[2]int]bool) {
	from, to := &l.items[way[0]], &l.items[way[len(way)-1]]
	leaves, arrives := l.sides(way[0], way[len(way)-1])
	from.out[leaves], to.in[arrives] = true, true
	if from.row == to.row {
		return
	}
	for i := 1; i < len(way); i++ {
		upper, lower := way[i-1], way[i]
		if step < 0 {
			upper, lower = lower, upper
		}
		if pair := [2]int{upper, lower}; !joined[pair] {
			joined[pair] = true
			l.items[upper].down = append(l.items[upper].down, lower)
			l.items[lower].up = append(l.items[lower].up, upper)
		}
	}
}
