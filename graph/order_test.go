package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// naive is what the semantics say of a channel, straight from their text.
type naive struct {
	heads, chain []string
	cyclic       bool
}

// think works out the order of a channel by definition.
func think(c *graph.Channel) (n naive) {
	byName := map[string]*graph.Entry{}
	for i := range c.Entries {
		byName[c.Entries[i].Name] = &c.Entries[i]
	}
	for _, e := range c.Entries {
		// An entry that reaches itself by replaces is on a cycle.
		at := byName[e.Replaces]
		for range c.Entries {
			if at != nil {
				n.cyclic = n.cyclic || at.Name == e.Name
				at = byName[at.Replaces]
			}
		}
		// The head is what no other entry replaces or skips.
		if !overtaken(c, e.Name, true) {
			n.heads = append(n.heads, e.Name)
		}
	}
	if n.cyclic || len(n.heads) != 1 {
		return n
	}
	for e := byName[n.heads[0]]; e != nil; e = byName[e.Replaces] {
		n.chain = append(n.chain, e.Name)
	}
	return n
}

// overtaken reports whether another entry of a channel skips a name, or replaces it where that
// counts as well.
func overtaken(c *graph.Channel, name string, replaced bool) bool {
	return slices.ContainsFunc(c.Entries, func(o graph.Entry) bool {
		return o.Name != name && (replaced && o.Replaces == name || slices.Contains(o.Skips(), name))
	})
}

// TestOrder holds head, chain, skips, candidates and successors of drawn packages against
// the naive reading.
func TestOrder(t *testing.T) {
	seen := map[graph.Code]int{}
	checkOften(t, func(t *rapid.T) {
		p := drawPackage(t)
		checkQuarantine(t, p)
		for _, c := range p.Channels {
			code := graph.Code("")
			if c.Quarantine != nil {
				code = c.Quarantine.Code
			}
			seen[code]++
			if code == "entryDuplicate" || code == "channelDuplicate" || code == "channelEmpty" {
				require.Empty(t, c.Chain())
				continue // what its order would be means nothing
			}
			for _, e := range c.Entries {
				require.Equal(t, overtaken(c, e.Name, false), c.Entry(e.Name).SkippedBy() != "", e.Name)
			}
			switch want := think(c); {
			case want.cyclic:
				require.Equal(t, graph.Code("replacesCycle"), code)
			case len(want.heads) == 0:
				require.Equal(t, graph.Code("noHead"), code)
			case len(want.heads) > 1:
				require.Equal(t, graph.Code("severalHeads"), code)
			case p.Quarantine == nil:
				checkOrder(t, p, c, want.chain)
				continue
			}
			require.Empty(t, candidates(c))
			require.Empty(t, c.Successors("b.v0", semver.MustParse("0.0.0")))
		}
	})
	if testkit.Long() {
		require.GreaterOrEqual(t, len(seen), 6, "each way to be wrong but noHead, which is rare: %v", seen)
	}
	require.Positive(t, seen[""], "no channel that has an order was drawn")
}

// checkOrder holds a channel that has an order against the naive reading, and its edges
// from every version, known or not.
func checkOrder(t *rapid.T, p *graph.Package, c *graph.Channel, chain []string) {
	require.Equal(t, chain, names(c.Chain()))
	require.Equal(t, chain[0], c.Head().Name)
	want, offered := []string{}, map[string]int{}
	for i, name := range chain {
		require.Equal(t, i, c.Entry(name).Position)
		if b := p.Bundle(name); b != nil && b.Quarantine == nil && !overtaken(c, name, false) {
			want, offered[name] = append(want, name), i
		}
	}
	require.Equal(t, want, candidates(c))
	for i, b := range c.Candidates() {
		require.Equal(t, offered[b.Name], i)
		require.Contains(t, b.Places, graph.Place{Channel: c, Position: i})
	}
	for v := range uint64(12) {
		name, version := fmt.Sprintf("p.v%d", v), semver.Version{Major: v}
		steps := testkit.Map(naiveSteps([]*graph.Channel{c}, name, &version), func(s naiveStep) string { return s.to })
		require.ElementsMatch(t, steps, names(c.Successors(name, version)), "from %s", name)
	}
}

