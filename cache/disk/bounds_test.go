package disk_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// TestBoundsLetThrough: the bound on memory is a multiple of the size of a
// file, and must not catch catalogs that are very small in the file and large
// in memory.
func TestBoundsLetThrough(t *testing.T) {
	const many = 3_000
	number := func(i int) string { return strconv.FormatInt(int64(i), 36) }
	identity, err := properties.New(properties.TypePackage, []byte(`{"packageName":"p","version":"1.0.0"}`))
	require.NoError(t, err)
	api, err := properties.New(properties.TypeGVK, []byte(`{"group":"g","version":"v1","kind":"K"}`))
	require.NoError(t, err)

	bare := func() (out []*graph.Package) {
		for i := range many {
			out = append(out, &graph.Package{Name: number(i), Bundles: []*graph.Bundle{}})
		}
		return out
	}
	bundles := func(more int) graph.PackageDecl {
		d := graph.PackageDecl{Name: "p", Definitions: []graph.DefinitionDecl{{DefaultChannel: "c"}}, Channels: []graph.ChannelDecl{{Name: "c"}}}
		list := []*properties.Property{identity}
		for range more {
			list = append(list, api)
		}
		for i := range many {
			d.Bundles = append(d.Bundles, graph.BundleDecl{Name: number(i), Properties: properties.NewSet(list...)})
			e := graph.EntryDecl{Name: number(i)}
			if i > 0 {
				e.Replaces = number(i - 1)
			}
			d.Channels[0].Entries = append(d.Channels[0].Entries, e)
		}
		return d
	}
	build := func(d graph.PackageDecl) []*graph.Package { return []*graph.Package{graph.Build(d, graph.Options{})} }
	manyChannels := func() graph.PackageDecl {
		d := graph.PackageDecl{Name: "p", Definitions: []graph.DefinitionDecl{{DefaultChannel: "0"}}, Bundles: bundles(0).Bundles[:1]}
		for i := range many {
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: number(i), Entries: []graph.EntryDecl{{Name: "0"}}})
		}
		return d
	}
	skips := func() graph.PackageDecl {
		d := bundles(0)
		d.Bundles = d.Bundles[:1]
		all := make([]string, many)
		for i := range all {
			all[i] = number(i)
		}
		d.Channels[0].Entries = []graph.EntryDecl{{Name: "0", Skips: all}}
		return d
	}
	for name, packages := range map[string][]*graph.Package{
		"packages": bare(), "bundles": build(bundles(0)), "properties": build(bundles(60)),
		"channels": build(manyChannels()), "skips": build(skips()),
	} {
		t.Run(name, func(t *testing.T) {
			want := cache.NewCatalog(packages, nil)
			data := encoded(t, &cache.Content{Catalog: want, Digest: "sha256:0"})
			t.Logf("%d bytes for %d things", len(data), many)
			require.Empty(t, difference(want, reopened(t, want)), fmt.Sprint(len(data)))
		})
	}
}
