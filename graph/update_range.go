package graph

import (
	"iter"
	"slices"
	"sort"

	"github.com/seed109e2655/resolute/properties"
)

// A skipRange contains any number of versions, and a channel any number of entries with one: listed
// individually, edges would be as many as pairs of versions. In version order, however, a range is
// a few spans, and these are stored.

// span is an interval of versions: from first up to, and without, end.
type span struct{ first, end int32 }

// ranges finds the flows whose skipRange contains a version: a segment tree over the versions in
// order, in which each span is stored in few nodes.
type ranges struct {
	byAge []int32 // the nodes with a known version, the oldest first
	// open and barred are the trees of the flows to candidates and of those to barred bundles.
	// Flows are in order; the leaves are the second half of each.
	open, barred [][]int32
}

// newRanges sorts the nodes by version.
func newRanges(nodes []node) ranges {
	var r ranges
	for i := range nodes {
		if nodes[i].known {
			r.byAge = append(r.byAge, int32(i))
		}
	}
	slices.SortStableFunc(r.byAge, func(a, b int32) int { return nodes[a].version.Compare(nodes[b].version) })
	for age, i := range r.byAge {
		nodes[i].age = int32(age)
	}
	r.open, r.barred = make([][]int32, 2*len(r.byAge)), make([][]int32, 2*len(r.byAge))
	return r
}

// spans returns the versions that a range contains. It evaluates the range once for each interval
// between two of its bounds, and for each version if the range is a function.
func (r *ranges) spans(nodes []node, rng properties.Range) []span {
	if rng.IsZero() {
		return nil
	}
	var out []span
	first := 0
	until := func(end int) { // the versions from first to end are inside or not, all of them
		if first < end && rng.Contains(nodes[r.byAge[first]].version) {
			if n := len(out); n > 0 && out[n-1].end == int32(first) {
				out[n-1].end = int32(end)
			} else {
				out = append(out, span{int32(first), int32(end)})
			}
		}
		first = max(first, end)
	}
	bounds, known := rng.Bounds()
	if !known {
		for i := range r.byAge {
			until(i)
		}
	}
	for _, b := range bounds {
		until(sort.Search(len(r.byAge), func(i int) bool { return nodes[r.byAge[i]].version.Compare(b) >= 0 }))
		until(sort.Search(len(r.byAge), func(i int) bool { return nodes[r.byAge[i]].version.Compare(b) > 0 }))
	}
	until(len(r.byAge))
	return out
}

// add adds a span of a flow to one of the trees. Flows come in order.
func (r *ranges) add(tree [][]int32, flow int32, s span) {
	n := int32(len(r.byAge))
	for from, end := s.first+n, s.end+n; from < end; from, end = from/2, end/2 {
		if from%2 == 1 {
			tree[from] = append(tree[from], flow)
			from++
		}
		if end%2 == 1 {
			end--
			tree[end] = append(tree[end], flow)
		}
	}
}

// places returns the tree nodes with the flows that contain a version.
func (r *ranges) places(age int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if age < 0 {
			return
		}
		for at := age + int32(len(r.byAge)); at > 0; at /= 2 {
			if !yield(at) {
				return
			}
		}
	}
}

// holds reports whether the range of a flow contains a version.
func (f *flow) holds(age int32) bool {
	i := sort.Search(len(f.spans), func(i int) bool { return f.spans[i].end > age })
	return i < len(f.spans) && f.spans[i].first <= age && age >= 0
}

// between returns the edges from a node to another.
func (u *Updates) between(from, to int) []arc {
	if from == to {
		return nil
	}
	n, goal := &u.nodes[from], &u.nodes[to]
	named := u.named(n)
	var out []arc
	for k := goal.first; k < goal.first+goal.count; k++ {
		a := arc{flow: k}
		if i, ok := slices.BinarySearchFunc(named, k, func(a arc, k int32) int { return int(a.flow - k) }); ok {
			a.reasons = named[i].reasons
		}
		if u.flows[k].holds(n.age) {
			a.reasons |= bySkipRange
		}
		if a.reasons != 0 {
			out = append(out, a)
		}
	}
	return out
}

// arcsFrom returns the edges that lead on from a node, in order.
func (u *Updates) arcsFrom(from int) iter.Seq[arc] {
	return u.arcs(from, u.ranges.open, u.ranges.barred)
}

// arcs returns the edges by name that lead on from a node, and those by the
// ranges in some trees, in order.
func (u *Updates) arcs(from int, trees ...[][]int32) iter.Seq[arc] {
	return func(yield func(arc) bool) {
		n := &u.nodes[from]
		named := u.named(n)
		var lists [][]int32
		for at := range u.ranges.places(n.age) {
			for _, tree := range trees {
				if len(tree[at]) > 0 {
					lists = append(lists, tree[at])
				}
			}
		}
		for len(named) > 0 || len(lists) > 0 {
			least := -1 // list whose first flow comes next
			for i := range lists {
				if least < 0 || lists[i][0] < lists[least][0] {
					least = i
				}
			}
			var a arc
			if least < 0 || len(named) > 0 && named[0].flow <= lists[least][0] {
				a, named = named[0], named[1:]
			} else {
				a.flow = lists[least][0]
			}
			if least >= 0 && lists[least][0] == a.flow {
				a.reasons |= bySkipRange
				if lists[least] = lists[least][1:]; len(lists[least]) == 0 {
					lists = slices.Delete(lists, least, least+1)
				}
			}
			if int(u.flows[a.flow].to) != from && !yield(a) { // no bundle follows itself
				return
			}
		}
	}
}
