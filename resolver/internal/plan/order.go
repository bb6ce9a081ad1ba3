package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Placed gives each chosen bundle its place among the steps: by wave, and inside a
// wave in the given order.
func Placed(order, waves []int32) []int32 {
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

// ByPackage lists the chosen bundles in the order of their packages. Catalogs mostly
// number bundles in that order, and what is nearly sorted is sorted fast.
func (r *Result) ByPackage() []int32 {
	bundle := func(i int32) *graph.Bundle { return r.p.Nodes[r.st.Chosen[i]].Bundle }
	order := make([]int32, len(r.st.Chosen))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(bundle(a).ID, bundle(b).ID) })
	slices.SortFunc(order, func(a, b int32) int {
		x, y := bundle(a), bundle(b)
		return cmp.Or(strings.Compare(x.Package, y.Package), strings.Compare(x.Name, y.Name))
	})
	return order
}

// Replacements finds which installed bundles each new one takes the place of: it
// is a candidate of the subscription that owns them, and they are not in the set.
// It goes by index into st.chosen.
func (r *Result) Replacements() map[int32][]string {
	p := r.p
	var out map[int32][]string
	for i := range p.Subs {
		s := &p.Subs[i]
		if s.Left || s.Owned == problem.NoNode || r.st.Has(s.Owned) {
			continue
		}
		for n := range r.st.MetBy(s) {
			if out == nil {
				out = make(map[int32][]string)
			}
			k := r.At[n]
			out[k] = text.AppendNew(out[k], p.Nodes[s.Owned].Bundle.Name)
		}
	}
	return out
}
