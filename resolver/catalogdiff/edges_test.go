package catalogdiff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// TestLosses checks the losses of a change of a channel, one per line.
func TestLosses(t *testing.T) {
	const base = "op/stable op.v1.0.0 op.v1.1.0 op.v1.2.0\n"
	tests := map[string]struct{ old, now, want string }{
		"nothing":                    {base, base, ""},
		"a release":                  {base, base + "op/stable op.v1.3.0 replaces=op.v1.2.0", ""},
		"the tail cut off":           {base, "op/stable op.v1.2.0 op.v1.3.0", "stable op.v1.1.0 stops, stable op.v1.0.0 stops"},
		"the tail cut off, but held": {base, "op/stable op.v1.2.0 range=<1.2.0\nop/stable op.v1.3.0 replaces=op.v1.2.0", ""},
		"the head withdrawn": {base, "op/stable op.v1.0.0 op.v1.1.0\nbundle op.v1.2.0",
			"stable op.v1.2.0 > op.v1.1.0, stable op.v1.1.0 loses op.v1.2.0"},
		"the head barred":   {base, base + "bundle op.v1.2.0 barred", "stable op.v1.1.0 stops"},
		"two heads":         {base, base + "op/stable op.v1.3.0 replaces=op.v1.1.0", ""},
		"a channel renamed": {base, "op/fast op.v1.0.0 op.v1.1.0 op.v1.2.0", ""},
		"a channel gone":    {base, "op/fast op.v1.1.0 op.v1.2.0", "stable op.v1.0.0 stops"},
		"a stranger's way lost": {base + "op/stable op.v1.3.0 replaces=op.v1.2.0 range=<1.0.0\nop/fast op.v0.9.0",
			base + "op/stable op.v1.3.0 replaces=op.v1.2.0\nop/fast op.v0.9.0", ""},
		"a way lost of what nothing lists": {"op/stable op.v1.3.0 range=<1.3.0\nbundle op.v0.9.0", "op/stable op.v1.3.0\nbundle op.v0.9.0",
			"stable op.v0.9.0 stops"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			losses, err := lossesOf(t.Context(), universe.Written(t, test.old), universe.Written(t, test.now))
			require.NoError(t, err)
			require.Equal(t, test.want, strings.Join(lines(losses), ", "))
		})
	}
}

func lines(losses []channelLoss) []string {
	var out []string
	for _, l := range losses {
		if l.lowered {
			out = append(out, l.channel+" "+l.was+" > "+l.is)
		}
		for _, b := range l.bundles {
			if b.stops {
				out = append(out, l.channel+" "+b.bundle+" stops")
			} else {
				out = append(out, l.channel+" "+b.bundle+" loses "+strings.Join(b.lost, " "))
			}
		}
	}
	return out
}

// TestMostLosses: losses list at most maxEdges edges.
func TestMostLosses(t *testing.T) {
	var old, now strings.Builder
	for i := range 2 * maxEdges {
		fmt.Fprintf(&old, "op/c op.v1.0.%d replaces=op.v1.0.%d range=<1.0.%d\n", i+1, i, i+1)
		fmt.Fprintf(&now, "bundle op.v1.0.%d\n", i+1)
	}
	before, after := universe.Written(t, old.String()), universe.Written(t, now.String()+"op/c op.v2.0.0")
	losses := testkit.Must(lossesOf(t.Context(), before, after))(t)
	most := 0
	for _, b := range losses[0].bundles {
		most = max(most, len(b.before), len(b.lost))
	}
	require.Equal(t, maxEdges, most)
}

// TestPropertyLosses checks losses against a naive computation by the definition, from the
// entries of channels.
func TestPropertyLosses(t *testing.T) {
	stops, loses, lowered := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c, decl := draw.NewConverter(), draw.Package().Draw(t, "package")
		old, now := c.Package(decl), c.Package(successor(t, decl))
		got := testkit.Must(lossesOf(context.Background(), old, now))(t)
		var want []string
		for _, ch := range old.Channels {
			want = append(want, naiveLosses(old, now, ch)...)
		}
		for i := range got {
			if got[i].lowered {
				lowered++
				got[i].lowered = false // package catalogdiff_test plants some
			}
			for _, b := range got[i].bundles {
				slices.Sort(b.lost)
				if b.stops {
					stops++
				} else {
					loses++
				}
			}
		}
		require.ElementsMatch(t, want, lines(got))
		same := testkit.Must(lossesOf(context.Background(), old, old))(t)
		require.Empty(t, lines(same), "a state loses nothing to itself")
	})
	if !testing.Short() {
		require.Positive(t, min(stops, loses, lowered), "each kind was drawn")
	}
}

