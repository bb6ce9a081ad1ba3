package audit

import (
	"context"
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// MaxPairs limits the compared pairs of packages that provide the same APIs, counted once for
// each API, in the search for packages that can never be installed together. Packages of further
// APIs are not compared: [Summary.NotCompared].
const MaxPairs = 1_000_000

// NeverTogether returns each pair of packages that can never be installed together once, sorted
// by name.
func (s *Summary) NeverTogether() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		groups := make(map[string][]int32) // by package
		for g, group := range s.Apart {
			for _, p := range group {
				groups[p] = append(groups[p], int32(g))
			}
		}
		for g, group := range s.Apart {
			for i, a := range group {
				for _, b := range group[i+1:] {
					if firstCommon(groups[a], groups[b]) == int32(g) && !yield(a, b) {
						return
					}
				}
			}
		}
	}
}

// clasher finds packages that can never be installed together, by the APIs of their candidates.
// Packages with the same name in several catalogs count as one.
type clasher struct {
	cats  []resolver.Catalog
	only  map[string]bool // the audited packages; nil for all
	ctx   context.Context
	steps int   // since the last check of the context
	err   error // of the context

	gvks     []properties.GVK   // provided by several packages, one of them in only, in order
	packages [][]string         // providers by index into gvks, sorted
	sets     map[string]gvkSets // by package

	groups   map[string][]int32 // by package: indexes into apart
	compared []bool             // by index into gvks: a group contains all providers

	clashes     []Clash
	apart       [][]string
	notCompared int
}

// gvkSets are the indexes into clasher.gvks of the APIs that the candidates of a package provide,
// sorted: the distinct sets per bundle, and their union.
type gvkSets struct {
	each [][]int32
	all  []int32
}

// find computes the clashes and the groups of packages that are apart. The error is that of the
// context.
func (c *clasher) find(ctx context.Context) error {
	c.ctx = ctx
	for _, search := range []func(){c.findShared, c.findSets, c.findGroups, c.findPairs} {
		if search(); c.err != nil {
			return c.err
		}
	}
	slices.SortFunc(c.apart, slices.Compare[[]string])
	return nil
}

// stopped counts steps, occasionally checks the context, and reports whether it has ended, which
// discards the result.
func (c *clasher) stopped(steps int) bool {
	if c.steps += steps; c.steps >= 4096 && c.err == nil {
		c.steps, c.err = 0, c.ctx.Err()
	}
	return c.err != nil
}

// candidates iterates over the candidates of a package.
func (c *clasher) candidates(pkg string) iter.Seq[*graph.Bundle] {
	return func(yield func(*graph.Bundle) bool) {
		for _, cat := range c.cats {
			for _, id := range cat.Content.InPackage(pkg) {
				if c.stopped(1) {
					return
				}
				if b := cat.Content.Bundle(id); int(id) < cat.Content.Choosable() && !b.Barred && !yield(b) {
					return
				}
			}
		}
	}
}

// findShared finds the APIs that several packages provide, at least one of them audited.
func (c *clasher) findShared() {
	for _, g := range c.apis() {
		packages := c.providers(g)
		if c.err != nil {
			return
		}
		if len(packages) > 1 && c.concerns(packages) {
			c.gvks, c.packages = append(c.gvks, g), append(c.packages, packages)
			c.clashes = append(c.clashes, Clash{GVK: g.String(), Packages: packages})
		}
	}
}

// apis returns the APIs that audited packages provide, sorted.
func (c *clasher) apis() []properties.GVK {
	var all []properties.GVK
	for _, cat := range c.cats {
		if c.only == nil {
			all = slices.AppendSeq(all, cat.Content.APIs())
		}
	}
	for pkg := range c.only { // in any order
		for b := range c.candidates(pkg) {
			all = slices.AppendSeq(all, b.Properties.GVKs())
		}
	}
	slices.SortFunc(all, properties.GVK.Compare)
	return slices.Compact(all)
}

