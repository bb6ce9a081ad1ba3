package graph

// anyChannel lets a walk go through all channels of the graph.
const anyChannel = -1

// far is the distance of what cannot be reached.
const far = int(^uint(0) >> 1)

// passes tells whether a walk limited to a channel may take an arc.
func (a arc) passes(channel int) bool { return channel == anyChannel || int(a.channel) == channel }

// stepsFrom returns in how many steps each node can be reached from a node.
func (u *Updates) stepsFrom(from, channel int) []int {
	return u.search(from, func(at int, visit func(int)) {
		for _, a := range u.nodes[at].out {
			if a.passes(channel) && !u.nodes[a.end()].barred() {
				visit(a.end())
			}
		}
	})
}

// stepsTo returns in how many steps a node can be reached from each node.
func (u *Updates) stepsTo(to, channel int) []int {
	return u.search(to, func(at int, visit func(int)) {
		if u.nodes[at].barred() {
			return
		}
		for _, a := range u.nodes[at].in {
			if a.passes(channel) {
				visit(a.end())
			}
		}
	})
}

// search goes breadth first over what next visits from each node.
func (u *Updates) search(start int, next func(at int, visit func(int))) []int {
	steps := make([]int, len(u.nodes))
	for i := range steps {
		steps[i] = far
	}
	steps[start] = 0
	queue := []int{start}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		next(at, func(n int) {
			if steps[n] == far {
				steps[n] = steps[at] + 1
				queue = append(queue, n)
			}
		})
	}
	return steps
}

// furthest returns the name of the bundle nearest to the head of a channel
// that can be reached from a node there, or "".
func (u *Updates) furthest(from, channel int) string {
	steps := u.stepsFrom(from, channel)
	for _, e := range u.channels[channel].chain {
		if n := u.byName[e.Name]; n != from && steps[n] != far {
			return e.Name
		}
	}
	return ""
}
