package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/sample"
)

// drawSuccessor draws what became of a package: another one altogether, or the
// same with something missing or added.
func drawSuccessor(t *rapid.T, old graph.PackageDecl) graph.PackageDecl {
	if rapid.IntRange(0, 3).Draw(t, "new altogether") == 0 {
		return drawPackage(t)
	}
	d := old
	d.Channels = nil
	for _, c := range old.Channels {
		if rapid.IntRange(0, 9).Draw(t, "drop "+c.Name) == 0 {
			continue
		}
		entries := slices.Clone(c.Entries)
		if n := len(entries); rapid.IntRange(0, 2).Draw(t, "cut "+c.Name) == 0 && n > 1 {
			entries = slices.Delete(entries, n-1, n)
		}
		if n := len(entries); rapid.IntRange(0, 2).Draw(t, "loosen "+c.Name) == 0 {
			entries[n-1].Skips, entries[n-1].SkipRange = nil, ""
		}
		d.Channels = append(d.Channels, graph.ChannelDecl{Name: c.Name, Entries: entries})
	}
	if n := len(old.Bundles); rapid.Bool().Draw(t, "lose") && n > 0 {
		i := rapid.IntRange(0, n-1).Draw(t, "lost")
		d.Bundles = slices.Delete(slices.Clone(old.Bundles), i, i+1)
	}
	return d
}

// naiveUpgrades says what Compare should find about successors and edges.
func naiveUpgrades(old, now *graph.Package) []string {
	var out []string
	for _, c := range old.Channels {
		scope, after := now.Channels, now.Channel(c.Name)
		if after != nil {
			scope = []*graph.Channel{after}
			if after.Quarantined() != nil {
				continue
			}
		}
		for _, name := range naiveNames(old, old.Channels) {
			out = append(out, naiveUpgrade(old, now, c, scope, after == nil, name)...)
		}
	}
	return out
}

// naiveUpgrade does so for a bundle in a channel.
func naiveUpgrade(old, now *graph.Package, c *graph.Channel, scope []*graph.Channel, gone bool, name string) []string {
	version := sample.Version(now, name)
	if version == nil {
		version = sample.Version(old, name)
	}
	before := naiveTargets([]*graph.Channel{c}, name, sample.Version(old, name))
	after := naiveTargets(scope, name, version)
	e := c.Entry(name)
	listed := e != nil && e.Bundle != nil
	anywhere := slices.ContainsFunc(old.Channels, func(x *graph.Channel) bool { return x.Entry(name) != nil })
	if !listed && gone && anywhere {
		return nil
	}
	isHead := slices.ContainsFunc(scope, func(x *graph.Channel) bool { return x.Head() != nil && x.Head().Name == name })
	if listed && len(after) == 0 && !isHead {
		wasHead := c.Head() != nil && c.Head().Name == name
		return []string{fmt.Sprintf("%s %s noSuccessor %v", c.Name, name, wasHead || len(before) > 0)}
	}
	var out []string
	if listed && !gone && len(after) > 1 && len(before) <= 1 {
		out = append(out, fmt.Sprintf("%s %s severalSuccessors false", c.Name, name))
	}
	reached := naiveReach(scope, name, now, old)
	delete(reached, name)
	var lost []string
	for _, to := range before {
		covered := reached[to]
		for r := range reached {
			covered = covered || naiveOlder(old, to, now, r)
		}
		if !covered {
			lost = append(lost, to)
		}
	}
	if len(lost) > 0 {
		slices.Sort(lost)
		out = append(out, fmt.Sprintf("%s %s edgeLost %v %s", c.Name, name, e != nil || !anywhere, strings.Join(lost, " ")))
	}
	return out
}

// naiveTargets returns to what a bundle can be upgraded in one step, without
// what is barred.
func naiveTargets(channels []*graph.Channel, name string, version *semver.Version) []string {
	var out []string
	for _, s := range naiveSteps(channels, name, version) {
		if !s.barred && !slices.Contains(out, s.to) {
			out = append(out, s.to)
		}
	}
	return out
}

// TestCompareAgainstNaive compares what Compare finds about upgrades with the
// definition, worked out step by step; and that a state agrees with itself.
func TestCompareAgainstNaive(t *testing.T) {
	seen := make(map[graph.ChangeKind]int)
	checkOften(t, func(t *rapid.T) {
		decl := drawPackage(t)
		old := graph.Build(decl, graph.Options{})
		now := graph.Build(drawSuccessor(t, decl), graph.Options{})
		var got []string
		changes := compared(t, old, now)
		for _, c := range changes {
			seen[c.Kind]++
			require.NotEmpty(t, c.String())
			require.Equal(t, "p", c.Package)
			line := fmt.Sprintf("%s %s %s %v", c.Channel, c.Bundle, c.Kind, c.Breaking)
			switch c.Kind {
			case graph.ChangeEdgeLost:
				lost := slices.Sorted(slices.Values(c.Lost))
				got = append(got, line+" "+strings.Join(lost, " "))
			case graph.ChangeNoSuccessor, graph.ChangeSeveralSuccessors:
				got = append(got, line)
			}
		}
		require.ElementsMatch(t, naiveUpgrades(old, now), got)
		require.Equal(t, changes, compared(t, old, now))
		for _, c := range compared(t, old, old) {
			require.Equal(t, graph.ChangeNoSuccessor, c.Kind, "%s", c)
			require.False(t, c.Breaking, "%s", c)
		}
	})
	for _, k := range []graph.ChangeKind{graph.ChangeChannelAdded, graph.ChangeChannelGone, graph.ChangeChannelQuarantined, graph.ChangeHeadMoved,
		graph.ChangeHeadBack, graph.ChangeHeadUnusable, graph.ChangeVersionAdded, graph.ChangeVersionGone, graph.ChangeVersionLeft, graph.ChangeNoSuccessor,
		graph.ChangeSeveralSuccessors, graph.ChangeEdgeLost, graph.ChangeQuarantined, graph.ChangeBarred} {
		require.NotZero(t, seen[k], "%s was never drawn", k)
	}
}
