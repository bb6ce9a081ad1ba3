package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
)

// said returns the sentences of findings.
func said[T interface{ String() string }](findings []T) []string {
	out := []string{}
	for _, f := range findings {
		out = append(out, f.String())
	}
	return out
}

func TestUpdatesOfNothing(t *testing.T) {
	for name, p := range map[string]*graph.Package{
		"no package":      nil,
		"a bare package":  {},
		"an empty decl":   graph.Build(graph.PackageDecl{}, graph.Options{}),
		"nameless things": universe.Written(t, "op/c op.v1.0.0"),
	} {
		t.Run(name, func(t *testing.T) {
			u := updates(t, p)
			require.Empty(t, u.Successors("x"))
			_, err := u.ShortestPath("x", "y")
			require.ErrorContains(t, err, "nothing there is called x; correct the name")
		})
	}
	require.Empty(t, deadEnds(t, &graph.Channel{Name: "c"}))
	require.Empty(t, deadEnds(t, universe.Written(t, "op/c op.v1.0.0").Channels[0]))
	u, err := graph.NewUpdates(t.Context(), nil, graph.UpdateOptions{Installed: []graph.Installed{{}, {Name: "x"}}})
	require.NoError(t, err)
	require.Equal(t, []string{"x"}, slices.Collect(u.Bundles()))
}

func TestUnknownChannel(t *testing.T) {
	_, err := graph.NewUpdates(t.Context(), universe.Written(t, "op/stable op.v1.0.0\nop/alpha op.v1.0.0"), graph.UpdateOptions{Channels: []string{"alpha", "stabel"}})
	unknown := testkit.As[*graph.UnknownChannelError](t, err)
	require.Empty(t, cmp.Diff(graph.UnknownChannelError{Package: "op", Channel: "stabel", Known: []string{"stable", "alpha"}}, *unknown))
	require.EqualError(t, err, "package op has no channel stabel; it has stable and alpha")
	_, err = graph.NewUpdates(t.Context(), nil, graph.UpdateOptions{Channels: []string{"x"}})
	require.EqualError(t, err, `package "" has no channel x; it has no channels`)
}

// crossing is a package in which two channels have to be combined: fast skips
// ahead, stable carries on from there.
const crossing = `
op/stable op.v1.0.0 op.v1.1.0 op.v1.2.0
op/stable op.v1.4.0 replaces=op.v1.3.0
op/stable op.v1.3.0 replaces=op.v1.2.0
op/fast op.v1.0.0 op.v1.3.0
`

func TestPathAcrossChannels(t *testing.T) {
	p := universe.Written(t, crossing)
	path := testkit.Must(updates(t, p).ShortestPath("op.v1.0.0", "op.v1.4.0"))(t)
	require.Equal(t, "op.v1.0.0 reaches op.v1.4.0 in 2 steps: op.v1.0.0 → op.v1.3.0 (replaces in fast) → op.v1.4.0 (replaces in stable)", path.String())
	require.Equal(t, []string{"fast", "stable"}, path.Channels())
	path = testkit.Must(updates(t, p, "stable").ShortestPath("op.v1.0.0", "op.v1.4.0"))(t)
	require.Equal(t, []string{"op.v1.0.0", "op.v1.1.0", "op.v1.2.0", "op.v1.3.0", "op.v1.4.0"}, path.Bundles())
	path = testkit.Must(updates(t, p).ShortestPath("op.v1.1.0", "op.v1.1.0"))(t)
	require.Equal(t, "op.v1.1.0 needs no upgrade to become itself", path.String())
	require.Empty(t, path.Channels())
	limited, err := graph.NewUpdates(t.Context(), p, graph.UpdateOptions{Channels: []string{"fast", "stable"}})
	require.NoError(t, err)
	require.Equal(t, slices.Collect(updates(t, p).Bundles()), slices.Collect(limited.Bundles()), "channels keep the order of the package")
	stepped := graph.Path{From: "a", Steps: []graph.Edge{{From: "a", To: "b"}}}
	require.Equal(t, []string{""}, stepped.Channels(), "a step without an offer does not hang")
}

