package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/sample"
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
	for name, u := range map[string]*graph.Updates{
		"no package":      (*graph.Package)(nil).Updates(),
		"no channel":      (*graph.Channel)(nil).Updates(),
		"a bare package":  (&graph.Package{}).Updates(),
		"a bare channel":  (&graph.Channel{Name: "c"}).Updates(),
		"an empty decl":   graph.Build(graph.PackageDecl{}, graph.Options{}).Updates(),
		"nameless things": sample.Written(t, "op/c op.v1.0.0").Updates(),
	} {
		t.Run(name, func(t *testing.T) {
			require.NotNil(t, u.Package())
			require.Empty(t, deadEnds(t, u))
			require.Empty(t, u.Unreachable())
			require.Empty(t, u.Successors("x"))
			require.Empty(t, slices.Collect(u.Edges()))
			require.Empty(t, slices.Collect(u.Paths("x", "y", graph.PathOptions{})))
			require.Equal(t, graph.StandingVirtual, u.Standing("x").Kind)
			_, err := u.ShortestPath("x", "y")
			require.EqualError(t, err, "no upgrades lead from x to y in package "+cmpName(u)+": nothing there is called x; correct the name")
		})
	}
	u, err := graph.NewUpdates(t.Context(), nil, graph.UpdateOptions{Installed: []graph.Installed{{}, {Name: "x"}}})
	require.NoError(t, err)
	require.Equal(t, []string{"x"}, slices.Collect(u.Bundles()))
}

// cmpName returns the name of the package of a graph as sentences show it.
func cmpName(u *graph.Updates) string {
	if u.Package().Name == "" {
		return `""`
	}
	return u.Package().Name
}

func TestUnknownChannel(t *testing.T) {
	_, err := graph.NewUpdates(t.Context(), sample.Written(t, "op/stable op.v1.0.0\nop/alpha op.v1.0.0"), graph.UpdateOptions{Channels: []string{"alpha", "stabel"}})
	var unknown *graph.UnknownChannelError
	require.ErrorAs(t, err, &unknown)
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
	p := sample.Written(t, crossing)
	path, err := p.Updates().ShortestPath("op.v1.0.0", "op.v1.4.0")
	require.NoError(t, err)
	require.Equal(t, "op.v1.0.0 reaches op.v1.4.0 in 2 steps: op.v1.0.0 → op.v1.3.0 (replaces in fast) → op.v1.4.0 (replaces in stable)", path.String())
	require.Equal(t, []string{"fast", "stable"}, path.Channels())
	path, err = p.Channel("stable").Updates().ShortestPath("op.v1.0.0", "op.v1.4.0")
	require.NoError(t, err)
	require.Equal(t, []string{"op.v1.0.0", "op.v1.1.0", "op.v1.2.0", "op.v1.3.0", "op.v1.4.0"}, path.Bundles())
	path, err = p.Updates().ShortestPath("op.v1.1.0", "op.v1.1.0")
	require.NoError(t, err)
	require.Equal(t, "op.v1.1.0 needs no upgrade to become itself", path.String())
	require.Empty(t, path.Channels())
	limited, err := graph.NewUpdates(t.Context(), p, graph.UpdateOptions{Channels: []string{"fast", "stable"}})
	require.NoError(t, err)
	require.Equal(t, slices.Collect(p.Updates().Bundles()), slices.Collect(limited.Bundles()), "channels keep the order of the package")
	stepped := graph.Path{From: "a", Steps: []graph.Edge{{From: "a", To: "b"}}}
	require.Equal(t, []string{""}, stepped.Channels(), "a step without an offer does not hang")
}

func TestPathsStop(t *testing.T) {
	u := sample.Written(t, crossing).Updates()
	n := 0
	for range u.Paths("op.v1.0.0", "op.v1.4.0", graph.PathOptions{}) {
		n++
		break
	}
	require.Equal(t, 1, n)
	require.Len(t, slices.Collect(u.Paths("op.v1.0.0", "op.v1.4.0", graph.PathOptions{})), 2)
	require.Len(t, slices.Collect(u.Paths("op.v1.0.0", "op.v1.4.0", graph.PathOptions{MaxSteps: 2})), 1)
	require.Len(t, slices.Collect(u.Paths("op.v1.0.0", "op.v1.4.0", graph.PathOptions{MaxPaths: 1})), 1)
	for range u.Edges() {
		break
	}
	for range u.Bundles() {
		break
	}
}

