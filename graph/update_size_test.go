package graph_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/properties"
)

// skipping returns a package of three versions, each of which skips some names of nothing.
func skipping(t *testing.T, names int) *graph.Package {
	d := graph.PackageDecl{Name: "p", Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}}}
	channel := graph.ChannelDecl{Name: "stable"}
	for v := range 3 {
		e := graph.EntryDecl{Name: fmt.Sprintf("p.v%d", v)}
		if v > 0 {
			e.Replaces = fmt.Sprintf("p.v%d", v-1)
		}
		for i := range names {
			e.Skips = append(e.Skips, fmt.Sprintf("%d-%d", v, i))
		}
		channel.Entries = append(channel.Entries, e)
		version, err := properties.New(properties.TypePackage, fmt.Appendf(nil, `{"packageName":"p","version":"%d.0.0"}`, v))
		require.NoError(t, err)
		d.Bundles = append(d.Bundles, graph.BundleDecl{Name: e.Name, Properties: properties.NewSet(version)})
	}
	d.Channels = []graph.ChannelDecl{channel}
	return graph.Build(d, graph.Options{})
}

// TestSkippedNamesTakeLittle: a name that is only skipped takes an update graph a fixed small
// number of bytes, and nothing where the graph leaves such names out, as that of dead ends and
// of pictures does.
func TestSkippedNamesTakeLittle(t *testing.T) {
	const names = 20_000
	p := skipping(t, names)
	allocated := func(do func() error) float64 {
		before := testkit.Allocated()
		require.NoError(t, do())
		return float64(testkit.Allocated()-before) / (3 * names)
	}
	var u *graph.Updates
	whole := allocated(func() (err error) { u, err = graph.NewUpdates(t.Context(), p, graph.UpdateOptions{}); return err })
	require.Less(t, whole, 200.0, "bytes for each name: 32 of a node, 16 of the list of names, which grows, and 12 of the edge")
	require.Equal(t, 1, u.Count("1-7"))
	require.Equal(t, "1-7 → p.v1 (skips in stable)", u.Successors("1-7")[0].String())
	runtime.KeepAlive(u)

	listed := allocated(func() error {
		_, err := graph.NewUpdates(t.Context(), p, graph.UpdateOptions{ListedOnly: true})
		return err
	})
	require.Less(t, listed, 1.0)
	require.Less(t, allocated(func() error { _, err := p.Channels[0].DeadEnds(t.Context()); return err }), 1.0)
	require.Less(t, allocated(func() error { _, err := p.DroppedVersions(t.Context()); return err }), 1.0)
}

// TestListedOnlyLeavesNamesOut: names that no entry has are no nodes of a graph of what is
// listed, and an installed bundle of such a name is one, with its edges.
func TestListedOnlyLeavesNamesOut(t *testing.T) {
	p := skipping(t, 2)
	names := func(installed ...graph.Installed) (out []string) {
		u, err := graph.NewUpdates(t.Context(), p, graph.UpdateOptions{ListedOnly: true, Installed: installed})
		require.NoError(t, err)
		for name := range u.Bundles() {
			out = append(out, name)
		}
		require.Equal(t, len(installed), u.Count("2-1"))
		return out
	}
	require.ElementsMatch(t, []string{"p.v0", "p.v1", "p.v2"}, names())
	require.ElementsMatch(t, []string{"p.v0", "p.v1", "p.v2", "2-1"}, names(graph.Installed{Name: "2-1"}))
}

// TestUpdatesEndAnywhere: wherever the context ends, so do the update graph and dead ends,
// though one entry skips many names.
func TestUpdatesEndAnywhere(t *testing.T) {
	p := skipping(t, 20_000)
	looks := &testkit.CountingContext{Context: t.Context()}
	_, err := graph.NewUpdates(looks, p, graph.UpdateOptions{})
	require.NoError(t, err)
	require.Greater(t, looks.Count.Load(), int64(60_000*5/4096), "each name is listed, added, found, counted and connected")
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		if _, err := graph.NewUpdates(ctx, p, graph.UpdateOptions{}); err != nil {
			return err
		}
		_, err := p.Channels[0].DeadEnds(ctx)
		return err
	})
}