func TestNoPath(t *testing.T) {
	p := universe.Written(t, `
op/stable op.v1.0.0 op.v1.1.0 op.v1.2.0
op/stable op.v1.3.0 replaces=op.v1.2.0 skips=op.v1.2.0
op/stable op.v1.9.0 replaces=op.v1.3.0
op/stable op.v1.9.1 replaces=op.v1.9.0 virtual
op/stable op.v2.0.0
op/stable op.v3.0.0 replaces=op.v1.9.1 skips=op.v2.0.0,op.v4.0.0
op/stable op.v4.0.0
bundle op.v1.9.0 barred
bundle op.v2.0.0 flawed
bundle op.v5.0.0
op/strays op.v1.0.0
op/strays op.v6.0.0 replaces=op.v7.0.0
op/strays op.v8.0.0 skips=op.v1.0.0
op/strays op.v7.0.0 skips=op.v6.0.0`)
	tests := []struct{ from, to, text string }{
		{"1.0.0", "9.9.9", "nothing there is called op.v9.9.9; correct the name"},
		{"9.9.9", "1.0.0", "nothing there is called op.v9.9.9; correct the name"},
		{"1.0.0", "1.9.0", "op.v1.9.0 is barred from being newly chosen by an olm.deprecated property"},
		{"1.0.0", "1.9.1", "op.v1.9.1 is not in the catalog, though something names it"},
		{"1.0.0", "2.0.0", `op.v2.0.0 is ignored in channel stable: bundle "op.v2.0.0" has no olm.package property, so its version is unknown: add one`},
		{"1.0.0", "5.0.0", "op.v5.0.0 is in none of the channels"},
		{"1.0.0", "1.2.0", "op.v1.2.0 is skipped by op.v1.3.0 in channel stable"},
		{"5.0.0", "3.0.0", "no entry that is offered replaces or skips op.v5.0.0, nor holds its version in its skipRange; let one do so"},
		{"1.0.0", "3.0.0", "they get as far as op.v1.1.0; let an entry above replace or skip one of the versions that are reached"},
	}
	u := updates(t, p)
	for _, test := range tests {
		_, err := u.ShortestPath("op.v"+test.from, "op.v"+test.to)
		require.EqualError(t, err, "no upgrades lead from op.v"+test.from+" to op.v"+test.to+" in package op: "+test.text)
	}
}

// Standings say what an entry is in its own channel, whatever others make of it.
func TestStanding(t *testing.T) {
	p := universe.Written(t, "op/a op.v1.0.0 op.v1.1.0\nop/a op.v1.2.0 skips=op.v1.0.0,op.v1.1.0\nop/b op.v1.0.0 op.v1.1.0\nop/b op.v2.0.0 replaces=op.v1.9.0 skips=op.v1.1.0\nop/b op.v1.9.0 virtual")
	standing := func(channel, bundle string) graph.Standing {
		c := p.Channel(channel)
		return c.Standing(c.Entry(bundle))
	}
	require.True(t, standing("a", "op.v1.2.0").Offered)
	require.Equal(t, "is offered in channel a", standing("a", "op.v1.2.0").String())
	require.Equal(t, "op.v1.2.0", standing("a", "op.v1.1.0").SkippedBy)
	require.Equal(t, "is skipped by op.v2.0.0 in channel b", standing("b", "op.v1.1.0").String())
	require.True(t, standing("b", "op.v1.0.0").Stranded)
	require.Equal(t, "is neither on the chain below the head nor skipped in channel b", standing("b", "op.v1.0.0").String())
	require.Equal(t, "is not in the catalog, though something names it in channel b", standing("b", "op.v1.9.0").String())
}

func TestDeadEnds(t *testing.T) {
	p := universe.Written(t, `
op/stable op.v1.0.0 op.v1.1.0 op.v1.2.0
op/stable op.v1.3.0 replaces=op.v1.2.0 skips=op.v1.2.0
op/fast op.v1.1.0 op.v1.3.0
op/headless op.v1.0.0 op.v1.1.0
op/headless op.v9.0.0 replaces=op.v1.1.0 virtual
op/broken op.v1.0.0
op/broken op.v1.1.0`)
	require.Equal(t, []graph.DeadEnd{{"op.v1.1.0", "op.v1.1.0"}, {"op.v1.0.0", "op.v1.1.0"}}, deadEnds(t, p.Channel("stable")), "whatever other channels lead round it")
	require.Equal(t, []graph.DeadEnd{{"op.v1.1.0", "op.v1.1.0"}, {"op.v1.0.0", "op.v1.1.0"}}, deadEnds(t, p.Channel("headless")))
	require.Empty(t, deadEnds(t, p.Channel("broken")))
}

