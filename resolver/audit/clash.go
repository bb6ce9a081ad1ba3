package audit

import (
	"context"
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// MaxPairs is how many pairs of packages an audit compares that provide the same APIs, each
// pair once for each API, to find those that can never be installed together. The
// packages of an API that would go beyond are not compared: [Summary.NotCompared].
const MaxPairs = 1_000_000

// NeverTogether returns each pair of packages that can never be installed
// together once, the lesser name first.
func (s *Summary) NeverTogether() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		groups := make(map[string][]int32) // that a package is in
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

// clasher finds the packages that can never be installed together, by what their
// choosable bundles provide. Packages are the same if their names are: those
// of one name in several catalogs are one.
type clasher struct {
	cats  []resolver.Catalog
	only  map[string]bool // the packages that the audit is about; nil for all
	ctx   context.Context
	steps int   // since the last look at the context
	err   error // of the context

	gvks     []properties.GVK   // provided by several packages, one of them in only, in order
	packages [][]string         // by index into gvks: who provides it, in order
	sets     map[string]gvkSets // by package

	groups   map[string][]int32 // by package: which of apart it is in
	compared []bool             // by index into gvks: a group has all of its packages

	clashes     []Clash
	apart       [][]string
	notCompared int
}

// gvkSets are what the choosable bundles of a package provide of clasher.gvks, as
// ascending indexes: the distinct sets of bundles, and all of them together.
type gvkSets struct {
	each [][]int32
	all  []int32
}

// find fills in the clashes and the groups of packages that are apart. The error
// is that of the context.
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

// stopped counts steps, looks at the context once in a while, and reports whether it has
// ended: then what is found does not count any more.
func (c *clasher) stopped(steps int) bool {
	if c.steps += steps; c.steps >= 4096 && c.err == nil {
		c.steps, c.err = 0, c.ctx.Err()
	}
	return c.err != nil
}

// choosable goes through the bundles of a package that can be chosen.
func (c *clasher) choosable(pkg string) iter.Seq[*graph.Bundle] {
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

// findShared finds the APIs that several packages provide, of which the audit is about
// one at least.
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

// apis lists the APIs that the packages provide which the audit is about, in order.
func (c *clasher) apis() []properties.GVK {
	var all []properties.GVK
	for _, cat := range c.cats {
		if c.only == nil {
			all = slices.AppendSeq(all, cat.Content.APIs())
		}
	}
	for pkg := range c.only { // in any order
		for b := range c.choosable(pkg) {
			all = slices.AppendSeq(all, b.Properties.GVKs())
		}
	}
	slices.SortFunc(all, properties.GVK.Compare)
	return slices.Compact(all)
}

// providers lists the packages with a bundle that can be chosen and provides an API, in
// order.
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

// findSets finds what the bundles of each package provide of the shared APIs.
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
		for b := range c.choosable(pkg) {
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

// findGroups finds the packages all of whose bundles provide the same API. Groups
// that are part of another one say nothing more.
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

// grouped reports whether one of the groups found so far has all of some
// packages.
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

// findPairs finds the packages that clash whatever their versions, through one API
// here and another there. A pair is looked at where its first common API is.
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
		var mine, others []string // those that the audit is about come first
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

// alwaysClash reports whether each bundle of one package shares an API with each
// of another; not if the context ends.
func (c *clasher) alwaysClash(a, b gvkSets) bool {
	return every(a.each, func(x []int32) bool {
		return every(b.each, func(y []int32) bool {
			return !c.stopped(1+len(x)+len(y)) && firstCommon(x, y) >= 0
		})
	})
}

// holds reports whether an ascending list has an element.
func holds(list []int32, x int32) bool {
	_, found := slices.BinarySearch(list, x)
	return found
}

// firstCommon returns the least element that two ascending lists share, or -1.
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