// TestOrderOfDeclarationsIsFree: the same declarations in another order make
// the same package, but for the order of entries.
func TestOrderOfDeclarationsIsFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		decl := drawPackage(t).Decl()
		p := graph.Build(decl, graph.Options{})
		decl.Bundles = rapid.Permutation(decl.Bundles).Draw(t, "bundles")
		for i := range decl.Channels {
			decl.Channels[i].Entries = rapid.Permutation(decl.Channels[i].Entries).Draw(t, "entries")
		}
		q := graph.Build(decl, graph.Options{})
		for i, c := range p.Channels {
			require.Equal(t, names(c.Chain()), names(q.Channels[i].Chain()))
			require.Equal(t, candidates(c), candidates(q.Channels[i]))
		}
		told := func(p *graph.Package) []string {
			return testkit.Map(p.Problems, func(x graph.Problem) string { return fmt.Sprint(x.Code, x.Channel, x.Bundle) })
		}
		require.ElementsMatch(t, told(p), told(q))
	})
}

// TestLongChain: a channel of a hundred thousand entries is no problem.
func TestLongChain(t *testing.T) {
	const n = 100_000
	d := graph.PackageDecl{Name: "etcd", Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}}, Channels: []graph.ChannelDecl{{Name: "stable"}}}
	for i := range n {
		d.Channels[0].Entries = append(d.Channels[0].Entries, graph.EntryDecl{Name: fmt.Sprint(i), Replaces: fmt.Sprint(i + 1)})
	}
	require.Len(t, graph.Build(d, graph.Options{}).Channels[0].Chain(), n)
}

// TestMisspelledReplaces: what is suggested is the head of another chain that is not newer
// than the entry: neither the head above it nor a later version can be what it replaces.
func TestMisspelledReplaces(t *testing.T) {
	// One chain, another whose head is not meant, and what is newer.
	decl := declaration("a", `channel x
entry a.v1.0.0
entry a.v1.0.1 a.v1.0.0
entry a.v1.0.2 a.v1.0.l
entry a.v1.0.3 a.v1.0.2
entry a.v1.0.9
bundle a.v1.0.0 a 1.0.0
bundle a.v1.0.1 a 1.0.1
bundle a.v1.0.2 a 1.0.2
bundle a.v1.0.3 a 1.0.3
bundle a.v1.0.9 a 1.0.9`)
	var said []string
	for _, p := range graph.Build(decl, graph.Options{}).Problems {
		if p.Code == "replacesUnknown" {
			said = append(said, p.Message)
		}
	}
	require.Equal(t, []string{`entry "a.v1.0.2" of channel "x" of package "a" replaces "a.v1.0.l", no such entry; did you mean a.v1.0.1?`}, said)
}

// TestProblemCompare: the file counts most, then the line, package, channel,
// bundle, code and at last the message, in whatever order they come.
func TestProblemCompare(t *testing.T) {
	want := []graph.Problem{
		{File: "a", Line: 1, Package: "z", Code: "z"},
		{File: "a", Line: 2, Package: "a", Channel: "z", Bundle: "z", Code: "z", Message: "z"},
		{File: "a", Line: 2, Package: "b", Channel: "", Bundle: "z", Code: "z", Message: "z"},
		{File: "a", Line: 2, Package: "b", Channel: "b", Bundle: "a", Code: "z", Message: "z"},
		{File: "a", Line: 2, Package: "b", Channel: "b", Bundle: "b", Code: "a", Message: "z"},
		{File: "a", Line: 2, Package: "b", Channel: "b", Bundle: "b", Code: "b", Message: "a"},
		{File: "a", Line: 2, Package: "b", Channel: "b", Bundle: "b", Code: "b", Message: "b"},
		{File: "a", Line: 10},
		{File: "b", Line: 1},
	}
	for seed := range uint64(20) {
		got := slices.Clone(want)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, graph.Problem.Compare)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	}
}