// TestUnknownVersion: what has no version is held by no skipRange, even one
// that holds 0.0.0; and a version that is declared to be 0.0.0 is one.
func TestUnknownVersion(t *testing.T) {
	p := universe.Written(t, `
op/stable op.v0.0.0
op/stable op.v1.0.0 replaces=op.v0.5.0 range=<1.0.0
op/stable op.v0.5.0 replaces=op.v0.0.0 virtual
op/stable op.v0.6.0
op/stable op.v2.0.0 replaces=op.v1.0.0 skips=op.v0.6.0
bundle op.v0.6.0 flawed`)
	text := said(edges(updates(t, p, "stable")))
	slices.Sort(text)
	require.Equal(t, []string{
		"op.v0.0.0 → op.v1.0.0 (skipRange in stable)",
		"op.v0.5.0 → op.v1.0.0 (replaces in stable)",
		"op.v0.6.0 → op.v2.0.0 (skips in stable)",
		"op.v1.0.0 → op.v2.0.0 (replaces in stable)",
	}, text)
	u, err := graph.NewUpdates(t.Context(), p, graph.UpdateOptions{Installed: []graph.Installed{{Name: "new"}, {Name: "old", Version: semver.MustParse("0.9.0")}, {Name: "op.v2.0.0", Version: semver.MustParse("0.9.0")}}})
	require.NoError(t, err)
	require.Empty(t, u.Successors("new"), "its version is unknown")
	require.Len(t, u.Successors("old"), 1)
	require.Empty(t, u.Successors("op.v2.0.0"), "the package knows its version better")
}

func TestBarredEdges(t *testing.T) {
	u := updates(t, universe.Written(t, "op/c op.v1.0.0 op.v1.1.0\nop/c op.v1.2.0 replaces=op.v1.1.0 skips=op.v1.0.0,op.v1.1.0 range=<1.2.0\nbundle op.v1.1.0 barred"))
	require.Equal(t, []string{"op.v1.0.0 → op.v1.2.0 (skips, skipRange in c)"}, said(u.Successors("op.v1.0.0")), "1.1.0 is skipped")
	p := universe.Written(t, "op/c op.v1.0.0 op.v1.1.0 op.v1.2.0\nbundle op.v1.1.0 barred")
	u = updates(t, p)
	require.Equal(t, []string{"op.v1.0.0 → op.v1.1.0 (replaces in c; barred, so it is never taken)"}, said(u.Successors("op.v1.0.0")))
	require.Equal(t, []graph.DeadEnd{{"op.v1.0.0", "op.v1.0.0"}}, deadEnds(t, p.Channels[0]), "clusters with the barred one go on")
}

// TestUpdatesConcurrently: a graph is safe for concurrent use.
func TestUpdatesConcurrently(t *testing.T) {
	u := updates(t, universe.Written(t, crossing))
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			_ = slices.Collect(u.Reaching("op.v1.4.0"))
			_, err := u.ShortestPath("op.v1.0.0", "op.v1.4.0")
			assert.NoError(t, err)
		}()
	}
	group.Wait()
}

// A skipRange that is a function is called for each version, for any text.
func TestSkipRangeIsAFunction(t *testing.T) {
	even := properties.NewRange(">=3.0.0", func(v semver.Version) bool { return v.Major%2 == 0 })
	lines := "package c\nchannel c\nentry op.v7"
	for major := 1; major <= 7; major++ {
		lines += fmt.Sprintf("\nbundle op.v%[1]d op %[1]d.0.0", major)
	}
	decl := declaration("op", lines)
	decl.Channels[0].Entries[0].SkipVersions = even
	u := updates(t, graph.Build(decl, graph.Options{}))
	require.ElementsMatch(t, []string{"op.v2", "op.v4", "op.v6"}, slices.DeleteFunc(slices.Collect(u.Bundles()), func(name string) bool {
		_, ok := u.Edge(name, "op.v7")
		return !ok
	}))
	for name, count := range map[string]int{"op.v3": 0, "op.v4": 1, "op.v5": 0, "op.v6": 1} {
		require.Len(t, u.Successors(name), count, name)
	}
}

// Looking for dead ends ends with its context, and says why.
func TestUpdateGraphEndsWithItsContext(t *testing.T) {
	p := universe.Written(t, "op/c op.v1.0.0 op.v1.1.0")
	cause := errors.New("no time")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	_, err := p.Channels[0].DeadEnds(ctx)
	require.ErrorIs(t, err, cause)
}
