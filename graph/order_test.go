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
)

// drawnChannel is a random channel: entry i is named "b.v<i>" and has version
// i.0.0. Bundles of some entries are absent or in quarantine.
type drawnChannel struct {
	entries []graph.EntryDecl
	absent  map[string]bool
	broken  map[string]bool
}

// drawChannel draws a channel. Most are close to a chain, so that many have a head.
func drawChannel(t *rapid.T) drawnChannel {
	d := drawnChannel{absent: map[string]bool{}, broken: map[string]bool{}}
	n := rapid.IntRange(1, 9).Draw(t, "entries")
	name := func(i int) string { return fmt.Sprintf("b.v%d", i) }
	anyone := rapid.IntRange(-2, n+1)
	wild := rapid.IntRange(0, 3).Draw(t, "wild") == 0
	for i := range n {
		e := graph.EntryDecl{Name: name(i), Replaces: name(i - 1)}
		if i == 0 {
			e.Replaces = ""
		}
		if wild && rapid.Bool().Draw(t, "rewire") {
			if to := anyone.Draw(t, "replaces"); to == -2 {
				e.Replaces = ""
			} else {
				e.Replaces = name(to)
			}
		}
		if !wild && i > 1 && rapid.IntRange(0, 3).Draw(t, "jump") == 0 {
			e.Replaces, e.Skips = name(i-2), []string{name(i - 1)}
		}
		for rapid.IntRange(0, 5).Draw(t, "skip") == 0 {
			to := i - rapid.IntRange(0, 3).Draw(t, "skips")
			if wild {
				to = anyone.Draw(t, "skips anyone")
			}
			e.Skips = append(e.Skips, name(to))
		}
		if rapid.IntRange(0, 3).Draw(t, "has range") == 0 {
			e.SkipRange = fmt.Sprintf(">=%d.0.0 <%d.0.0", anyone.Draw(t, "from")+2, anyone.Draw(t, "to")+2)
		}
		d.absent[e.Name] = rapid.IntRange(0, 6).Draw(t, "absent") == 0
		d.broken[e.Name] = rapid.IntRange(0, 6).Draw(t, "broken") == 0
		d.entries = append(d.entries, e)
	}
	d.entries = rapid.Permutation(d.entries).Draw(t, "order")
	return d
}

// decl returns the declaration of a package that has only that channel.
func (d drawnChannel) decl(t require.TestingT) graph.PackageDecl {
	decl := graph.PackageDecl{
		Name:        "etcd",
		Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}},
		Channels:    []graph.ChannelDecl{{Name: "stable", Entries: d.entries}},
	}
	for _, e := range d.entries {
		if d.absent[e.Name] {
			continue
		}
		var v int
		fmt.Sscanf(e.Name, "b.v%d", &v)
		b := bundle(t, e.Name, fmt.Sprintf("%d.0.0", v))
		if d.broken[e.Name] {
			b.Flaws = []graph.Flaw{{Message: "broken"}}
		}
		decl.Bundles = append(decl.Bundles, b)
	}
	return decl
}

// naive is what the semantics say of a channel, straight from their text.
type naive struct {
	heads  []string
	cyclic bool
	chain  []string
}

// think works out the order of a channel by definition.
func (d drawnChannel) think() naive {
	var n naive
	byName := map[string]graph.EntryDecl{}
	for _, e := range d.entries {
		byName[e.Name] = e
	}
	for _, e := range d.entries {
		// Whoever comes back to itself by following replaces is on a cycle.
		at, ok := byName[e.Replaces]
		for range len(d.entries) {
			if ok && at.Name == e.Name {
				n.cyclic = true
			}
			if ok {
				at, ok = byName[at.Replaces]
			}
		}
		// The head is what no other entry replaces or skips.
		if !slices.ContainsFunc(d.entries, func(o graph.EntryDecl) bool {
			return o.Name != e.Name && (o.Replaces == e.Name || slices.Contains(o.Skips, e.Name))
		}) {
			n.heads = append(n.heads, e.Name)
		}
	}
	if n.cyclic || len(n.heads) != 1 {
		return n
	}
	for e, ok := byName[n.heads[0]]; ok; e, ok = byName[e.Replaces] {
		n.chain = append(n.chain, e.Name)
	}
	return n
}

