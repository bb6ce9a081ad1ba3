package cache_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/properties"
)

// property parses a property or fails the test.
func property(t require.TestingT, typ, value string) *properties.Property {
	return testkit.Must(properties.New(typ, []byte(value)))(t)
}

// drawPackage draws a package with up to three channels and six bundles, some
// of them in no channel, skipped, or in quarantine.
func drawPackage(t *rapid.T, name string) graph.PackageDecl {
	d := graph.PackageDecl{Name: name, Definitions: []graph.DefinitionDecl{{DefaultChannel: rapid.SampledFrom([]string{"a", "b", "c", "none"}).Draw(t, "default")}}}
	n := rapid.IntRange(0, 6).Draw(t, "bundles")
	bundleName := func(i int) string {
		if i == 0 {
			return "shared.v0" // several packages have this name
		}
		return fmt.Sprintf("%s.v%d", name, i)
	}
	for i := range n {
		ps := []*properties.Property{property(t, properties.TypePackage, fmt.Sprintf(`{"packageName":%q,"version":"%d.0.0"}`, name, i))}
		for rapid.Bool().Draw(t, "more") {
			switch x := rapid.IntRange(0, 3).Draw(t, "x"); rapid.IntRange(0, 2).Draw(t, "type") {
			case 0:
				ps = append(ps, property(t, properties.TypeGVK, fmt.Sprintf(`{"group":"g%d.example.com","version":"v1","kind":"Kind"}`, x)))
			case 1:
				ps = append(ps, property(t, properties.TypeLabel, fmt.Sprintf(`{"label":"label%d"}`, x)))
			default:
				ps = append(ps, property(t, fmt.Sprintf("custom%d", x), `1`))
			}
		}
		b := graph.BundleDecl{Name: bundleName(i), Properties: properties.NewSet(ps...)}
		if rapid.IntRange(0, 7).Draw(t, "broken") == 0 {
			b.Flaws = []graph.Flaw{{Message: "broken"}}
		}
		d.Bundles = append(d.Bundles, b)
	}
	for _, c := range []string{"c", "a", "b"} {
		if rapid.IntRange(0, 3).Draw(t, "no channel") == 0 {
			continue
		}
		channel := graph.ChannelDecl{Name: c}
		last := ""
		for i := range n {
			if rapid.IntRange(0, 3).Draw(t, "leave out") == 0 {
				continue
			}
			channel.Entries = append(channel.Entries, graph.EntryDecl{Name: bundleName(i), Replaces: last})
			last = bundleName(i)
		}
		d.Channels = append(d.Channels, channel)
	}
	return d
}

// drawCatalog draws a catalog.
func drawCatalog(t *rapid.T) *cache.Catalog {
	var packages []*graph.Package
	for _, name := range rapid.Permutation([]string{"etcd", "kafka", "prometheus"}).Draw(t, "packages") {
		packages = append(packages, graph.Build(drawPackage(t, name), graph.Options{}))
	}
	return cache.NewCatalog(packages, nil)
}

// checkIndexes compares every index with a linear scan of the bundles.
func checkIndexes(t require.TestingT, c *cache.Catalog) {
	packages, names, labels, types := map[string][]int32{}, map[string][]int32{}, map[string][]int32{}, map[string][]int32{}
	providers := map[properties.GVK][]int32{}
	for id := int32(0); int(id) < c.Len(); id++ {
		b := c.Bundle(id)
		note(packages, b.Package, id)
		note(names, b.Name, id)
		for p := range b.Properties.All() {
			note(types, p.Type(), id)
			switch v := p.Value().(type) {
			case properties.GVK:
				note(providers, v, id)
			case properties.Label:
				note(labels, string(v), id)
			}
		}
	}
	compare(t, packages, c.InPackage)
	compare(t, names, c.Named)
	compare(t, labels, c.Labelled)
	compare(t, types, c.WithType)
	compare(t, providers, c.Providers)
	var apis []properties.GVK
	for gvk := range c.APIs() {
		apis = append(apis, gvk)
	}
	require.True(t, slices.IsSortedFunc(apis, properties.GVK.Compare))
	require.Len(t, apis, len(providers))
	require.Empty(t, c.InPackage("absent"))
	require.Empty(t, c.Named("absent"))
	require.Empty(t, c.Providers(properties.GVK{Group: "absent"}))
	require.Empty(t, c.Labelled("absent"))
	require.Empty(t, c.WithType("absent"))
	require.Nil(t, c.Package("absent"))
	require.Nil(t, c.Bundle(-1))
	require.Nil(t, c.Bundle(int32(c.Len())))
}

