package graph_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
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

// TestUpdatesEdges compares the edges of drawn packages with a naive reading
// of section 2 of the semantics.
func TestUpdatesEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawGraph(t)
		names := naiveNames(d.p, d.channels)
		require.ElementsMatch(t, names, slices.Collect(d.u.Bundles()), "%s", d)
		total := 0
		for _, name := range names {
			var want, got []naiveStep
			want = naiveSteps(d.channels, name, universe.Version(d.p, name))
			edges := d.u.Successors(name)
			total += len(edges)
			for _, e := range edges {
				require.Equal(t, name, e.From)
				for _, o := range e.Offers {
					why := ""
					for _, r := range o.Reasons {
						why += string(r) + " "
					}
					got = append(got, naiveStep{e.To, o.Channel, why, e.Barred})
				}
			}
			require.ElementsMatch(t, want, got, "from %s\n%s", name, d)
		}
		require.Len(t, edges(d.u), total)
		// The order is that of preference: candidates by their best place.
		order := slices.Collect(d.u.Bundles())
		var best []string
		for _, c := range d.channels {
			for _, b := range candidates(c) {
				if !slices.Contains(best, b) {
					best = append(best, b)
				}
			}
		}
		require.Equal(t, orEmpty(best), orEmpty(order[:len(best)]), "%s", d)
		for _, name := range names {
			require.True(t, slices.IsSortedFunc(d.u.Successors(name), func(a, b graph.Edge) int {
				return cmp.Compare(slices.Index(order, a.To), slices.Index(order, b.To))
			}))
		}
	})
}

// TestChannelSuccessorsAgree: the graph of a channel and the channel itself
// say the same, wherever the version is known.
func TestChannelSuccessorsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPackage(t)
		for _, c := range p.Channels {
			u := updates(t, p, c.Name)
			for _, name := range naiveNames(p, p.Channels) {
				if v := universe.Version(p, name); v != nil {
					var got []string
					for _, e := range u.Successors(name) {
						got = append(got, e.To)
					}
					require.Equal(t, names(c.Successors(name, *v)), orEmpty(got))
					reached := naiveReach([]*graph.Channel{c}, name, p)
					delete(reached, name)
					require.ElementsMatch(t, slices.Collect(maps.Keys(reached)), slices.Collect(u.Reachable(name)))
				}
			}
		}
	})
}

// TestPathsAgainstNaive compares the shortest path with an enumeration of all.
func TestPathsAgainstNaive(t *testing.T) {
	most := 0
	checkOften(t, func(t *rapid.T) {
		d := drawGraph(t)
		all := slices.Collect(d.u.Bundles())
		from, to := rapid.SampledFrom(all).Draw(t, "from"), rapid.SampledFrom(all).Draw(t, "to")
		want := naivePaths(d.p, d.channels, from, to)
		most = max(most, len(want))
		slices.SortFunc(want, func(a, b []string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return slices.CompareFunc(a, b, func(x, y string) int { return slices.Index(all, x) - slices.Index(all, y) })
		})
		shortest, err := d.u.ShortestPath(from, to)
		if len(want) == 0 {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want[0], shortest.Bundles(), "%s", d)
		require.Equal(t, from, shortest.From)
		require.Equal(t, to, shortest.To())
		checkPath(t, d, shortest)
	})
	if testkit.Long() { // few are drawn otherwise
		require.Greater(t, most, 20, "no package with many paths was drawn")
	}
}

// checkPath checks the steps of a path against the edges of the graph, and
// its channels against all ways to choose them.
func checkPath(t *rapid.T, d drawnGraph, p graph.Path) {
	at := p.From
	for _, step := range p.Steps {
		require.Equal(t, at, step.From)
		require.True(t, slices.ContainsFunc(d.u.Successors(at), func(e graph.Edge) bool { return e.String() == step.String() }))
		at = step.To
	}
	chosen := p.Channels()
	require.Len(t, chosen, len(p.Steps))
	changes := 0
	for i, c := range chosen {
		require.True(t, slices.ContainsFunc(p.Steps[i].Offers, func(o graph.Offer) bool { return o.Channel == c }))
		if i > 0 && chosen[i-1] != c {
			changes++
		}
	}
	fewest := map[string]int{} // changes so far, by the channel of the last step
	for i, step := range p.Steps {
		next := map[string]int{}
		for _, o := range step.Offers {
			next[o.Channel] = 0
			if i > 0 {
				next[o.Channel] = 1000
				for c, n := range fewest {
					if c != o.Channel {
						n++
					}
					next[o.Channel] = min(next[o.Channel], n)
				}
			}
		}
		fewest = next
	}
	if len(fewest) > 0 {
		require.Equal(t, slices.Min(slices.Collect(maps.Values(fewest))), changes, "%v", chosen)
	}
}

// TestDeadEndsAgainstNaive compares dead ends with what can be reached step by
// step.
func TestDeadEndsAgainstNaive(t *testing.T) {
	further := make(map[bool]int)
	checkOften(t, func(t *rapid.T) {
		d := drawGraph(t)
		for _, c := range d.channels {
			want := []graph.DeadEnd{}
			for i := range c.Entries {
				name := c.Entries[i].Name
				inside := naiveReach([]*graph.Channel{c}, name, d.p)
				if c.Head() == nil || name == c.Head().Name || inside[c.Head().Name] {
					continue
				}
				e := graph.DeadEnd{Bundle: name, Furthest: name}
				if at := slices.IndexFunc(candidates(c), func(b string) bool { return inside[b] }); at >= 0 {
					e.Furthest = candidates(c)[at]
				}
				further[e.Furthest != name]++
				want = append(want, e)
			}
			require.ElementsMatch(t, want, deadEnds(t, c), "channel %s\n%s", c.Name, d)
		}
	})
	if testkit.Long() {
		require.Len(t, further, 2, "some kind of dead end was never drawn")
	}
}

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
			if slices.Contains(e.Skips(), name) {
				why += "skips "
			}
			if version != nil && e.SkipRange().Contains(*version) {
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
			for _, s := range e.Skips() {
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

// String renders the drawn package, for a failure.
func (d drawnGraph) String() string {
	s := ""
	for _, c := range d.channels {
		s += fmt.Sprintf("channel %s\n", c.Name)
		for _, e := range c.Entries {
			s += fmt.Sprintf("  %s replaces %s skips %v range %s\n", e.Name, e.Replaces, e.Skips(), e.SkipRange())
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
	require.NoError(t, checks.Value.Set(strconv.Itoa(testkit.Times(4, 15)*n)))
	defer func() { require.NoError(t, checks.Value.Set(was)) }()
	rapid.Check(t, property)
}
