package cache

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// InPackage returns the IDs of all bundles of a package, ascending, those
// without a place and quarantined ones included. The slice is shared: do not
// modify it.
func (c *Catalog) InPackage(name string) []int32 {
	i, ok := c.findPackage(name)
	if !ok {
		return nil
	}
	return clip(c.inPackage, c.starts[i], c.starts[i+1])
}

// Named returns the IDs of the bundles of that name, ascending. Usually there
// is at most one, but two packages may each have a bundle of one name. The
// slice is shared: do not modify it.
func (c *Catalog) Named(name string) []int32 {
	byName := c.byName.get(c.indexNames)
	lo, ok := slices.BinarySearchFunc(byName, name, func(id int32, name string) int {
		return strings.Compare(c.bundles[id].Name, name)
	})
	if !ok {
		return nil
	}
	hi := lo + 1
	for hi < len(byName) && c.bundles[byName[hi]].Name == name {
		hi++
	}
	return byName[lo:hi:hi]
}

// Providers returns the IDs of the bundles that provide an API, ascending;
// those below [Catalog.Choosable] can be chosen. The slice is shared: do not
// modify it.
func (c *Catalog) Providers(api properties.GVK) []int32 { return c.apis.list(api) }

// Labelled returns the IDs of the bundles that have that label, ascending. The
// slice is shared: do not modify it.
func (c *Catalog) Labelled(label string) []int32 { return c.labels.list(label) }

// WithType returns the IDs of the bundles that have at least one property of
// that type, ascending. The slice is shared: do not modify it.
func (c *Catalog) WithType(typ string) []int32 {
	return c.types.get(func() *index[string] { return indexTypes(c.bundles) }).list(typ)
}

// APIs returns each API that some bundle provides, in the order of
// [properties.GVK.Compare].
func (c *Catalog) APIs() iter.Seq[properties.GVK] {
	return slices.Values(c.byAPI.get(func() []properties.GVK {
		return slices.SortedFunc(maps.Keys(c.apis.slots), properties.GVK.Compare)
	}))
}

// indexPackages lists the IDs by package.
func (c *Catalog) indexPackages() {
	c.starts = make([]int32, len(c.packages)+1)
	for i, p := range c.packages {
		c.starts[i+1] = c.starts[i] + int32(len(p.Bundles))
	}
	c.inPackage = make([]int32, len(c.bundles))
	for i, p := range c.packages {
		list := c.inPackage[c.starts[i]:c.starts[i+1]]
		for j, b := range p.Bundles {
			list[j] = b.ID
		}
		slices.Sort(list)
	}
}

// indexNames sorts the IDs by name.
func (c *Catalog) indexNames() []int32 {
	byName := make([]int32, len(c.bundles))
	for i := range byName {
		byName[i] = int32(i)
	}
	slices.SortStableFunc(byName, func(i, j int32) int {
		return strings.Compare(c.bundles[i].Name, c.bundles[j].Name)
	})
	return byName
}

// indexValues lists the IDs of bundles, which come in ascending order of them,
// by what their properties say.
func indexValues(bundles []*graph.Bundle) (index[properties.GVK], index[string]) {
	apis, labels := newIndexer[properties.GVK](len(bundles)), newIndexer[string](0)
	// Bundles share most of their properties with the one before, and a pointer is
	// found faster than the three strings of an API.
	var before properties.Set // one with an "olm.package" property first, and without a label
	var slots []apiSlot       // of its APIs
	for _, b := range bundles {
		set := b.Properties
		numbered := set.Len() > 0 && set.At(0).Version() != nil
		if numbered && before.Len() > 0 && set.SharesRest(before) {
			for _, at := range slots {
				apis.add(at.slot, b.ID)
			}
			continue
		}
		before = properties.Set{}
		if numbered {
			before = set
		}
		n := 0
		for i := range set.Len() {
			p := set.At(i)
			if p.Version() != nil {
				continue // Value would take memory
			}
			switch v := p.Value().(type) {
			case properties.GVK:
				if n == len(slots) {
					slots = append(slots, apiSlot{})
				}
				if slots[n].property != p {
					slots[n] = apiSlot{p, apis.slot(v)}
				}
				apis.add(slots[n].slot, b.ID)
				n++
			case properties.Label:
				labels.add(labels.slot(string(v)), b.ID)
				before = properties.Set{}
			}
		}
		slots = slots[:n]
	}
	return apis.index(), labels.index()
}

// apiSlot is the slot of the API in a property.
type apiSlot struct {
	property *properties.Property
	slot     int32
}

// indexTypes lists the IDs of bundles, which come in ascending order of them, by
// the types of their properties.
func indexTypes(bundles []*graph.Bundle) *index[string] {
	types := newIndexer[string](2 * len(bundles))
	for _, b := range bundles {
		last, slot := "", int32(-1)
		for i := range b.Properties.Len() {
			if typ := b.Properties.At(i).Type(); slot < 0 || typ != last {
				last, slot = typ, types.slot(typ)
			}
			types.add(slot, b.ID)
		}
	}
	x := types.index()
	return &x
}

// index lists IDs by key, all lists in one array.
type index[K comparable] struct {
	slots  map[K]int32
	starts []int32 // of each slot in ids; one more at the end
	ids    []int32
}

// list returns the IDs of a key.
func (x *index[K]) list(k K) []int32 {
	s, ok := x.slots[k]
	if !ok {
		return nil
	}
	return clip(x.ids, x.starts[s], x.starts[s+1])
}

// clip returns ids[from:to] so that appending to it cannot overwrite the rest.
func clip(ids []int32, from, to int32) []int32 { return ids[from:to:to] }

// indexer collects what becomes an index. IDs have to be added in ascending
// order.
type indexer[K comparable] struct {
	slots map[K]int32
	lists []listEnd
	pairs []pair
}

// listEnd is the length of a list and the last ID in it.
type listEnd struct{ count, last int32 }

// pair is one item of a list.
type pair struct{ slot, id int32 }

// newIndexer returns an indexer for about n items.
func newIndexer[K comparable](n int) *indexer[K] {
	return &indexer[K]{slots: map[K]int32{}, pairs: make([]pair, 0, n)}
}

// slot returns the number of a key's list, and opens the list if it is new.
func (x *indexer[K]) slot(k K) int32 {
	s, ok := x.slots[k]
	if !ok {
		s = int32(len(x.lists))
		x.slots[k] = s
		x.lists = append(x.lists, listEnd{last: -1})
	}
	return s
}

// add adds an ID to a list, unless it is its last already.
func (x *indexer[K]) add(slot, id int32) {
	l := &x.lists[slot]
	if l.last == id {
		return
	}
	l.last = id
	l.count++
	x.pairs = append(x.pairs, pair{slot, id})
}

// index lays the lists out one behind the other.
func (x *indexer[K]) index() index[K] {
	out := index[K]{slots: x.slots, starts: make([]int32, len(x.lists)+1), ids: make([]int32, len(x.pairs))}
	for s, l := range x.lists {
		out.starts[s+1] = out.starts[s] + l.count
	}
	next := slices.Clone(out.starts)
	for _, p := range x.pairs {
		out.ids[next[p.slot]] = p.id
		next[p.slot]++
	}
	return out
}