// note adds an ID to a list, once.
func note[K comparable](lists map[K][]int32, key K, id int32) {
	if list := lists[key]; len(list) == 0 || list[len(list)-1] != id {
		lists[key] = append(list, id)
	}
}

// compare compares an index with the expected lists.
func compare[K comparable](t require.TestingT, want map[K][]int32, list func(K) []int32) {
	for key, ids := range want {
		got := list(key)
		if !slices.Equal(ids, got) {
			require.Equal(t, ids, got, "%v", key)
		}
		require.Equal(t, len(got), cap(got), "%v: appending would overwrite a neighbour", key)
	}
}

// checkNumbers checks the order of the bundles against rules 5 to 7 of section 4 of the
// semantics, applied to the best place of each.
func checkNumbers(t require.TestingT, c *cache.Catalog) {
	type rank struct {
		notDefault bool
		pkg, ch    string
		position   int
	}
	order := func(x, y rank) int {
		if x.notDefault != y.notDefault {
			if x.notDefault {
				return 1
			}
			return -1
		}
		return cmp.Or(strings.Compare(x.pkg, y.pkg), strings.Compare(x.ch, y.ch), cmp.Compare(x.position, y.position))
	}
	best := func(b *graph.Bundle) rank {
		var ranks []rank
		for ch := range slices.Values(c.Package(b.Package).Channels) {
			for position, candidate := range ch.Candidates() {
				if candidate == b {
					ranks = append(ranks, rank{ch.Name != ch.Package.DefaultChannel, b.Package, ch.Name, position})
				}
			}
		}
		return slices.MinFunc(ranks, order)
	}
	for id := int32(0); int(id) < c.Len(); id++ {
		b := c.Bundle(id)
		require.Equal(t, id, b.ID)
		require.Equal(t, int(id) < c.Choosable(), len(b.Places) > 0, "%s", b.Name)
		if id == 0 || int(id) == c.Choosable() {
			continue
		}
		before := c.Bundle(id - 1)
		if int(id) < c.Choosable() {
			require.Negative(t, order(best(before), best(b)), "%s before %s", before.Name, b.Name)
		} else {
			require.Negative(t, cmp.Or(strings.Compare(before.Package, b.Package), strings.Compare(before.Name, b.Name)))
		}
	}
}

func TestRandomCatalogs(t *testing.T) {
	placed := 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawCatalog(t)
		checkIndexes(t, c)
		checkNumbers(t, c)
		placed += c.Choosable()
		var packages []string
		for p := range c.Packages() {
			packages = append(packages, p.Name)
			require.Same(t, p, c.Package(p.Name))
		}
		require.Equal(t, []string{"etcd", "kafka", "prometheus"}, packages)
	})
	require.Positive(t, placed)
}

// pkg builds a package of one bundle.
func pkg(t *testing.T, name, file string) *graph.Package {
	return graph.Build(graph.PackageDecl{
		Name:        name,
		Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable", Pos: graph.Pos{File: file, Line: 1}}},
		Channels:    []graph.ChannelDecl{{Name: "stable", Entries: []graph.EntryDecl{{Name: name + ".v1", Replaces: name + ".v0"}}, Pos: graph.Pos{File: file, Line: 2}}},
		Bundles: []graph.BundleDecl{{Name: name + ".v1", Properties: properties.NewSet(
			property(t, properties.TypePackage, `{"packageName":"`+name+`","version":"1.0.0"}`))}},
	}, graph.Options{})
}