// providers returns the packages with a candidate that provides an API, sorted.
func (c *clasher) providers(g properties.GVK) []string {
	var packages []string
	for _, cat := range c.cats {
		for _, id := range cat.Content.Providers(g) {
			if c.stopped(1) || int(id) >= cat.Content.Choosable() {
				break
			}
			b := cat.Content.Bundle(id)
			if n := len(packages); !b.Barred && (n == 0 || packages[n-1] != b.Package) {
				packages = append(packages, b.Package)
			}
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

func (c *clasher) concerns(packages []string) bool {
	return c.only == nil || slices.ContainsFunc(packages, func(p string) bool { return c.only[p] })
}

// findSets finds the shared APIs that the bundles of each package provide.
func (c *clasher) findSets() {
	index := make(map[properties.GVK]int32, len(c.gvks))
	for i, g := range c.gvks {
		index[g] = int32(i)
	}
	var involved []string
	for _, packages := range c.packages {
		if c.stopped(len(packages)) {
			return
		}
		involved = append(involved, packages...)
	}
	slices.Sort(involved)
	for _, pkg := range slices.Compact(involved) {
		var s gvkSets
		for b := range c.candidates(pkg) {
			var set []int32
			for g := range b.Properties.GVKs() {
				if i, ok := index[g]; ok {
					set = append(set, i)
				}
			}
			slices.Sort(set)
			s.each, s.all = append(s.each, slices.Compact(set)), append(s.all, set...)
		}
		slices.SortFunc(s.each, slices.Compare[[]int32])
		s.each = slices.CompactFunc(s.each, slices.Equal[[]int32])
		slices.Sort(s.all)
		s.all = slices.Compact(s.all)
		c.sets[pkg] = s
	}
}

// findGroups finds groups of packages of which all bundles provide the same API. Subsets of other
// groups are omitted.
func (c *clasher) findGroups() {
	var groups [][]string
	c.compared = make([]bool, len(c.packages))
	for i, packages := range c.packages {
		var group []string
		for _, p := range packages {
			if c.stopped(len(c.sets[p].each)) {
				return
			}
			if every(c.sets[p].each, func(set []int32) bool { return holds(set, int32(i)) }) {
				group = append(group, p)
			}
		}
		if len(group) > 1 && c.concerns(group) {
			groups = append(groups, group)
			c.compared[i] = len(group) == len(packages)
		}
	}
	slices.SortStableFunc(groups, func(a, b []string) int { return len(b) - len(a) })
	for _, group := range groups {
		if c.grouped(group) {
			continue
		}
		for _, p := range group {
			c.groups[p] = append(c.groups[p], int32(len(c.apart)))
		}
		c.apart = append(c.apart, group)
	}
}

// grouped reports whether an existing group contains all of some packages.
func (c *clasher) grouped(packages []string) bool {
	in := c.groups[packages[0]]
	for _, p := range packages[1:] {
		if c.stopped(len(in)+1) || len(in) == 0 {
			return false
		}
		var both []int32
		for _, g := range in {
			if holds(c.groups[p], g) {
				both = append(both, g)
			}
		}
		in = both
	}
	return len(in) > 0
}

// findPairs finds packages of which any two versions share some API, but not always the same. A
// pair is compared at its first common API.
func (c *clasher) findPairs() {
	pairs := 0
	for i, packages := range c.packages {
		if c.compared[i] {
			continue
		}
		n := len(packages) * (len(packages) - 1) / 2
		if n > MaxPairs-pairs {
			c.notCompared += n
			continue
		}
		pairs += n
		var mine, others []string // audited packages come first
		for _, p := range packages {
			if c.concerns([]string{p}) {
				mine = append(mine, p)
			} else {
				others = append(others, p)
			}
		}
		for k, p := range mine {
			for _, q := range slices.Concat(mine[k+1:], others) {
				a, b := c.sets[p], c.sets[q]
				if c.stopped(1 + len(a.all) + len(b.all)) {
					return
				}
				if firstCommon(a.all, b.all) == int32(i) && firstCommon(c.groups[p], c.groups[q]) < 0 && c.alwaysClash(a, b) {
					c.apart = append(c.apart, []string{min(p, q), max(p, q)})
				}
			}
		}
	}
}

// alwaysClash reports whether each bundle of one package shares an API with each bundle of
// another; false if the context ends.
func (c *clasher) alwaysClash(a, b gvkSets) bool {
	return every(a.each, func(x []int32) bool {
		return every(b.each, func(y []int32) bool {
			return !c.stopped(1+len(x)+len(y)) && firstCommon(x, y) >= 0
		})
	})
}

// holds reports whether a sorted list has an element.
func holds(list []int32, x int32) bool {
	_, found := slices.BinarySearch(list, x)
	return found
}

// firstCommon returns the smallest common element of two sorted lists, or -1.
func firstCommon(a, b []int32) int32 {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			return a[0]
		}
	}
	return -1
}

func every[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}
