package graph_test

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// drawPackage draws a package, see [draw.Package].
func drawPackage(t *rapid.T) *graph.Package {
	return draw.NewConverter().Package(draw.Package().Draw(t, "package"))
}

// naiveStep is a step from one bundle to another in a channel.
type naiveStep struct {
	to      string
	channel string
	reasons string
	barred  bool
}

// naiveSteps are the steps from a bundle in channels, by the letter of section
// 2 of the semantics. The version is nil where it is unknown.
func naiveSteps(channels []*graph.Channel, name string, version *semver.Version) []naiveStep {
	var out []naiveStep
	for _, c := range channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			if !slices.Contains(candidates(c), e.Name) || e.Name == name {
				continue
			}
			why := ""
			if e.Replaces == name {
				why += "replaces "
			}
			if slices.Contains(e.Skips, name) {
				why += "skips "
			}
			if version != nil && e.SkipRange.Contains(*version) {
				why += "skipRange "
			}
			if why != "" {
				out = append(out, naiveStep{e.Name, c.Name, why, e.Bundle.Barred})
			}
		}
	}
	return out
}

// naiveReach returns all that can be reached from a bundle, itself included,
// without stepping onto what is barred. Versions of what the package lacks come
// from the packages before.
func naiveReach(channels []*graph.Channel, from string, packages ...*graph.Package) map[string]bool {
	reached := map[string]bool{from: true}
	for grown := true; grown; {
		grown = false
		for name := range reached {
			var version *semver.Version
			for _, p := range packages {
				if version == nil {
					version = universe.Version(p, name)
				}
			}
			for _, s := range naiveSteps(channels, name, version) {
				if !s.barred && !reached[s.to] {
					reached[s.to], grown = true, true
				}
			}
		}
	}
	return reached
}

// naiveNames returns all names that matter in a package.
func naiveNames(p *graph.Package, channels []*graph.Channel) []string {
	all := make(map[string]bool)
	for _, b := range p.Bundles {
		all[b.Name] = true
	}
	for _, c := range channels {
		for _, e := range c.Entries {
			all[e.Name] = true
			all[e.Replaces] = true
			for _, s := range e.Skips {
				all[s] = true
			}
		}
	}
	delete(all, "")
	out := make([]string, 0, len(all))
	for n := range all {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// naivePaths returns all paths from one bundle to another on which none comes
// twice, as their bundles.
func naivePaths(p *graph.Package, channels []*graph.Channel, from, to string) [][]string {
	var out [][]string
	var walk func(path []string)
	walk = func(path []string) {
		at := path[len(path)-1]
		if at == to {
			out = append(out, slices.Clone(path))
			return
		}
		seen := make(map[string]bool)
		for _, s := range naiveSteps(channels, at, universe.Version(p, at)) {
			if !s.barred && !seen[s.to] && !slices.Contains(path, s.to) {
				seen[s.to] = true
				walk(append(path, s.to))
			}
		}
	}
	walk([]string{from})
	return out
}

// drawnGraph is a drawn package with a graph of some of its channels.
type drawnGraph struct {
	p        *graph.Package
	channels []*graph.Channel
	u        *graph.Updates
}

// drawGraph draws a package and chooses channels of it.
func drawGraph(t *rapid.T) drawnGraph {
	p := drawPackage(t)
	if rapid.Bool().Draw(t, "one channel") {
		c := rapid.SampledFrom(p.Channels).Draw(t, "channel")
		return drawnGraph{p, []*graph.Channel{c}, updates(t, p, c.Name)}
	}
	return drawnGraph{p, p.Channels, updates(t, p)}
}

// String says what was drawn, for a failure.
func (d drawnGraph) String() string {
	s := ""
	for _, c := range d.channels {
		s += fmt.Sprintf("channel %s\n", c.Name)
		for _, e := range c.Entries {
			s += fmt.Sprintf("  %s replaces %s skips %v range %s\n", e.Name, e.Replaces, e.Skips, e.SkipRange)
		}
	}
	return s
}

// orEmpty makes no list an empty one.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// checkOften checks a property so often that what is rare is drawn as well, also where
// the seed is given.
func checkOften(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	was := checks.Value.String()
	n := testkit.Must(strconv.Atoi(was))(t)
	require.NoError(t, checks.Value.Set(strconv.Itoa(15*n)))
	defer func() { require.NoError(t, checks.Value.Set(was)) }()
	rapid.Check(t, property)
}
