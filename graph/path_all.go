package graph

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
)

// The defaults of [PathOptions].
const (
	// DefaultMaxSteps is the default of PathOptions.MaxSteps.
	DefaultMaxSteps = 64
	// DefaultMaxPaths is the default of PathOptions.MaxPaths.
	DefaultMaxPaths = 100
)

// PathOptions bound [Updates.Paths]. The zero value is the default.
type PathOptions struct {
	// MaxSteps bounds the length of a path; 0 or less stands for
	// [DefaultMaxSteps].
	MaxSteps int
	// MaxPaths bounds the number of paths; 0 or less stands for
	// [DefaultMaxPaths].
	MaxPaths int
}

// Paths returns the paths from one bundle to another on which no bundle comes
// twice: those with fewer steps first, and of the same length the one whose
// first step a resolution prefers, then its second, and so on. There is no path
// if there is no such path or the graph lacks one of the bundles;
// [Updates.ShortestPath] says why.
//
// They are found one at a time, as they are asked for: each costs at most one
// search of the graph for each of its steps, so that the time from one to the
// next stays short whatever the number of paths is (Yen's algorithm, each
// deviation being looked at once, as Lawler improved it).
func (u *Updates) Paths(from, to string, opts PathOptions) iter.Seq[Path] {
	maxSteps, maxPaths := opts.MaxSteps, opts.MaxPaths
	if maxSteps <= 0 {
		maxSteps = DefaultMaxSteps
	}
	if maxPaths <= 0 {
		maxPaths = DefaultMaxPaths
	}
	return func(yield func(Path) bool) {
		start, known := u.byName[from]
		end, ok := u.byName[to]
		if !known || !ok {
			return
		}
		var queue ways
		push := func(d detour) {
			if way := u.shortest(d, end); way != nil && len(way)-1 <= maxSteps {
				heap.Push(&queue, found{way: way, detour: d})
			}
		}
		push(detour{at: start})
		for n := 0; n < maxPaths && len(queue) > 0; n++ {
			f := heap.Pop(&queue).(found)
			if !yield(u.path(f.way)) {
				return
			}
			for i := len(f.detour.before); i < len(f.way)-1; i++ {
				d := detour{before: f.way[:i], at: f.way[i], not: []int{f.way[i+1]}}
				if i == len(f.detour.before) {
					d.not = append(slices.Clip(f.detour.not), f.way[i+1])
				}
				push(d)
			}
		}
	}
}

// detour stands for all paths that begin with the nodes before, go on to at,
// and from there not to one of not.
type detour struct {
	before []int
	at     int
	not    []int
}

// shortest returns the first of the paths of a detour that end at a node, as a
// list of nodes, or nil if there is no other path.
func (u *Updates) shortest(d detour, end int) []int {
	steps := u.detourSteps(d, end)
	if steps[d.at] == far {
		return nil
	}
	way := append(slices.Clone(d.before), d.at)
	for at := d.at; at != end; {
		for a := range u.arcsFrom(at) { // the preferred one first
			to := int(u.flows[a.flow].to)
			if steps[to] == steps[at]-1 && !u.nodes[to].barred() && (at != d.at || !slices.Contains(d.not, to)) {
				at = to
				break
			}
		}
		way = append(way, at)
	}
	return way
}

// detourSteps returns in how many steps a node can be reached from those of a
// detour. Behind the point of departure nothing matters, and what comes before
// it is used up.
func (u *Updates) detourSteps(d detour, end int) []int {
	steps := u.unreached(end)
	s := newSources(u)
	queue := []int{end}
	for len(queue) > 0 && steps[d.at] == far {
		at := queue[0]
		queue = queue[1:]
		s.visit(at, anyChannel, func(from int) bool {
			if from == d.at && slices.Contains(d.not, at) {
				return false // not this way, but perhaps another
			}
			if steps[from] == far && !slices.Contains(d.before, from) {
				steps[from] = steps[at] + 1
				queue = append(queue, from)
			}
			return true
		})
	}
	return steps
}

// found is the first path of a detour.
type found struct {
	way    []int
	detour detour
}

// ways is a heap of paths, the one that comes next on top.
type ways []found

func (w ways) Len() int      { return len(w) }
func (w ways) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w ways) Less(i, j int) bool {
	// Nodes are numbered in the order of preference.
	return cmp.Or(cmp.Compare(len(w[i].way), len(w[j].way)), slices.Compare(w[i].way, w[j].way)) < 0
}

// Push is for package heap alone.
func (w *ways) Push(x any) { *w = append(*w, x.(found)) }

// Pop is for package heap alone.
func (w *ways) Pop() any {
	last := len(*w) - 1
	f := (*w)[last]
	(*w)[last] = found{}
	*w = (*w)[:last]
	return f
}