// TestManyPaths: the number of paths is out of all bounds, but the first come
// at once.
func TestManyPaths(t *testing.T) {
	text := "op/c op.v1.0.0\n"
	for i := 1; i < 60; i++ {
		text += fmt.Sprintf("op/c op.v1.%[1]d.0 replaces=op.v1.%[2]d.0 range=<1.%[1]d.0\n", i, i-1)
	}
	u := sample.Written(t, text).Updates()
	paths := slices.Collect(u.Paths("op.v1.0.0", "op.v1.59.0", graph.PathOptions{MaxPaths: 200}))
	require.Len(t, paths, 200)
	require.Len(t, paths[0].Steps, 1)
	require.True(t, slices.IsSortedFunc(paths, func(a, b graph.Path) int { return len(a.Steps) - len(b.Steps) }))
	require.Equal(t, []string{"op.v1.0.0", "op.v1.58.0", "op.v1.59.0"}, paths[1].Bundles(), "the nearer to the head, the better")
}

func TestNoPath(t *testing.T) {
	p := sample.Written(t, `
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
	tests := []struct {
		from, to string
		reason   graph.NoPathReason
		standing graph.StandingKind
		text     string
	}{
		{"1.0.0", "9.9.9", graph.NoPathUnknown, "", "nothing there is called op.v9.9.9; correct the name"},
		{"1.0.0", "1.9.0", graph.NoPathNotOffered, graph.StandingBarred, "op.v1.9.0 is barred from being newly chosen by an olm.deprecated property"},
		{"1.0.0", "1.9.1", graph.NoPathNotOffered, graph.StandingVirtual, "op.v1.9.1 is not in the catalog, though something names it"},
		{"1.0.0", "2.0.0", graph.NoPathNotOffered, graph.StandingQuarantined,
			`op.v2.0.0 is quarantined in channel stable: bundle "op.v2.0.0" has no olm.package property, so its version is unknown: add one`},
		{"1.0.0", "5.0.0", graph.NoPathNotOffered, graph.StandingUnlisted, "op.v5.0.0 is in none of the channels"},
		{"1.0.0", "1.2.0", graph.NoPathNotOffered, graph.StandingSkipped, "op.v1.2.0 is skipped by op.v1.3.0 in channel stable"},
		{"5.0.0", "3.0.0", graph.NoPathDeadEnd, "", "no entry that is offered replaces or skips op.v5.0.0, nor holds its version in its skipRange; let one do so"},
		{"1.0.0", "3.0.0", graph.NoPathApart, "", "they get as far as op.v1.1.0; let an entry above replace or skip one of the versions that are reached"},
	}
	u := p.Updates()
	for _, test := range tests {
		_, err := u.ShortestPath("op.v"+test.from, "op.v"+test.to)
		var none *graph.NoPathError
		require.True(t, errors.As(err, &none), "%s to %s", test.from, test.to)
		require.Equal(t, test.reason, none.Reason)
		require.Equal(t, test.standing, none.Standing.Kind)
		require.Equal(t, "no upgrades lead from op.v"+test.from+" to op.v"+test.to+" in package op: "+test.text, err.Error())
	}
	require.Equal(t, graph.Standing{Kind: graph.StandingOffered, Channel: "stable"}, u.Standing("op.v3.0.0"))
	require.Equal(t, "is offered in channel stable", u.Standing("op.v3.0.0").String())
	require.Equal(t, "new", graph.Standing{Kind: "new"}.String())
	require.Equal(t, "is quarantined", graph.Standing{Kind: graph.StandingQuarantined}.String())
}

func TestDeadEnds(t *testing.T) {
	p := sample.Written(t, `
op/stable op.v1.0.0 op.v1.1.0 op.v1.2.0
op/stable op.v1.3.0 replaces=op.v1.2.0 skips=op.v1.2.0
op/fast op.v1.1.0 op.v1.3.0
op/headless op.v1.0.0 op.v1.1.0
op/headless op.v9.0.0 replaces=op.v1.1.0 virtual
op/broken op.v1.0.0
op/broken op.v1.1.0`)
	installed := []graph.Installed{{Name: "op.v0.1.0", Version: semver.MustParse("0.1.0")}, {Name: "op.v1.0.0"}}
	u, err := graph.NewUpdates(t.Context(), p, graph.UpdateOptions{Installed: installed, Channels: []string{"stable", "headless", "broken"}})
	require.NoError(t, err)
	const end = "; let an entry on the chain do so"
	require.Equal(t, []string{
		"op.v1.1.0 in channel stable of package op is a dead end: nothing that is offered replaces or skips it, so the head op.v1.3.0 is out of reach" + end,
		"op.v1.0.0 in channel stable of package op is a dead end: upgrades end at op.v1.1.0, so the head op.v1.3.0 is out of reach; let an entry on the chain above replace or skip that",
		"op.v0.1.0 in channel stable of package op is a dead end: nothing that is offered replaces or skips it, so the head op.v1.3.0 is out of reach" + end,
		"op.v1.1.0 in channel headless of package op is a dead end: the head op.v9.0.0 is not in the catalog, though something names it in channel headless",
		"op.v1.0.0 in channel headless of package op is a dead end: the head op.v9.0.0 is not in the catalog, though something names it in channel headless, and upgrades end at op.v1.1.0",
		"op.v0.1.0 in channel headless of package op is a dead end: the head op.v9.0.0 is not in the catalog, though something names it in channel headless",
	}, said(deadEnds(t, u)))
	// With channel fast in the graph there is a way round.
	first := deadEnds(t, p.Updates())[0]
	require.Empty(t, cmp.Diff(graph.DeadEnd{
		Package: "op", Channel: "stable", Bundle: "op.v1.1.0", Version: "1.1.0", Head: "op.v1.3.0", Reason: graph.DeadEndNoEdge, Elsewhere: true,
	}, first))
	require.True(t, strings.HasSuffix(first.String(), end+"; by way of other channels it can be reached"))
	data, err := json.Marshal(first)
	require.NoError(t, err)
	require.JSONEq(t, `{"package":"op","channel":"stable","bundle":"op.v1.1.0","version":"1.1.0","head":"op.v1.3.0","reason":"noEdge","elsewhere":true}`, string(data))
}

// TestUnknownVersion: what has no version is held by no skipRange, even one
// that holds 0.0.0; and a version that is declared to be 0.0.0 is one.
func TestUnknownVersion(t *testing.T) {
	p := sample.Written(t, `
op/stable op.v0.0.0
op/stable op.v1.0.0 replaces=op.v0.5.0 range=<1.0.0
op/stable op.v0.5.0 replaces=op.v0.0.0 virtual
op/stable op.v0.6.0
op/stable op.v2.0.0 replaces=op.v1.0.0 skips=op.v0.6.0
bundle op.v0.6.0 flawed`)
	c := p.Channel("stable")
	edges := slices.Collect(c.Updates().Edges())
	text := said(edges)
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
	u := sample.Written(t, "op/c op.v1.0.0 op.v1.1.0\nop/c op.v1.2.0 replaces=op.v1.1.0 skips=op.v1.0.0,op.v1.1.0 range=<1.2.0\nbundle op.v1.1.0 barred").Updates()
	require.Equal(t, []string{"op.v1.0.0 → op.v1.2.0 (skips, skipRange in c)"}, said(u.Successors("op.v1.0.0")), "1.1.0 is skipped")
	u = sample.Written(t, "op/c op.v1.0.0 op.v1.1.0 op.v1.2.0\nbundle op.v1.1.0 barred").Updates()
	require.Equal(t, []string{"op.v1.0.0 → op.v1.1.0 (replaces in c; barred, so it is never taken)"}, said(u.Successors("op.v1.0.0")))
	require.Equal(t, []string{"op.v1.0.0"}, []string{deadEnds(t, u)[0].Bundle})
	require.Len(t, deadEnds(t, u), 1, "clusters with the barred one go on")
}

func TestUnreachable(t *testing.T) {
	p := sample.Written(t, `
op/stable op.v1.0.0 op.v1.1.0
op/stable op.v1.2.0 replaces=op.v1.0.0 skips=op.v1.1.0
op/stable op.v2.0.0
op/stable op.v2.1.0 replaces=op.v2.0.0 skips=op.v1.2.0
op/stable op.v2.2.0 replaces=op.v2.1.0
bundle op.v2.2.0 barred
bundle op.v3.0.0
op/two-heads op.v0.9.0
op/two-heads op.v0.9.1`)
	all := p.Updates().Unreachable()
	const quarantined = `quarantined in channel two-heads: channel "two-heads" of package "op" has 2 heads, "op.v0.9.0" and "op.v0.9.1": let one entry replace or skip the others`
	require.Equal(t, []string{
		"op.v2.2.0 of package op cannot be reached: it is barred from being newly chosen by an olm.deprecated property",
		"op.v2.0.0 of package op cannot be reached: it is offered in channel stable, but replaces or skips none of the older versions, so only a new installation gets there",
		"op.v3.0.0 of package op cannot be reached: it is in none of the channels",
		"op.v1.2.0 of package op cannot be reached: it is skipped by op.v2.1.0 in channel stable",
		"op.v1.1.0 of package op cannot be reached: it is skipped by op.v1.2.0 in channel stable",
		"op.v1.0.0 of package op cannot be reached: it is neither on the chain below the head nor skipped in channel stable",
		"op.v0.9.1 of package op cannot be reached: it is " + quarantined,
		"op.v0.9.0 of package op cannot be reached: it is " + quarantined,
	}, said(all))
	intended := slices.DeleteFunc(all, func(r graph.Unreachable) bool { return !r.Intended() })
	require.Equal(t, []string{"op.v2.2.0", "op.v1.2.0", "op.v1.1.0"}, []string{intended[0].Bundle, intended[1].Bundle, intended[2].Bundle})
	require.Len(t, intended, 3)
	twice := sample.Written(t, "op/a op.v1.0.0\nop/a op.v1.1.0 skips=op.v1.0.0\nop/b op.v1.0.0 op.v1.1.0\nop/b op.v1.2.0 skips=op.v1.1.0")
	require.Equal(t, "is skipped by op.v1.1.0 in channel a", twice.Updates().Standing("op.v1.0.0").String(), "the first channel counts")
	require.Len(t, p.Channel("stable").Updates().Unreachable(), 5, "what the channel does not list does not count")
}

func TestZStreams(t *testing.T) {
	p := sample.Written(t, `
op/stable op.v1.4.0 op.v1.4.1 op.v1.5.0
op/stable op.v1.5.1 replaces=op.v1.5.0 skips=op.v1.5.0
op/stable op.v1.5.9
op/stable op.v1.6.0 replaces=op.v1.5.1 skips=op.v1.5.9
op/stable op.v1.4.2 replaces=op.v1.6.0 skips=op.v1.4.0
op/stable op.v2.0.0-rc.1 replaces=op.v1.4.2
op/stable op.v2.0.0 replaces=op.v2.0.0-rc.1
op/stable op.v3.0.0
op/stable op.v4.0.0 replaces=op.v2.0.0 skips=op.v3.0.0`)
	u := p.Channel("stable").Updates()
	require.Equal(t, []string{
		"z-stream 4.0 in channel stable of package op: every release reaches op.v4.0.0",
		"z-stream 3.0 in channel stable of package op: none of 1 release is offered",
		"z-stream 2.0 in channel stable of package op: every release reaches op.v2.0.0",
		"z-stream 1.6 in channel stable of package op: every release reaches op.v1.6.0",
		"z-stream 1.5 in channel stable of package op: every release reaches op.v1.5.1",
		"z-stream 1.4 in channel stable of package op: op.v1.4.1 cannot reach op.v1.4.2; let it skip them, or hold them in its skipRange",
	}, said(u.ZStreams()))
	last := u.ZStreams()[5]
	require.False(t, last.OK())
	require.Empty(t, cmp.Diff(graph.ZStream{
		Package: "op", Channel: "stable", Minor: "1.4", Newest: "op.v1.4.2", Releases: 3,
		Failing: []graph.ZRelease{{Bundle: "op.v1.4.1", Version: "1.4.1"}},
	}, last))
}

// TestUpdatesConcurrently: a graph is safe for concurrent use.
func TestUpdatesConcurrently(t *testing.T) {
	u := sample.Written(t, crossing).Updates()
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range u.Paths("op.v1.0.0", "op.v1.4.0", graph.PathOptions{}) {
				deadEnds(t, u)
				u.ZStreams()
				u.Unreachable()
			}
		}()
	}
	group.Wait()
}
