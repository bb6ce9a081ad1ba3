package upgrade_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// moves are what each round of an answer changes.
func moves(up *upgrade.Upgraded) []string {
	var out []string
	for i, round := range up.Rounds {
		for _, s := range round.Solution.Steps {
			if s.Action != resolver.Keep {
				out = append(out, fmt.Sprintf("%d %s", i+1, s.Bundle))
			}
		}
	}
	return out
}

// pathCases are the cases of testdata/paths.txt that have a verb, and do not have it.
func pathCases(t *testing.T, verb string) (with, without []testkit.Case) {
	for _, c := range testkit.Cases(t, "testdata/paths.txt", "has", "to", "upgrades", "moves", "companion", "besides", "far", "correction") {
		if len(c.All(verb)) > 0 {
			with = append(with, c)
		} else {
			without = append(without, c)
		}
	}
	require.Greater(t, min(len(with), len(without)), 3)
	return with, without
}

// TestMovesOfLeast: the answer is one upgrade, or the upgrade path to the version, with all
// that has to come along in each round and the reasons in the first, and nothing else; what
// approving everything would move is said.
func TestMovesOfLeast(t *testing.T) {
	_, cases := pathCases(t, "correction")
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			req := universe.Request(t, c.Part("has").Text())
			for _, s := range req.Subscriptions {
				if s.InstalledCSV != "" {
					req.Installed = append(req.Installed, resolver.Installed{Name: s.InstalledCSV, Subscription: s.Name})
				}
			}
			name, version, named := strings.Cut(c.Part("to").Rest, "=")
			if !named {
				name, version = req.Subscriptions[0].Name, name
			}
			up := leastOf(t, req, upgrade.Target{Subscription: name, Version: version})
			require.Equal(t, c.Rests("moves"), moves(up))
			var companions, besides []string
			for _, c := range up.Rounds[0].Companions {
				for _, why := range c.Because {
					c.Bundle += ": " + why.Bundle + " " + why.Constraint
				}
				companions = append(companions, c.Bundle)
			}
			for _, s := range up.Besides {
				besides = append(besides, s.Bundle)
			}
			require.Equal(t, c.Rests("companion"), companions)
			require.Equal(t, c.Rests("besides"), besides)
		})
	}
}

// TestNoPath: where no upgrade path leads to the version it is said how far one leads and
// what ends it, and each correction leads to the version.
func TestNoPath(t *testing.T) {
	cases, _ := pathCases(t, "correction")
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			req := universe.Request(t, c.Part("has").Text())
			req.Policy.Upgrades = resolver.Upgrades(c.Part("upgrades").Rest)
			r := resolver.New()
			targets := []upgrade.Target{{Subscription: "a", Version: c.Part("to").Rest}}
			_, err := upgrade.Least(t.Context(), r, req, targets)
			refused := testkit.As[*upgrade.RefusedError](t, err)
			var far []string
			for _, sol := range refused.Rounds {
				far = append(far, sol.Set()...)
			}
			require.Equal(t, c.Rests("far"), far)
			conflict := testkit.As[*resolver.Conflict](t, err)
			require.NoError(t, whatif.FindCorrections(t.Context(), r, refused.Request, conflict, whatif.FindOptions{Allow: refused.Allow, Resolve: refused.Reach(r)}))
			var texts []string
			for _, c := range conflict.Corrections {
				texts = append(texts, c.Text)
				if follow, ok := c.Changes[0].Change.(resolver.FollowChannel); ok && follow.Round > 0 {
					continue // for a later round
				}
				changed := testkit.Must(req.Apply(c.List()...))(t)
				up, err := upgrade.Least(t.Context(), r, changed, targets)
				require.NoError(t, err, "%s does not lead there", c.Text)
				require.Equal(t, c.Result, up.Rounds[len(up.Rounds)-1].Solution.Set())
			}
			require.Equal(t, c.Rests("correction"), texts)
		})
	}
}

// line is a package of the property: what each version needs of the other and skips,
// by version from 1.
type line struct {
	needs, skips []int // 0 where it does neither
	olmv1        bool
}

func (l line) versions() int { return len(l.needs) - 1 }