// TestProblems: problems of packages and problems outside of packages are sorted together.
func TestProblems(t *testing.T) {
	given := []graph.Problem{{File: "z"}, {File: "b", Line: 1}}
	c := cache.NewCatalog([]*graph.Package{pkg(t, "kafka", "b"), pkg(t, "etcd", "a")}, given)
	var got []string
	for _, p := range c.Problems() {
		got = append(got, fmt.Sprintf("%s:%d %s", p.File, p.Line, p.Code))
	}
	require.Equal(t, []string{"a:2 chainLeaves", "b:1 ", "b:2 chainLeaves", "z:0 "}, got)
	require.Equal(t, "z", given[0].File, "the argument is not modified")
}

// TestSamePackageTwice: the first is kept, and the second is reported.
func TestSamePackageTwice(t *testing.T) {
	first, second := pkg(t, "etcd", "a"), pkg(t, "etcd", "b")
	c := cache.NewCatalog([]*graph.Package{nil, first, second}, nil)
	require.Same(t, first, c.Package("etcd"))
	require.Equal(t, 1, c.Len())
	require.Equal(t, graph.Code("packageDuplicate"), c.Problems()[1].Code)
	require.Equal(t, "b", c.Problems()[1].File)
	require.Contains(t, c.Problems()[1].Message, "first at a:1")
}

// TestSharedPackages: catalogs can share packages, each numbering its own copy, while others
// read.
func TestSharedPackages(t *testing.T) {
	kafka := pkg(t, "kafka", "k")
	one := cache.NewCatalog([]*graph.Package{kafka}, nil)
	require.Same(t, kafka, one.Package("kafka"))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			two := cache.NewCatalog([]*graph.Package{kafka, pkg(t, "etcd", "e")}, nil)
			assert.Equal(t, "kafka.v1", two.Bundle(1).Name)
			assert.NotSame(t, kafka, two.Package("kafka"))
			checkNumbers(t, two)
			checkIndexes(t, two)
		})
	}
	group.Wait()
	require.Equal(t, int32(0), kafka.Bundle("kafka.v1").ID)
	checkNumbers(t, one)
}

// TestRealCatalog compares the indexes and numbers of a real catalog with linear scans.
func TestRealCatalog(t *testing.T) {
	const name = "community-all.jsonl.gz"
	c := testkit.Must(fbc.Load(t.Context(), testkit.Data(t, name), fbc.Options{File: name}))(t)
	require.Equal(t, 7016, c.Len())
	checkNumbers(t, c)
	checkIndexes(t, c)
}

func TestKey(t *testing.T) {
	k := testkit.Must(cache.ParseKey("olm/community"))(t)
	require.Equal(t, cache.Key{Namespace: "olm", Name: "community"}, k)
	require.Equal(t, "olm/community", k.String())
	require.False(t, k.IsZero())
	require.True(t, cache.Key{}.IsZero())
	for _, bad := range []string{"", "community", "/community", "olm/", "a/b/c", "/"} {
		_, err := cache.ParseKey(bad)
		require.ErrorContains(t, err, "namespace/name", bad)
	}
	keys := []cache.Key{{"b", "a"}, {"a", "b"}, {"a", "a"}}
	slices.SortFunc(keys, cache.Key.Compare)
	require.Equal(t, []cache.Key{{"a", "a"}, {"a", "b"}, {"b", "a"}}, keys)
}

// FuzzParseKey: a text is refused or is a key that is rendered unchanged.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"olm/community", "", "/", "a/", "/b", "a/b/c", "../x", "a\x00/b", "\u202ea/b", "\xff/\xfe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := cache.ParseKey(s)
		if err != nil {
			require.True(t, k.IsZero())
			for _, r := range err.Error() {
				require.True(t, r >= ' ' && r != 0x7f && r != 0x202e, "%U in %q", r, err)
			}
			return
		}
		require.Equal(t, s, k.String())
		require.NotEmpty(t, k.Namespace)
		require.NotEmpty(t, k.Name)
		require.Zero(t, k.Compare(k))
	})
}
