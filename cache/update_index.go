package cache

import (
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/graph"
)

// updateProperties lists the IDs by what the properties say: those of old at
// their new numbers, and those of the fresh packages.
func (c *Catalog) updateProperties(old, fresh *Catalog, moved []int32) {
	var added []*graph.Bundle
	for _, p := range fresh.packages {
		added = append(added, p.Bundles...)
	}
	slices.SortFunc(added, func(a, b *graph.Bundle) int { return int(a.ID - b.ID) })
	apis, labels := indexValues(added)
	var same bool
	c.apis, same = old.apis.update(moved, apis)
	c.labels, _ = old.labels.update(moved, labels)
	if old.types.made.Load() {
		types, _ := old.types.value.update(moved, *indexTypes(added))
		c.types.set(&types)
	}
	if same && old.byAPI.made.Load() {
		c.byAPI.set(old.byAPI.value)
	}
}

// update returns the index with each ID at its new number, -1 for those that
// are gone, and with what was added. IDs that stay keep their order. It reports
// whether the keys are the same as before: then both share them.
func (x *index[K]) update(moved []int32, added index[K]) (next index[K], sameKeys bool) {
	lists := make([][]int32, len(x.starts)-1, len(x.starts)-1+len(added.slots)) // what is added to each slot
	next.slots = x.slots
	for k, s := range added.slots {
		ids := added.ids[added.starts[s]:added.starts[s+1]]
		if at, ok := x.slots[k]; ok {
			lists[at] = ids
			continue
		}
		if len(lists) == len(x.starts)-1 {
			next.slots = maps.Clone(x.slots)
		}
		next.slots[k] = int32(len(lists))
		lists = append(lists, ids)
	}
	next.ids = make([]int32, 0, len(x.ids)+len(added.ids))
	next.starts = make([]int32, 1, len(lists)+1)
	empty := 0
	for s, more := range lists {
		if s < len(x.starts)-1 {
			next.ids = mergeMoved(next.ids, x.ids[x.starts[s]:x.starts[s+1]], moved, more)
		} else {
			next.ids = append(next.ids, more...)
		}
		if int32(len(next.ids)) == next.starts[s] {
			empty++
		}
		next.starts = append(next.starts, int32(len(next.ids)))
	}
	sameKeys = len(lists) == len(x.starts)-1
	if empty > 0 {
		next.dropEmpty(sameKeys)
	}
	return next, sameKeys && empty == 0
}

// mergeMoved appends the new numbers of ids and the numbers of more, in order.
func mergeMoved(dst, ids, moved, more []int32) []int32 {
	for _, id := range ids {
		to := moved[id]
		if to < 0 {
			continue
		}
		for len(more) > 0 && more[0] < to {
			dst = append(dst, more[0])
			more = more[1:]
		}
		dst = append(dst, to)
	}
	return append(dst, more...)
}

// dropEmpty drops the keys whose lists are empty. Slots that are shared with
// another index are left to it.
func (x *index[K]) dropEmpty(shared bool) {
	slots := x.slots
	if shared {
		slots = make(map[K]int32, len(x.slots))
	}
	renumbered := make([]int32, len(x.starts)-1)
	starts := make([]int32, 1, len(x.starts))
	for s := range renumbered {
		if x.starts[s+1] == x.starts[s] {
			renumbered[s] = -1
			continue
		}
		renumbered[s] = int32(len(starts) - 1)
		starts = append(starts, x.starts[s+1])
	}
	for k, s := range x.slots {
		if renumbered[s] < 0 {
			delete(slots, k)
		} else {
			slots[k] = renumbered[s]
		}
	}
	x.slots, x.starts = slots, starts
}