func (l line) text(name string) string {
	var b strings.Builder
	for v := 1; v <= l.versions(); v++ {
		fmt.Fprintf(&b, "%s/stable %[1]s.v%d", name, v)
		if v > 1 {
			fmt.Fprintf(&b, " replaces=%s.v%d", name, v-1)
		}
		if l.skips[v] > 0 {
			fmt.Fprintf(&b, " skips=%s.v%d", name, l.skips[v])
		}
		if l.needs[v] > 0 {
			fmt.Fprintf(&b, " needs=b@>=%d.0.0", l.needs[v])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// next are the versions that a version may become in one round, itself among them. What
// another entry skips is not chosen any more (section 2 of SEMANTICS.md), but by an extension
// (section 13).
func (l line) next(v int) []int {
	out := []int{v}
	for to := v + 1; to <= l.versions(); to++ {
		if (to == v+1 || l.skips[to] == v) && (l.olmv1 || !slices.Contains(l.skips, to)) {
			out = append(out, to)
		}
	}
	return out
}

// fewestRounds is how many rounds bring a from version 1 to the wanted one with b beside
// it, by trying everything round by round, and 0 where none do.
func fewestRounds(a, b line, wanted int) int {
	type state struct{ a, b int }
	seen := map[state]bool{}
	now := []state{{1, 1}}
	for round := 1; len(now) > 0; round++ {
		var later []state
		for _, s := range now {
			for _, va := range a.next(s.a) {
				for _, vb := range b.next(s.b) {
					to := state{va, vb}
					if seen[to] || a.needs[va] > vb {
						continue
					}
					if va == wanted {
						return round
					}
					seen[to] = true
					later = append(later, to)
				}
			}
		}
		now = later
	}
	return 0
}

// fewestLazy is fewestRounds of extensions: b goes to the highest version that it can, and only along
// with what cannot be without that, or while a waits.
func fewestLazy(a, b line, wanted int) int {
	type state struct{ a, b int }
	seen := map[state]bool{}
	now := []state{{1, 1}}
	for round := 1; len(now) > 0; round++ {
		var later []state
		for _, s := range now {
			highest := slices.Max(b.next(s.b))
			for _, va := range a.next(s.a) {
				to := state{va, s.b}
				if va == s.a || a.needs[va] > s.b {
					to.b = highest
				}
				if seen[to] || a.needs[va] > to.b {
					continue
				}
				if va == wanted {
					return round
				}
				seen[to] = true
				later = append(later, to)
			}
		}
		now = later
	}
	return 0
}

func drawLine(rt *rapid.T, name string, n int) line {
	l := line{needs: make([]int, n+1), skips: make([]int, n+1)}
	for v := 1; v <= n; v++ {
		if v > 2 && rapid.Bool().Draw(rt, name+" skips") {
			l.skips[v] = rapid.IntRange(1, v-2).Draw(rt, "which")
		}
		if name == "a" && rapid.Bool().Draw(rt, "needs") {
			l.needs[v] = rapid.IntRange(1, n).Draw(rt, "least")
		}
	}
	return l
}

// asExtensions makes extensions of the subscriptions of a request, that plan their dependencies.
func asExtensions(req *resolver.Request) {
	owned := req.Owned()
	for _, s := range req.Subscriptions {
		req.Extensions = append(req.Extensions, resolver.Extension{Name: s.Name, Package: s.Package, InstalledCSV: owned[s.Name]})
	}
	req.Subscriptions, req.Policy.Dependencies = nil, resolver.DependenciesPlan
}

// TestPropertyRoundsReplay: an upgrade path is there where trying everything finds one, and
// has as few rounds as others that stay as long as they can leave it, for subscriptions unless the target has to wait for others; each of its rounds is a solution of what the rounds before it leave,
// with the bundles of its targets pinned, and the last one has the version. Extensions are given
// the versions instead.
func TestPropertyRoundsReplay(t *testing.T) {
	several, none := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(3, 6).Draw(rt, "versions")
		a, b := drawLine(rt, "a", n), drawLine(rt, "b", n)
		a.olmv1 = rapid.Bool().Draw(rt, "extensions")
		b.olmv1 = a.olmv1
		req := universe.Request(t, a.text("a")+b.text("b")+"installed a.v1 by=a\ninstalled b.v1 by=b\nsubscribe a\nsubscribe b")
		if a.olmv1 {
			asExtensions(&req)
		}
		number := rapid.IntRange(2, n).Draw(rt, "wanted")
		wanted := fmt.Sprintf("a.v%d", number)
		r := resolver.New()
		up, err := upgrade.Least(t.Context(), r, req, []upgrade.Target{{Subscription: "a", Version: wanted}})
		fewest := fewestRounds(a, b, number)
		var refused *upgrade.RefusedError
		var unknown *upgrade.TargetError
		if errors.As(err, &refused) || errors.As(err, &unknown) {
			require.Zero(rt, fewest, "rounds that lead there, and yet: %v", err)
			none++
			return
		}
		require.NoError(rt, err)
		waits := slices.ContainsFunc(up.Rounds, func(round upgrade.Round) bool {
			return !slices.ContainsFunc(round.Solution.Steps, func(s resolver.Step) bool { return s.Package == "a" && s.Action != resolver.Keep })
		})
		switch require.GreaterOrEqual(rt, len(up.Rounds), fewest); {
		case a.olmv1:
			require.Len(rt, up.Rounds, fewestLazy(a, b, number))
		case !waits:
			require.Len(rt, up.Rounds, fewest)
		}
		if len(up.Rounds) > 1 {
			several++
		}
		state := req
		for i, round := range up.Rounds {
			pinned := state
			pinned.Subscriptions, pinned.Extensions = nil, nil
			for _, e := range state.Extensions {
				for _, step := range round.Solution.Steps {
					if step.Package == e.Package {
						e.VersionRange = "=" + step.Version.String()
					}
				}
				pinned.Extensions = append(pinned.Extensions, e)
			}
			for _, s := range state.Subscriptions {
				for _, step := range round.Solution.Steps {
					if step.Package == s.Package {
						s.Pin = step.Bundle
					}
				}
				pinned.Subscriptions = append(pinned.Subscriptions, s)
			}
			sol, err := r.Resolve(t.Context(), pinned)
			if err != nil {
				rt.Fatalf("round %d of %v cannot be resolved: %v", i+1, moves(up), err)
			}
			require.Equal(rt, round.Solution.Set(), sol.Set())
			state = state.Advance(sol)
		}
		require.Contains(rt, up.Rounds[len(up.Rounds)-1].Solution.Set(), wanted)
	})
	require.Positive(t, several)
	require.Positive(t, none)
}
