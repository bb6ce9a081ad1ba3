package mirror

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/seed109e2655/resolute/graph"
)

// upgradeOrder sorts the entries of a channel so that each follows all that it replaces or skips:
// the lower end first, the head last. Ties are broken by version, lower first. Entries that replace
// each other in a cycle are last.
func upgradeOrder(ctx context.Context, ch *graph.Channel, versions map[string]*semver.Version) []string {
	above := make(map[string][]string)            // the names that replace or skip a name
	open := make(map[string]int, len(ch.Entries)) // the number of names that an entry waits for
	for i := range ch.Entries {
		e := &ch.Entries[i]
		if ctx.Err() != nil {
			return nil
		}
		if _, twice := open[e.Name]; twice {
			continue
		}
		open[e.Name] = 0
		names := slices.Clone(below(e))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if name != e.Name && ch.Entry(name) != nil {
				above[name] = append(above[name], e.Name)
				open[e.Name]++
			}
		}
	}
	ready := &byVersion{versions: versions}
	for name, n := range open { // sorted below
		if n == 0 {
			ready.names = append(ready.names, name)
		}
	}
	heap.Init(ready)
	var out []string
	for ready.Len() > 0 && ctx.Err() == nil {
		name, _ := heap.Pop(ready).(string)
		out = append(out, name)
		delete(open, name)
		for _, a := range above[name] {
			if open[a]--; open[a] == 0 {
				heap.Push(ready, a)
			}
		}
	}
	rest := &byVersion{versions: versions}
	for name := range open { // sorted below
		rest.names = append(rest.names, name)
	}
	slices.SortFunc(rest.names, rest.compare)
	return append(out, rest.names...)
}

// byVersion is a heap of names by version, lowest first.
type byVersion struct {
	names    []string
	versions map[string]*semver.Version
}

func (h *byVersion) compare(a, b string) int {
	switch va, vb := h.versions[a], h.versions[b]; {
	case va != nil && vb != nil:
		return cmp.Or(va.Compare(vb), strings.Compare(a, b))
	case va != nil:
		return 1 // names without a version are first
	case vb != nil:
		return -1
	}
	return strings.Compare(a, b)
}

func (h *byVersion) Len() int           { return len(h.names) }
func (h *byVersion) Less(i, j int) bool { return h.compare(h.names[i], h.names[j]) < 0 }
func (h *byVersion) Swap(i, j int)      { h.names[i], h.names[j] = h.names[j], h.names[i] }

// Push adds a name, for package heap.
func (h *byVersion) Push(x any) {
	name, _ := x.(string)
	h.names = append(h.names, name)
}

// Pop removes the last name, for package heap.
func (h *byVersion) Pop() any {
	last := len(h.names) - 1
	name := h.names[last]
	h.names = h.names[:last]
	return name
}
