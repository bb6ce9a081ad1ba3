package cache

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Catalog is an immutable, indexed catalog. It is safe for concurrent use; any number of
// resolutions may share one.
//
// Bundles are numbered from 0 in order of preference, by the rules that depend on the catalog
// alone (section 4 of the semantics, rules 5 to 7, each bundle at its best place): in the
// default channel of its package first; then by package name, then by channel name; then
// nearer to the head. Bundles without a place, which can never be newly selected, come last,
// by package and name. The number of a bundle is its [graph.Bundle.ID].
type Catalog struct {
	bundles   []*graph.Bundle // by ID
	choosable int
	unread    bool // some bundle was not read

	packages  []*graph.Package // by name
	inPackage [][]int32        // IDs of packages[i], ascending
	byName    lazy[[]int32]    // IDs by name, ascending for each name

	apis                  index[properties.GVK]
	byAPI                 lazy[[]properties.GVK] // keys of apis, sorted
	labels                index[string]
	types                 lazy[index[string]]
	digest, contentDigest lazy[string]

	problems []graph.Problem
}

// NewCatalog makes a catalog of packages, their problems, and the given problems found outside
// of packages. It takes ownership of the packages and numbers their bundles; a package that
// already belongs to another catalog is copied instead, so catalogs can share unchanged
// packages. Package names must be distinct: of several packages with one name, the first is
// kept and each other is reported as a problem.
//
// Concurrent calls must not share packages that belong to no catalog yet.
func NewCatalog(packages []*graph.Package, problems []graph.Problem) *Catalog {
	c := &Catalog{problems: slices.Clone(problems)}
	c.addPackages(packages)
	c.number()
	c.indexPackages()
	c.indexValues()
	for _, p := range c.packages {
		c.problems = append(c.problems, p.Problems...)
	}
	slices.SortStableFunc(c.problems, graph.Problem.Compare)
	c.problems = slices.Clip(c.problems)
	return c
}

// addPackages sorts the packages by name, keeps the first of each name, and clones packages
// that belong to another catalog.
func (c *Catalog) addPackages(packages []*graph.Package) {
	packages = slices.DeleteFunc(slices.Clone(packages), func(p *graph.Package) bool { return p == nil })
	slices.SortStableFunc(packages, func(a, b *graph.Package) int { return strings.Compare(a.Name, b.Name) })
	c.packages = make([]*graph.Package, 0, len(packages))
	for _, p := range packages {
		if n := len(c.packages); n > 0 && c.packages[n-1].Name == p.Name {
			c.problems = append(c.problems, graph.Problem{
				Severity: graph.SeverityError, Code: "packageDuplicate", Package: p.Name,
				File: p.Pos.File, Line: p.Pos.Line, Quarantined: "package",
				Message: fmt.Sprintf("package %q is declared twice, first at %s; this declaration is ignored: merge the two", p.Name, c.packages[n-1].Pos),
			})
			continue
		}
		if needsClone(p) {
			p = p.Clone()
		}
		c.packages = append(c.packages, p)
	}
}

// needsClone reports whether a package already belongs to a catalog, or comes from literals
// that lack fields [graph.Build] always sets; Clone sets them.
func needsClone(p *graph.Package) bool {
	return slices.ContainsFunc(p.Bundles, func(b *graph.Bundle) bool {
		return b == nil || b.ID >= 0 || b.Version == nil
	}) || slices.ContainsFunc(p.Channels, func(c *graph.Channel) bool {
		return c == nil || c.Package == nil
	})
}

// number assigns the bundle IDs without sorting: the channels of a package are in order, its
// default channel first, and so are the bundles of each channel.
func (c *Catalog) number() {
	n := 0
	for _, p := range c.packages {
		n += len(p.Bundles)
	}
	c.bundles = make([]*graph.Bundle, 0, n)
	for _, inDefault := range [...]bool{true, false} {
		for _, p := range c.packages {
			for _, ch := range p.Channels {
				if ch.Default() == inDefault {
					c.numberChannel(ch)
				}
			}
		}
	}
	c.choosable = len(c.bundles)
	for _, p := range c.packages {
		for _, b := range p.Bundles {
			if len(b.Places) == 0 {
				c.add(b)
			}
		}
	}
}

// numberChannel numbers the bundles whose best place is in the channel.
func (c *Catalog) numberChannel(ch *graph.Channel) {
	for _, b := range ch.Candidates() {
		if b.Places[0].Channel == ch {
			c.add(b)
		}
	}
}

// add assigns the next ID to a bundle.
func (c *Catalog) add(b *graph.Bundle) {
	b.ID = int32(len(c.bundles))
	c.unread = c.unread || b.Unread
	c.bundles = append(c.bundles, b)
}

// Len returns the number of bundles. IDs run from 0 to Len()-1.
func (c *Catalog) Len() int { return len(c.bundles) }

// Choosable returns how many bundles have a place: exactly those with a lower ID. The others
// can never be newly selected.
func (c *Catalog) Choosable() int { return c.choosable }

// Unread reports whether a bundle was not read: see [graph.Bundle.Unread].
func (c *Catalog) Unread() bool { return c.unread }

// Bundle returns the bundle with that ID, or nil.
func (c *Catalog) Bundle(id int32) *graph.Bundle {
	if id < 0 || int(id) >= len(c.bundles) {
		return nil
	}
	return c.bundles[id]
}

// Bundles returns the bundles by ID.
func (c *Catalog) Bundles() iter.Seq[*graph.Bundle] { return slices.Values(c.bundles) }

// Package returns the package with that name, or nil.
func (c *Catalog) Package(name string) *graph.Package {
	i, ok := c.findPackage(name)
	if !ok {
		return nil
	}
	return c.packages[i]
}

// findPackage returns the index of the package with that name, and whether it exists.
func (c *Catalog) findPackage(name string) (int, bool) {
	return slices.BinarySearchFunc(c.packages, name, func(p *graph.Package, name string) int {
		return strings.Compare(p.Name, name)
	})
}

// Packages returns the packages by name.
func (c *Catalog) Packages() iter.Seq[*graph.Package] { return slices.Values(c.packages) }

// Problems returns all problems of the catalog in the order of [graph.Problem.Compare]. The
// slice is shared: do not modify it.
func (c *Catalog) Problems() []graph.Problem { return c.problems }
