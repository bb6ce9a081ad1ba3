package cache

import (
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/saved"
	"github.com/seed109e2655/resolute/properties"
)

// Restore is [NewCatalog] for packages that a catalog had before: they are in
// order, no other catalog has them, and problems are all there are. Indexes are
// built by counting, from the columns. It serves package cache/snapshot, which
// answers for all of that.
func Restore(packages []*graph.Package, problems []graph.Problem, x saved.Columns[properties.GVK]) *Catalog {
	c := &Catalog{packages: packages, problems: problems}
	c.number()
	r := &restoring{catalog: c, columns: x}
	r.indexPackages()
	r.indexNames()
	r.indexProperties()
	c.byAPI = x.APIs
	return c
}

// restoring is a catalog whose indexes are built from columns.
type restoring struct {
	catalog *Catalog
	columns saved.Columns[properties.GVK]
	ordinal []int32 // of each bundle, by ID: its place in the columns
}

// indexPackages is [Catalog.indexPackages] without sorting. It also finds the
// ordinals.
func (r *restoring) indexPackages() {
	c := r.catalog
	c.starts = make([]int32, len(c.packages)+1)
	r.ordinal = make([]int32, len(c.bundles))
	of := make([]int32, len(c.bundles)) // the package of each bundle, by ID
	n := int32(0)
	for i, p := range c.packages {
		for _, b := range p.Bundles {
			r.ordinal[b.ID], of[b.ID] = n, int32(i)
			n++
		}
		c.starts[i+1] = n
	}
	c.inPackage = make([]int32, len(c.bundles))
	next := slices.Clone(c.starts)
	for id, p := range of {
		c.inPackage[next[p]] = int32(id)
		next[p]++
	}
}

// indexNames is [Catalog.indexNames] without sorting.
func (r *restoring) indexNames() {
	next := make([]int32, r.columns.NameCount+1)
	for _, rank := range r.columns.Names {
		next[rank+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	r.catalog.byName = make([]int32, len(r.ordinal))
	for id, o := range r.ordinal {
		rank := r.columns.Names[o]
		r.catalog.byName[next[rank]] = int32(id)
		next[rank]++
	}
}

// indexProperties is [Catalog.indexProperties] without looking up what a
// property says.
func (r *restoring) indexProperties() {
	x, c := &r.columns, r.catalog
	apis, labels, types := newLists(x.API, len(x.APIs)), newLists(x.Label, len(x.Labels)), newLists(x.Type, len(x.Types))
	all := []*lists{apis, types}
	if len(x.Labels) > 0 { // few catalogs have any
		all = append(all, labels)
	}
	for id, o := range r.ordinal {
		for _, p := range x.Properties[x.Starts[o]:x.Starts[o+1]] {
			for _, l := range all {
				l.count(p, int32(id))
			}
		}
	}
	apis.layOut()
	labels.layOut()
	types.layOut()
	for id, o := range r.ordinal {
		for _, p := range x.Properties[x.Starts[o]:x.Starts[o+1]] {
			for _, l := range all {
				l.add(p, int32(id))
			}
		}
	}
	c.apis, c.labels, c.types = restoreIndex(apis, x.APIs), restoreIndex(labels, x.Labels), restoreIndex(types, x.Types)
}

// lists is an index whose lists are filled: first all items are counted, then
// they are added, bundles in ascending order.
type lists struct {
	slots       []uint32 // of each property: the number of its list
	last        []int32  // the ID that came last to each list, and 1
	starts, end []int32  // of each list in ids
	ids         []int32
}

// newLists returns so many empty lists.
func newLists(slots []uint32, n int) *lists {
	return &lists{slots: slots, last: make([]int32, n), starts: make([]int32, n+1)}
}

// count counts an item, once for each bundle.
func (l *lists) count(property uint32, id int32) {
	if s := l.slots[property]; s != saved.None && l.last[s] != id+1 {
		l.last[s] = id + 1
		l.starts[s+1]++
	}
}

// layOut makes room for what was counted.
func (l *lists) layOut() {
	for i := 1; i < len(l.starts); i++ {
		l.starts[i] += l.starts[i-1]
	}
	l.ids = make([]int32, l.starts[len(l.starts)-1])
	l.end = slices.Clone(l.starts)
	clear(l.last)
}

// add adds an item that was counted.
func (l *lists) add(property uint32, id int32) {
	if s := l.slots[property]; s != saved.None && l.last[s] != id+1 {
		l.last[s] = id + 1
		l.ids[l.end[s]] = id
		l.end[s]++
	}
}

// restoreIndex makes an index of lists with these keys.
func restoreIndex[K comparable](l *lists, keys []K) index[K] {
	x := index[K]{slots: make(map[K]int32, len(keys)), starts: l.starts, ids: l.ids}
	for i, k := range keys {
		x.slots[k] = int32(i)
	}
	return x
}
