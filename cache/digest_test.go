package cache_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// TestDigestOfEqualCatalogs: the digest depends on the content of a catalog, not on how it was
// made.
func TestDigestOfEqualCatalogs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		decls := []graph.PackageDecl{drawPackage(t, "etcd"), drawPackage(t, "kafka")}
		build := func(order ...int) *cache.Catalog {
			packages := testkit.Map(order, func(i int) *graph.Package { return graph.Build(decls[i], graph.Options{}) })
			return cache.NewCatalog(packages, nil)
		}
		one := build(0, 1)
		require.Regexp(t, "^sha256:[0-9a-f]{64}$", one.Digest())
		require.Equal(t, one.Digest(), build(1, 0).Digest())
		var shared []*graph.Package
		for p := range one.Packages() {
			shared = append(shared, p)
		}
		require.Equal(t, one.Digest(), cache.NewCatalog(shared, nil).Digest(), "copied packages")
		require.NotEqual(t, one.Digest(), build(0).Digest())
	})
}

// TestDigestSeesEverything: every difference in the declarations changes the digest.
func TestDigestSeesEverything(t *testing.T) {
	version := func(v string) *properties.Property {
		return property(t, properties.TypePackage, `{"packageName":"etcd","version":"`+v+`"}`)
	}
	properties1 := func(d *graph.PackageDecl, ps ...*properties.Property) {
		d.Bundles[0].Properties = properties.NewSet(ps...)
	}
	pos := graph.Pos{File: "f", Line: 1}
	changes := map[string]func(d *graph.PackageDecl){
		"nothing":               func(*graph.PackageDecl) {},
		"name":                  func(d *graph.PackageDecl) { d.Name = "kafka" },
		"default channel":       func(d *graph.PackageDecl) { d.Definitions[0].DefaultChannel = "alpha" },
		"place of package":      func(d *graph.PackageDecl) { d.Definitions[0].Pos = pos },
		"line of package":       func(d *graph.PackageDecl) { d.Definitions[0].Pos = graph.Pos{Line: 1} },
		"flaw of package":       func(d *graph.PackageDecl) { d.Definitions[0].Flaws = []graph.Flaw{{Message: "x"}} },
		"other flaw of package": func(d *graph.PackageDecl) { d.Definitions[0].Flaws = []graph.Flaw{{Message: "y"}} },
		"no definition":         func(d *graph.PackageDecl) { d.Definitions = nil },
		"channel":               func(d *graph.PackageDecl) { d.Channels[0].Name = "alpha" },
		"place of channel":      func(d *graph.PackageDecl) { d.Channels[0].Pos = pos },
		"line of channel":       func(d *graph.PackageDecl) { d.Channels[0].Pos = graph.Pos{Line: 1} },
		"flaw of channel":       func(d *graph.PackageDecl) { d.Channels[0].Flaws = []graph.Flaw{{Message: "x"}} },
		"another channel": func(d *graph.PackageDecl) {
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: "z", Entries: d.Channels[0].Entries})
		},
		"entry":      func(d *graph.PackageDecl) { d.Channels[0].Entries[0].Name = "v2" },
		"replaces":   func(d *graph.PackageDecl) { d.Channels[0].Entries[0].Replaces = "v00" },
		"skips":      func(d *graph.PackageDecl) { d.Channels[0].Entries[0].Skips = []string{"r"} },
		"more skips": func(d *graph.PackageDecl) { d.Channels[0].Entries[0].Skips = []string{"s", "r"} },
		"skip range": func(d *graph.PackageDecl) { d.Channels[0].Entries[0].SkipRange = "<0.9.0" },
		"another entry": func(d *graph.PackageDecl) {
			d.Channels[0].Entries = append(d.Channels[0].Entries, graph.EntryDecl{Name: "v0"})
		},
		"bundle":                 func(d *graph.PackageDecl) { d.Bundles[0].Name = "v3" },
		"image":                  func(d *graph.PackageDecl) { d.Bundles[0].Image = "j" },
		"place of bundle":        func(d *graph.PackageDecl) { d.Bundles[0].Pos = graph.Pos{File: "f", Line: 1} },
		"line of bundle":         func(d *graph.PackageDecl) { d.Bundles[0].Pos.Line = 1 },
		"flaw of bundle":         func(d *graph.PackageDecl) { d.Bundles[0].Flaws = []graph.Flaw{{Message: "x"}} },
		"line of flaw":           func(d *graph.PackageDecl) { d.Bundles[0].Flaws = []graph.Flaw{{Message: "x", Line: 7}} },
		"no bundle":              func(d *graph.PackageDecl) { d.Bundles = nil },
		"version":                func(d *graph.PackageDecl) { properties1(d, version("1.0.1")) },
		"property":               func(d *graph.PackageDecl) { properties1(d, version("1.0.0"), property(t, "custom", `1`)) },
		"value":                  func(d *graph.PackageDecl) { properties1(d, version("1.0.0"), property(t, "custom", `2`)) },
		"type":                   func(d *graph.PackageDecl) { properties1(d, version("1.0.0"), property(t, "custom2", `1`)) },
		"order of properties":    func(d *graph.PackageDecl) { properties1(d, property(t, "custom", `1`), version("1.0.0")) },
		"no deprecations":        func(d *graph.PackageDecl) { d.Deprecations = nil },
		"deprecation of package": func(d *graph.PackageDecl) { d.Deprecations[0].Message = "x" },
		"deprecation of channel": func(d *graph.PackageDecl) { d.Deprecations[1].Message = "x" },
		"deprecation of bundle":  func(d *graph.PackageDecl) { d.Deprecations[2].Message = "x" },
		"deprecation of nothing": func(d *graph.PackageDecl) { d.Deprecations[2].Name = "x" },
		"silent deprecation":     func(d *graph.PackageDecl) { d.Deprecations[2].Message = "" },
	}
	seen := map[string]string{}
	contents := map[string]string{}
	for name, change := range changes {
		d := graph.PackageDecl{
			Name:        "etcd",
			Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}},
			Channels: []graph.ChannelDecl{{Name: "stable", Entries: []graph.EntryDecl{
				{Name: "v1", Replaces: "v0", Skips: []string{"s"}, SkipRange: "<1.0.0"},
			}}},
			Bundles: []graph.BundleDecl{{Name: "v1", Image: "i", Properties: properties.NewSet(version("1.0.0"))}},
			Deprecations: []graph.DeprecationDecl{
				{Schema: graph.SchemaPackage, Message: "p"}, {Schema: graph.SchemaChannel, Name: "stable", Message: "c"}, {Schema: graph.SchemaBundle, Name: "v1", Message: "b"},
			},
		}
		change(&d)
		catalog := cache.NewCatalog([]*graph.Package{graph.Build(d, graph.Options{})}, nil)
		contents[name] = catalog.ContentDigest()
		got := catalog.Digest()
		require.Empty(t, seen[got], name)
		seen[got] = name
	}
	for name, same := range map[string]string{
		"place of package": "nothing", "line of package": "nothing", "place of channel": "nothing", "line of channel": "nothing",
		"place of bundle": "nothing", "line of bundle": "nothing", "line of flaw": "flaw of bundle", "other flaw of package": "flaw of package", "deprecation of nothing": "",
	} {
		if same != "" {
			require.Equal(t, contents[same], contents[name], name)
		}
		delete(contents, name)
	}
	require.Len(t, unique(contents), len(contents), "every other difference changes the digest of the content")
	of := func(problems ...graph.Problem) string { return cache.NewCatalog(nil, problems).Digest() }
	require.NotEqual(t, of(), of(graph.Problem{Message: "x"}))
	require.NotEqual(t, of(graph.Problem{Message: "x", File: "y"}), of(graph.Problem{Message: "xy"}))
}

// unique are the values of a map, each once.
func unique(m map[string]string) []string {
	return slices.Compact(slices.Sorted(maps.Values(m)))
}
