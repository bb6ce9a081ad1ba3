package graph

import (
	"iter"
	"slices"
)

// far is the distance of unreachable nodes.
const far = int(^uint(0) >> 1)

// stepsFrom returns the distance of each node from a node, in steps.
func (u *Updates) stepsFrom(from int) []int {
	steps := u.unreached(from)
	seen := make([]int, len(u.ranges.open)) // how many flows of each place were taken
	queue := []int{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		take := func(flow int32) {
			f := &u.flows[flow]
			if to := int(f.to); steps[to] == far && !u.nodes[to].barred() {
				steps[to] = steps[at] + 1
				queue = append(queue, to)
			}
		}
		for _, a := range u.named(&u.nodes[at]) {
			take(a.flow)
		}
		for place := range u.ranges.places(u.nodes[at].age) {
			for _, flow := range u.ranges.open[place][seen[place]:] {
				take(flow)
			}
			seen[place] = len(u.ranges.open[place])
		}
	}
	return steps
}

// unreached returns the distances from a node before any step was taken.
func (u *Updates) unreached(from int) []int {
	steps := slices.Repeat([]int{far}, len(u.nodes))
	steps[from] = 0
	return steps
}

// stepsTo returns the distance to a node from each node, in steps.
func (u *Updates) stepsTo(to int) []int {
	steps := u.unreached(to)
	s := newSources(u)
	for queue := []int{to}; len(queue) > 0; {
		at := queue[0]
		queue = queue[1:]
		s.visit(at, func(from int) bool {
			if steps[from] == far {
				steps[from] = steps[at] + 1
				queue = append(queue, from)
			}
			return true
		})
	}
	return steps
}

// sources walks edges backwards. Each version that a range contains is visited once, whatever the
// number of ranges.
type sources struct {
	u *Updates
	// next points from each version towards the first unvisited one at or after it (union-find).
	next []int32
}

// newSources returns sources that were not visited.
func newSources(u *Updates) *sources {
	s := &sources{u: u, next: make([]int32, len(u.ranges.byAge)+1)}
	for i := range s.next {
		s.next[i] = int32(i)
	}
	return s
}

// free returns the first version from age on that is not visited.
func (s *sources) free(age int32) int32 {
	for s.next[age] != age {
		s.next[age] = s.next[s.next[age]]
		age = s.next[age]
	}
	return age
}

// visit calls see with the nodes from which an edge leads to a node: of those
// by a range, with each that see did not take yet, over all calls of visit; of
// those by name, with all. The list is empty if the node is barred, for then no
// path steps onto it.
func (s *sources) visit(to int, see func(from int) (taken bool)) {
	n := &s.u.nodes[to]
	if n.barred() {
		return
	}
	for i := range s.u.flows[n.first : n.first+n.count] {
		f := &s.u.flows[n.first+int32(i)]
		for _, from := range f.from {
			see(int(from))
		}
		for _, sp := range f.spans {
			for age := s.free(sp.first); age < sp.end; age = s.free(age + 1) {
				if see(int(s.u.ranges.byAge[age])) {
					s.next[age] = age + 1
				}
			}
		}
	}
}

// Reaching returns the bundles from which a path ends at a bundle, which is
// not among them. The list is empty if the graph lacks it, or if it is barred.
func (u *Updates) Reaching(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		to, ok := u.index(name)
		if !ok {
			return
		}
		for i, steps := range u.stepsTo(to) {
			if i != to && steps != far && !yield(u.nodes[i].name) {
				return
			}
		}
	}
}

// Reachable returns the bundles at which a path from a bundle ends, which is not among
// them. The list is empty if the graph lacks it.
func (u *Updates) Reachable(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from, ok := u.index(name)
		if !ok {
			return
		}
		for i, steps := range u.stepsFrom(from) {
			if i != from && steps != far && !yield(u.nodes[i].name) {
				return
			}
		}
	}
}
