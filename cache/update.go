package cache

import (
	"slices"
	"sort"
	"strings"

	"github.com/seed109e2655/resolute/graph"
)

// Update returns the catalog that [NewCatalog] would make of the packages of c,
// without those whose names are in removed, with changed in the place of those
// of the same names and beside the others, and of the problems that were found
// outside of packages, which replace those of c. The work that it takes grows
// with what changed, but for a small part: packages that did not change are
// shared with c, or copied where their bundles need other numbers.
//
// Update takes the changed packages over as NewCatalog does. c stays as it is.
func (c *Catalog) Update(changed []*graph.Package, removed []string, problems []graph.Problem) *Catalog {
	if len(c.packages) == 0 {
		return NewCatalog(changed, problems)
	}
	next := &Catalog{problems: slices.Clone(problems)}
	fresh := &Catalog{} // the changed packages alone
	fresh.take(changed)
	next.problems = append(next.problems, fresh.problems...)

	moved := next.combine(c, fresh, removed)
	next.indexPackages()
	next.updateNames(c, fresh, moved)
	next.updateProperties(c, fresh, moved)
	for _, p := range next.packages {
		next.problems = append(next.problems, p.Problems...)
	}
	slices.SortStableFunc(next.problems, graph.CompareProblems)
	next.problems = slices.Clip(next.problems)
	return next
}

// combine takes the packages of fresh and those of old that stay, and numbers
// the bundles. It returns the new number of each bundle of old, -1 for those
// that are gone. Bundles that stay keep their order.
func (c *Catalog) combine(old, fresh *Catalog, removed []string) []int32 {
	gone := make([]bool, len(old.packages))
	for _, name := range removed {
		if i, ok := old.findPackage(name); ok {
			gone[i] = true
		}
	}
	for _, p := range fresh.packages {
		if i, ok := old.findPackage(p.Name); ok {
			gone[i] = true
		}
	}
	c.packages = make([]*graph.Package, 0, len(old.packages)+len(fresh.packages))
	from := make([]int, 0, cap(c.packages)) // in old.packages, or -1
	i, j := 0, 0
	for i < len(old.packages) || j < len(fresh.packages) {
		switch {
		case i < len(old.packages) && gone[i]:
			i++
		case j == len(fresh.packages) || i < len(old.packages) && old.packages[i].Name < fresh.packages[j].Name:
			c.packages = append(c.packages, old.packages[i])
			from = append(from, i)
			i++
		default:
			c.packages = append(c.packages, fresh.packages[j])
			from = append(from, -1)
			j++
		}
	}
	return c.renumber(old, from)
}

// renumber numbers the bundles, where package i is package from[i] of old, or
// a new one. In each block the bundles of a package stand in a row, so all of
// them that stay move by the same distance.
func (c *Catalog) renumber(old *Catalog, from []int) []int32 {
	starts := old.blockStarts()
	moved := slices.Repeat([]int32{-1}, len(old.bundles))
	c.blocks = make([]blocks, len(c.packages))
	c.bundles = make([]*graph.Bundle, 0, len(old.bundles))
	for block := range blockCount {
		for i, p := range c.packages {
			before := int32(len(c.bundles))
			if from[i] < 0 {
				c.numberBlock(p, block)
			} else {
				at, n := starts[from[i]][block], old.blocks[from[i]][block]
				c.bundles = append(c.bundles, old.bundles[at:at+n]...)
				for k := range n {
					moved[at+k] = before + k
				}
			}
			c.blocks[i][block] = int32(len(c.bundles)) - before
		}
		switch block {
		case blockDefault:
			c.inDefault = len(c.bundles)
		case blockOther:
			c.choosable = len(c.bundles)
		}
	}
	for i, p := range c.packages {
		if from[i] >= 0 {
			c.packages[i] = c.shareOrCopy(p, moved)
		}
	}
	return moved
}

// shareOrCopy returns a package of the old catalog if all its bundles keep
// their numbers, else a copy with the new ones.
func (c *Catalog) shareOrCopy(p *graph.Package, moved []int32) *graph.Package {
	if !slices.ContainsFunc(p.Bundles, func(b *graph.Bundle) bool { return moved[b.ID] != b.ID }) {
		return p
	}
	own := p.Clone()
	for i, b := range own.Bundles {
		b.ID = moved[p.Bundles[i].ID]
		c.bundles[b.ID] = b
	}
	return own
}

// blockStarts returns the first number that each package has in each block.
func (c *Catalog) blockStarts() []blocks {
	starts := make([]blocks, len(c.packages))
	next := blocks{blockOther: int32(c.inDefault), blockUnplaced: int32(c.choosable)}
	for i, counts := range c.blocks {
		starts[i] = next
		for block, n := range counts {
			next[block] += n
		}
	}
	return starts
}

// updateNames sorts the numbers by name: those that stay are sorted already, if the
// names were ever wanted.
func (c *Catalog) updateNames(old, fresh *Catalog, moved []int32) {
	if !old.byName.made.Load() {
		return
	}
	added := fresh.sortedBundles()
	byName := make([]int32, 0, len(c.bundles))
	for _, id := range old.byName.value {
		to := moved[id]
		if to < 0 {
			continue
		}
		for len(added) > 0 && c.compareNames(added[0], to) < 0 {
			byName = append(byName, added[0])
			added = added[1:]
		}
		byName = append(byName, to)
	}
	c.byName.set(append(byName, added...))
}

// sortedBundles returns the numbers of the bundles by name, then number. They
// need not be numbered by this catalog.
func (c *Catalog) sortedBundles() []int32 {
	var all []*graph.Bundle
	for _, p := range c.packages {
		all = append(all, p.Bundles...)
	}
	sort.Slice(all, func(i, j int) bool {
		if by := strings.Compare(all[i].Name, all[j].Name); by != 0 {
			return by < 0
		}
		return all[i].ID < all[j].ID
	})
	ids := make([]int32, len(all))
	for i, b := range all {
		ids[i] = b.ID
	}
	return ids
}

// compareNames orders numbers by the names of their bundles, then as they are.
func (c *Catalog) compareNames(i, j int32) int {
	if by := strings.Compare(c.bundles[i].Name, c.bundles[j].Name); by != 0 {
		return by
	}
	return int(i - j)
}