// successor draws a new state of a package: an unrelated one, or the same with parts removed.
func successor(t *rapid.T, old *oracle.Package) *oracle.Package {
	if rapid.IntRange(0, 3).Draw(t, "another") == 0 {
		return draw.Package().Draw(t, "package")
	}
	d := *old
	d.Channels = nil
	for _, ch := range old.Channels {
		entries := slices.Clone(ch.Entries)
		switch n := len(entries); rapid.IntRange(0, 5).Draw(t, "change of "+ch.Name) {
		case 0:
			continue
		case 1, 2:
			entries = entries[:max(n-1, min(n, 1))]
		case 3:
			if n > 0 {
				entries[n-1].Skips, entries[n-1].SkipRange = nil, ""
			}
		}
		d.Channels = append(d.Channels, oracle.Channel{Name: ch.Name, Entries: entries})
	}
	if n := len(old.Bundles); rapid.Bool().Draw(t, "lose") && n > 0 {
		i := rapid.IntRange(0, n-1).Draw(t, "lost")
		d.Bundles = slices.Delete(slices.Clone(old.Bundles), i, i+1)
	}
	return &d
}

// naiveVersion returns the version of a bundle in the first package that has it.
func naiveVersion(name string, packages ...*graph.Package) *semver.Version {
	for _, p := range packages {
		if v := universe.Version(p, name); v != nil {
			return v
		}
	}
	return nil
}

// naiveTargets returns the successors of a bundle, by the letter of section 2 of the semantics.
func naiveTargets(channels []*graph.Channel, name string, version *semver.Version) map[string]bool {
	out := make(map[string]bool)
	for _, ch := range channels {
		for _, b := range ch.Candidates() {
			e := ch.Entry(b.Name)
			if b.Name != name && !b.Barred &&
				(e.Replaces == name || slices.Contains(e.Skips(), name) || version != nil && e.SkipRange().Contains(*version)) {
				out[b.Name] = true
			}
		}
	}
	return out
}

func naiveLosses(old, now *graph.Package, ch *graph.Channel) []string {
	scope, then := now.Channels, now.Channel(ch.Name)
	if then != nil {
		scope = []*graph.Channel{then}
	}
	if now.Quarantine != nil || then != nil && then.Quarantined() != nil {
		return nil
	}
	names := make(map[string]bool)
	for _, b := range old.Bundles {
		names[b.Name] = true
	}
	for _, e := range ch.Entries {
		names[e.Name], names[e.Replaces] = true, true
		for _, s := range e.Skips() {
			names[s] = true
		}
	}
	delete(names, "")
	var out []string
	for name := range names {
		e := ch.Entry(name)
		elsewhere := e == nil && slices.ContainsFunc(old.Channels, func(c *graph.Channel) bool { return c.Entry(name) != nil })
		before := naiveTargets([]*graph.Channel{ch}, name, naiveVersion(name, old))
		after := naiveTargets(scope, name, naiveVersion(name, now, old))
		listed := e != nil && e.Bundle != nil
		wasHead := then == nil && ch.Head() != nil && ch.Head().Name == name
		if elsewhere || then == nil && !listed || len(before) == 0 && !wasHead {
			continue
		}
		isHead := slices.ContainsFunc(scope, func(c *graph.Channel) bool { return c.Head() != nil && c.Head().Name == name })
		if len(after) == 0 && !isHead {
			out = append(out, ch.Name+" "+name+" stops")
			continue
		}
		if then == nil {
			continue
		}
		reached := map[string]bool{name: true}
		for todo := []string{name}; len(todo) > 0; todo = todo[1:] {
			for to := range naiveTargets(scope, todo[0], naiveVersion(todo[0], now, old)) {
				if !reached[to] {
					reached[to] = true
					todo = append(todo, to)
				}
			}
		}
		delete(reached, name)
		var lost []string
		for to := range before {
			kept := reached[to]
			for r := range reached {
				kept = kept || naiveOlder(old, to, now, r)
			}
			if !kept {
				lost = append(lost, to)
			}
		}
		if slices.Sort(lost); len(lost) > 0 {
			out = append(out, ch.Name+" "+name+" loses "+strings.Join(lost, " "))
		}
	}
	return out
}

// naiveOlder reports whether a bundle of one package is older than one of another; both have a
// version. The drawn releases are numbers.
func naiveOlder(p *graph.Package, a string, q *graph.Package, b string) bool {
	x, _ := p.Bundle(a).Properties.Package()
	y, _ := q.Bundle(b).Properties.Package()
	if !x.Version.EQ(y.Version) {
		return x.Version.LT(y.Version)
	}
	return len(x.Release) < len(y.Release) || len(x.Release) == len(y.Release) && x.Release < y.Release
}
