package cache_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// build builds a package of each declaration.
func build(decls map[string]graph.PackageDecl) []*graph.Package {
	out := []*graph.Package{}
	for _, d := range decls {
		out = append(out, graph.Build(d, graph.Options{}))
	}
	return out
}

// names returns the names of the bundles by number, each with its package.
func names(c *cache.Catalog) []string {
	out := []string{}
	for b := range c.Bundles() {
		out = append(out, b.Package+"/"+b.Name+" "+b.Version.String())
	}
	return out
}

// TestUpdateEqualsNew holds a chain of updates against catalogs that are made
// afresh, and the catalog before each against what it was.
func TestUpdateEqualsNew(t *testing.T) {
	shared, copied := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		pool := []string{"a", "etcd", "kafka", "prometheus", "z"}
		decls := map[string]graph.PackageDecl{}
		c := cache.NewCatalog(nil, nil)
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			changed, removed := map[string]graph.PackageDecl{}, []string{}
			for _, name := range pool {
				switch rapid.IntRange(0, 4).Draw(t, name) {
				case 0:
					changed[name] = drawPackage(t, name)
					decls[name] = changed[name]
				case 1:
					removed = append(removed, name) // also where there is none
					delete(decls, name)
				}
			}
			problems := []graph.Problem{{File: rapid.SampledFrom([]string{"", "f"}).Draw(t, "file"), Message: "outside"}}
			before := names(c)
			next := c.Update(build(changed), removed, problems)
			want := cache.NewCatalog(build(decls), problems)

			require.Equal(t, names(want), names(next))
			require.Equal(t, want.Choosable(), next.Choosable())
			require.Equal(t, want.Problems(), next.Problems())
			require.Equal(t, slices.Collect(want.APIs()), slices.Collect(next.APIs()))
			checkIndexes(t, next)
			checkNumbers(t, next)
			require.Equal(t, before, names(c), "the catalog before was changed")
			checkIndexes(t, c)
			checkNumbers(t, c)
			for p := range next.Packages() {
				if _, ok := changed[p.Name]; ok || len(p.Bundles) == 0 {
					continue
				}
				if p == c.Package(p.Name) {
					shared++
				} else {
					copied++
				}
			}
			c = next
		}
	})
	require.Positive(t, shared)
	require.Positive(t, copied)
}

// TestUpdateShares: what keeps its numbers is shared, what has to move is not.
func TestUpdateShares(t *testing.T) {
	one := cache.NewCatalog([]*graph.Package{pkg(t, "b", "1"), pkg(t, "c", "1"), pkg(t, "d", "1")}, []graph.Problem{{Message: "old"}})
	two := one.Update([]*graph.Package{pkg(t, "c", "2")}, nil, []graph.Problem{{Message: "new"}})
	require.Same(t, one.Package("b"), two.Package("b"))
	require.Same(t, one.Package("d"), two.Package("d"))
	require.NotSame(t, one.Package("c"), two.Package("c"))
	require.Equal(t, []string{"new"}, messages(two))
	require.Equal(t, []string{"old"}, messages(one))

	three := two.Update([]*graph.Package{pkg(t, "bb", "2"), one.Package("c")}, []string{"absent"}, nil)
	require.Same(t, two.Package("b"), three.Package("b"))
	require.NotSame(t, two.Package("d"), three.Package("d"))
	require.NotSame(t, one.Package("c"), three.Package("c"), "it belongs to another catalog")
	require.Equal(t, int32(2), one.Package("d").Bundles[0].ID)
	require.Equal(t, int32(3), three.Package("d").Bundles[0].ID)
	require.Same(t, three.Package("d").Bundles[0], three.Bundle(3))
	require.Same(t, three.Package("d"), three.Package("d").Channels[0].Package)

	four := three.Update(nil, []string{"b", "bb", "c", "d"}, nil)
	require.Zero(t, four.Len())
	require.Empty(t, slices.Collect(four.APIs()))
}

// messages returns the problems outside of packages.
func messages(c *cache.Catalog) []string {
	out := []string{}
	for _, p := range c.Problems() {
		if p.Package == "" || strings.Contains(p.Message, "twice") {
			out = append(out, p.Message)
		}
	}
	return out
}

// TestUpdateTwice: of two changed packages with one name the first counts.
func TestUpdateTwice(t *testing.T) {
	one := cache.NewCatalog([]*graph.Package{pkg(t, "b", "old")}, nil)
	two := one.Update([]*graph.Package{pkg(t, "b", "first"), pkg(t, "b", "second")}, nil, nil)
	require.Equal(t, "first", two.Package("b").Pos.File)
	require.Len(t, messages(two), 1)
}
