package audit

import (
	"context"
	"encoding/binary"
	"iter"
	"maps"
	"slices"

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

	gvks     []properties.GVK   // provided by several packages, in order
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

func newClasher(cats []resolver.Catalog, only map[string]bool) *clasher {
	return &clasher{cats: cats, only: only, sets: make(map[string]gvkSets), groups: make(map[string][]int32)}
}

// find fills in the clashes and the groups of packages that are apart. The error
// is that of the context.
func (c *clasher) find(ctx context.Context) error {
	c.ctx = ctx
	for _, search := range []func() error{c.findShared, c.findSets, c.findGroups, c.findPairs} {
		if err := search(); err != nil {
			return err
		}
	}
	slices.SortFunc(c.apart, slices.Compare[[]string])
	return nil
}

// tick counts steps, and looks at the context once in a while.
func (c *clasher) tick(steps int) error {
	if c.steps += steps; c.steps >= 4096 && c.err == nil {
		c.steps, c.err = 0, c.ctx.Err()
	}
	return c.err
}

// choosable calls a function for each bundle that can be chosen.
func (c *clasher) choosable(do func(pkg string, provides iter.Seq[properties.GVK])) error {
	for _, cat := range c.cats {
		for id := range int32(cat.Content.Choosable()) {
			if err := c.tick(1); err != nil {
				return err
			}
			if b := cat.Content.Bundle(id); !b.Barred {
				do(b.Package, b.Properties.GVKs())
			}
		}
	}
	return nil
}

// findShared finds the APIs that several packages provide.
func (c *clasher) findShared() error {
	first := make(map[properties.GVK]string)
	shared := make(map[properties.GVK]map[string]bool)
	err := c.choosable(func(pkg string, provides iter.Seq[properties.GVK]) {
		for g := range provides {
			switch other, known := first[g]; {
			case !known:
				first[g] = pkg
			case other != pkg:
				if shared[g] == nil {
					shared[g] = map[string]bool{other: true}
				}
				shared[g][pkg] = true
			}
		}
	})
	c.gvks = slices.SortedFunc(maps.Keys(shared), properties.GVK.Compare)
	for _, g := range c.gvks {
		c.packages = append(c.packages, slices.Sorted(maps.Keys(shared[g])))
	}
	for i, g := range c.gvks {
		if c.concerns(c.packages[i]) {
			c.clashes = append(c.clashes, Clash{GVK: g.String(), Packages: c.packages[i]})
		}
	}
	return err
}

// concerns reports whether the audit is about any of some packages.
func (c *clasher) concerns(packages []string) bool {
	return c.only == nil || slices.ContainsFunc(packages, func(p string) bool { return c.only[p] })
}

// findSets finds what the bundles of each package provide of the shared APIs.
func (c *clasher) findSets() error {
	index := make(map[properties.GVK]int32, len(c.gvks))
	for i, g := range c.gvks {
		index[g] = int32(i)
	}
	seen := make(map[string]bool)
	var key []byte
	err := c.choosable(func(pkg string, provides iter.Seq[properties.GVK]) {
		var set []int32
		for g := range provides {
			if i, ok := index[g]; ok {
				set = append(set, i)
			}
		}
		slices.Sort(set)
		set = slices.Compact(set)
		key = append(key[:0], pkg...)
		for _, i := range set {
			key = binary.BigEndian.AppendUint32(key, uint32(i))
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			s := c.sets[pkg]
			s.each, s.all = append(s.each, set), append(s.all, set...)
			c.sets[pkg] = s
		}
	})
	for pkg, s := range c.sets {
		slices.Sort(s.all)
		s.all = slices.Compact(s.all)
		c.sets[pkg] = s
	}
	return err
}

// findGroups finds the packages all of whose bundles provide the same API. Groups
// that are part of another one say nothing more.
func (c *clasher) findGroups() error {
	var groups [][]string
	c.compared = make([]bool, len(c.packages))
	for i, packages := range c.packages {
		var group []string
		for _, p := range packages {
			if err := c.tick(len(c.sets[p].each)); err != nil {
				return err
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
	return c.err
}

// grouped reports whether one of the groups found so far has all of some
// packages.
func (c *clasher) grouped(packages []string) bool {
	in := c.groups[packages[0]]
	for _, p := range packages[1:] {
		if c.tick(len(in)+1) != nil || len(in) == 0 {
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
func (c *clasher) findPairs() error {
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
		for k, p := range packages {
			for _, q := range packages[k+1:] {
				a, b := c.sets[p], c.sets[q]
				if err := c.tick(1 + len(a.all) + len(b.all)); err != nil {
					return err
				}
				if firstCommon(a.all, b.all) == int32(i) && c.concerns([]string{p, q}) &&
					firstCommon(c.groups[p], c.groups[q]) < 0 && c.alwaysClash(a, b) {
					c.apart = append(c.apart, []string{p, q})
				}
			}
		}
	}
	return c.err
}

// alwaysClash reports whether each bundle of one package shares an API with each
// of another; not if the context ends.
func (c *clasher) alwaysClash(a, b gvkSets) bool {
	return every(a.each, func(x []int32) bool {
		return every(b.each, func(y []int32) bool {
			return c.tick(1+len(x)+len(y)) == nil && firstCommon(x, y) >= 0
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

// every reports whether all elements of a list satisfy a predicate.
func every[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}
