package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// ByPackage lists the selected bundles in the order of their packages. It sorts by ID first: catalogs
// number bundles nearly in that order, so the second sort is fast.
func (r *Result) ByPackage() []int32 {
	bundle := func(i int32) *graph.Bundle { return r.u.Nodes[r.st.Chosen[i]].Bundle }
	byID := make([]int64, len(r.st.Chosen)) // an ID, and behind it the index
	for i := range byID {
		byID[i] = int64(bundle(int32(i)).ID)<<32 | int64(i)
	}
	slices.Sort(byID)
	order := make([]int32, len(byID))
	for i, k := range byID {
		order[i] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := bundle(a), bundle(b)
		return cmp.Or(strings.Compare(x.Package, y.Package), strings.Compare(x.Name, y.Name))
	})
	return order
}

// Places returns the index of each selected bundle among the steps: by wave, and within a wave in the
// given order.
func Places(order, waves []int32) []int32 {
	var start []int32 // of each wave; the next one behind it
	for _, w := range waves {
		for int(w)+1 >= len(start) {
			start = append(start, 0)
		}
		start[w+1]++
	}
	for w := 1; w < len(start); w++ {
		start[w] += start[w-1]
	}
	at := make([]int32, len(order))
	for _, i := range order {
		at[i] = start[waves[i]]
		start[waves[i]]++
	}
	return at
}

// Replaced names the installed bundles that each new bundle replaces: it is a candidate of the
// subscription that owns them, and they are not in the set.
func (r *Result) Replaced() map[int32][]string {
	var out map[int32][]string
	for s := range r.p.Active() {
		if s.Owned == problem.NoNode || r.st.Has(s.Owned) {
			continue
		}
		for n := range r.st.MetBy(s) {
			if out == nil {
				out = make(map[int32][]string)
			}
			k := r.At[n]
			out[k] = text.AppendNew(out[k], r.u.Name(s.Owned))
		}
	}
	return out
}