// skipped reports whether another entry skips that name.
func (d drawnChannel) skipped(name string) bool {
	return slices.ContainsFunc(d.entries, func(o graph.EntryDecl) bool {
		return o.Name != name && slices.Contains(o.Skips, name)
	})
}

// TestOrder holds head, chain, skips, candidates and successors against the
// naive reading, on random channels.
func TestOrder(t *testing.T) {
	sound := 0
	rapid.Check(t, func(t *rapid.T) {
		d := drawChannel(t)
		want := d.think()
		p := graph.Build(d.decl(t), graph.Options{})
		checkQuarantine(t, p)
		c := p.Channel("stable")
		for _, e := range d.entries {
			require.Equal(t, d.skipped(e.Name), c.Entry(e.Name).SkippedBy != "", e.Name)
		}
		require.Equal(t, want.chain == nil, c.Quarantine != nil)
		if c.Quarantine != nil {
			switch {
			case want.cyclic:
				require.Equal(t, graph.Code("replacesCycle"), c.Quarantine.Code)
			case len(want.heads) == 0:
				require.Equal(t, graph.Code("noHead"), c.Quarantine.Code)
			default:
				require.Equal(t, graph.Code("severalHeads"), c.Quarantine.Code)
			}
			require.Empty(t, candidates(c))
			require.Empty(t, c.Successors("b.v0", semver.MustParse("0.0.0")))
			return
		}
		sound++
		require.Equal(t, want.chain, names(c.Chain()))
		require.Equal(t, want.heads[0], c.Head().Name)
		wantCandidates, wantPositions := []string{}, []int{}
		for i, name := range want.chain {
			require.Equal(t, i, c.Entry(name).Position)
			if !d.skipped(name) && !d.absent[name] && !d.broken[name] {
				wantCandidates = append(wantCandidates, name)
				wantPositions = append(wantPositions, i)
			}
		}
		require.Equal(t, wantCandidates, candidates(c))
		gotPositions := []int{}
		for i, b := range c.Candidates() {
			gotPositions = append(gotPositions, i)
			require.Equal(t, []graph.Place{{Channel: c, Position: i}}, b.Places)
		}
		require.Equal(t, wantPositions, gotPositions)
		checkSuccessors(t, d, c, wantCandidates)
	})
	require.Positive(t, sound, "the generator draws no channel that has an order")
}

// checkSuccessors holds the edges from every version, known or not, against
// the naive reading.
func checkSuccessors(t *rapid.T, d drawnChannel, c *graph.Channel, candidates []string) {
	for v := range 12 {
		name := fmt.Sprintf("b.v%d", v)
		version := semver.Version{Major: uint64(v)}
		want := []string{}
		for _, candidate := range candidates {
			i := slices.IndexFunc(d.entries, func(e graph.EntryDecl) bool { return e.Name == candidate })
			e := d.entries[i]
			edge := e.Replaces == name || slices.Contains(e.Skips, name)
			if e.SkipRange != "" {
				edge = edge || semver.MustParseRange(e.SkipRange)(version)
			}
			if edge && candidate != name {
				want = append(want, candidate)
			}
		}
		require.Equal(t, want, names(c.Successors(name, version)), "from %s", name)
	}
}

// TestOrderOfDeclarationsIsFree: the same declarations in another order make
// the same package, but for the order of entries.
func TestOrderOfDeclarationsIsFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		decl := drawChannel(t).decl(t)
		p := graph.Build(decl, graph.Options{})
		decl.Bundles = rapid.Permutation(decl.Bundles).Draw(t, "bundles")
		decl.Channels[0].Entries = rapid.Permutation(decl.Channels[0].Entries).Draw(t, "entries")
		q := graph.Build(decl, graph.Options{})
		require.Equal(t, names(p.Channel("stable").Chain()), names(q.Channel("stable").Chain()))
		require.Equal(t, candidates(p.Channel("stable")), candidates(q.Channel("stable")))
		require.Equal(t, len(p.Problems), len(q.Problems))
		for i := range p.Problems {
			require.Equal(t, p.Problems[i].Code, q.Problems[i].Code)
			require.Equal(t, p.Problems[i].Bundle, q.Problems[i].Bundle)
		}
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

// TestCompareProblems: the file counts most, then the line, package, channel,
// bundle, code and at last the message, in whatever order they come.
func TestCompareProblems(t *testing.T) {
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
		slices.SortFunc(got, graph.CompareProblems)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	}
}
