package cache

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// InPackage returns the IDs of all bundles of a package, ascending, including quarantined ones
// and those without a place. The slice is shared: do not modify it.
func (c *Catalog) InPackage(name string) []int32 {
	i, ok := c.findPackage(name)
	if !ok {
		return nil
	}
	return c.inPackage[i]
}

// Named returns the IDs of the bundles with that name, ascending. Usually there is at most
// one, but two packages may each have a bundle with the same name. The slice is shared: do not
// modify it.
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

// Providers returns the IDs of the bundles that provide an API, ascending; those below
// [Catalog.Choosable] are candidates. The slice is shared: do not modify it.
func (c *Catalog) Providers(api properties.GVK) []int32 { return c.apis.list(api) }

// Labelled returns the IDs of the bundles that have that label, ascending. The slice is
// shared: do not modify it.
func (c *Catalog) Labelled(label string) []int32 { return c.labels.list(label) }

// WithType returns the IDs of the bundles that have at least one property of
// that type, ascending. The slice is shared: do not modify it.
func (c *Catalog) WithType(typ string) []int32 {
	return c.types.get(c.indexTypes).list(typ)
}

// APIs returns each API that at least one bundle provides, in the order of
// [properties.GVK.Compare].
func (c *Catalog) APIs() iter.Seq[properties.GVK] {
	return slices.Values(c.byAPI.get(func() []properties.GVK {
		return slices.SortedFunc(maps.Keys(c.apis), properties.GVK.Compare)
	}))
}

// indexPackages lists the IDs by package.
func (c *Catalog) indexPackages() {
	c.inPackage = make([][]int32, len(c.packages))
	ids := make([]int32, len(c.bundles))
	for i, p := range c.packages {
		n := len(p.Bundles)
		c.inPackage[i], ids = ids[:n:n], ids[n:]
		for j, b := range p.Bundles {
			c.inPackage[i][j] = b.ID
		}
		slices.Sort(c.inPackage[i])
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

// indexValues indexes the IDs by API and label. Most bundles share properties with the bundle
// before; comparing pointers is faster than hashing the three strings of an API.
func (c *Catalog) indexValues() {
	c.apis, c.labels = make(index[properties.GVK], len(c.packages)), index[string]{}
	type known struct {
		property *properties.Property
		list     *list
	}
	var last []known // the properties of the bundle before
	for _, b := range c.bundles {
		n := 0
		for i := range b.Properties.Len() {
			p := b.Properties.At(i)
			switch p.Type() {
			case properties.TypePackage, properties.TypeGVKRequired, properties.TypePackageRequired:
				continue // avoids the allocation in Value
			}
			if n < len(last) && last[n].property == p {
				last[n].list.add(b.ID)
				n++
				continue
			}
			var l *list
			switch v := p.Value().(type) {
			case properties.GVK:
				l = c.apis.at(v)
			case properties.Label:
				l = c.labels.at(string(v))
			default:
				continue
			}
			if l.ids == nil {
				l.ids = make([]int32, 0, c.inARow(b))
			}
			l.add(b.ID)
			last = append(last[:n], known{p, l})
			n++
		}
	}
}

// inARow returns a bounded count of the bundles from b on in its package: the versions of an
// operator mostly provide the same.
func (c *Catalog) inARow(b *graph.Bundle) int {
	const limit = 16
	n := 1
	for _, next := range c.bundles[b.ID+1 : min(int(b.ID)+limit, len(c.bundles))] {
		if next.Package != b.Package {
			break
		}
		n++
	}
	return n
}

// indexTypes indexes the IDs by property type.
func (c *Catalog) indexTypes() index[string] {
	types := index[string]{}
	var last string
	var l *list
	for _, b := range c.bundles {
		for i := range b.Properties.Len() {
			if typ := b.Properties.At(i).Type(); l == nil || typ != last {
				last, l = typ, types.at(typ)
			}
			l.add(b.ID)
		}
	}
	return types
}

// index lists IDs by key.
type index[K comparable] map[K]*list

// list is an ascending list of IDs.
type list struct{ ids []int32 }

// at returns the list of a key, adding an empty one if there is none.
func (x index[K]) at(k K) *list {
	l := x[k]
	if l == nil {
		l = &list{}
		x[k] = l
	}
	return l
}

// list returns the IDs of a key.
func (x index[K]) list(k K) []int32 {
	if l := x[k]; l != nil {
		return slices.Clip(l.ids)
	}
	return nil
}

// add adds an ID that is not lower than the last, once.
func (l *list) add(id int32) {
	if n := len(l.ids); n == 0 || l.ids[n-1] != id {
		l.ids = append(l.ids, id)
	}
}
