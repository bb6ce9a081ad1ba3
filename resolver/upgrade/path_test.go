package upgrade_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgrade"
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

// TestSeveralUpgradesAway: the answer is the upgrade path to the version, with all that has
// to come along in each round, and nothing else.
func TestSeveralUpgradesAway(t *testing.T) {
	for _, tt := range []struct {
		name, text, version string
		want                []string
	}{
		{"one after the other", `
			a/stable a.v1 a.v2 a.v3 a.v4
			other/stable other.v1 other.v2
			installed a.v1 by=a
			installed other.v1 by=other
			subscribe a
			subscribe other`, "3.0.0", []string{"1 a.v2", "2 a.v3"}},
		{"the head skips the version, and is not on the way", `
			a/stable a.v1 a.v2 a.v3
			a/stable a.v4 replaces=a.v3 skips=a.v1
			installed a.v1 by=a
			subscribe a`, "a.v3", []string{"1 a.v2", "2 a.v3"}},
		{"a dependency goes along in each round", `
			db/stable db.v1 db.v2 db.v3
			web/stable web.v1
			web/stable web.v2 replaces=web.v1 needs=db@>=2.0.0
			web/stable web.v3 replaces=web.v2 needs=db@>=3.0.0
			installed db.v1 by=db
			installed web.v1 by=web
			subscribe db
			subscribe web`, "3.0.0", []string{"1 db.v2", "1 web.v2", "2 db.v3", "2 web.v3"}},
		{"a dependency has to be two upgrades ahead before", `
			db/stable db.v1 db.v2 db.v3
			web/stable web.v1
			web/stable web.v2 replaces=web.v1 needs=db@>=3.0.0
			other/stable other.v1 other.v2
			installed db.v1 by=db
			installed web.v1 by=web
			installed other.v1 by=other
			subscribe db
			subscribe web
			subscribe other`, "2.0.0", []string{"1 db.v2", "2 db.v3", "2 web.v2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := universe.Request(t, tt.text)
			name := req.Subscriptions[0].Name
			if req.Subscriptions[len(req.Subscriptions)-1].Name == "web" || name == "db" {
				name = "web"
			}
			up, err := upgrade.Least(t.Context(), resolver.New(), req, []upgrade.Target{{Subscription: name, Version: tt.version}})
			require.NoError(t, err)
			require.Equal(t, tt.want, moves(up))
		})
	}
}

// TestNoPath: where no upgrade path leads to the version it is said how far one leads and
// what ends it, and each correction leads to the version.
func TestNoPath(t *testing.T) {
	for _, tt := range []struct {
		name, text, version string
		far                 []string
		corrections         []string
	}{
		{"what a later round requires is not there", `
			a/stable a.v1 a.v2
			a/stable a.v3 replaces=a.v2 needs=b@>=1.0.0
			a/stable a.v4 replaces=a.v3
			installed a.v1 by=a
			subscribe a`, "4.0.0", []string{"a.v2"}, []string{"relax what a.v3 requires: package b in range >=1.0.0"}},
		{"the version is in another channel, which goes on where this one ends", `
			a/one a.v1 a.v2 a.v3
			a/two a.v4 replaces=a.v3
			a/two a.v5 replaces=a.v4
			installed a.v1 by=a
			subscribe a in=one`, "5.0.0", []string{"a.v2", "a.v3"},
			[]string{"let subscription a follow channel two from round 3 on, when a.v3 is installed"}},
		{"the range of the subscription leaves the version out", `
			a/stable a.v1 a.v2 a.v3
			installed a.v1 by=a
			subscribe a range=<3.0.0`, "3.0.0", []string{"a.v2"}, []string{"release the version range <3.0.0 of subscription a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := universe.Request(t, tt.text)
			r := resolver.New()
			targets := []upgrade.Target{{Subscription: "a", Version: tt.version}}
			_, err := upgrade.Least(t.Context(), r, req, targets)
			var refused *upgrade.RefusedError
			require.ErrorAs(t, err, &refused)
			var far []string
			for _, sol := range refused.Rounds {
				far = append(far, sol.Set()...)
			}
			require.Equal(t, tt.far, far)
			var conflict *resolver.Conflict
			require.ErrorAs(t, err, &conflict)
			require.NoError(t, whatif.FindCorrections(t.Context(), r, refused.Request, conflict, whatif.FindOptions{Allow: refused.Allow, Resolve: refused.Reach(r)}))
			var texts []string
			for _, c := range conflict.Corrections {
				texts = append(texts, c.Text)
				if c.Changes[0].Round > 0 {
					continue // for a later round
				}
				changed, err := req.Apply(c.Changes...)
				require.NoError(t, err)
				up, err := upgrade.Least(t.Context(), r, changed, targets)
				require.NoError(t, err, "%s does not lead there", c.Text)
				require.Equal(t, c.Result, up.Rounds[len(up.Rounds)-1].Solution.Set())
			}
			require.Equal(t, tt.corrections, texts)
		})
	}
}

// TestPropertyRoundsReplay: each round of an upgrade path is a solution of what the rounds
// before it leave, with the bundles of its targets pinned, and the last one has the version.
func TestPropertyRoundsReplay(t *testing.T) {
	several := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(3, 6).Draw(rt, "versions")
		text := ""
		for _, pkg := range []string{"a", "b"} {
			for v := 1; v <= n; v++ {
				text += fmt.Sprintf("%s/stable %[1]s.v%d", pkg, v)
				if v > 1 {
					text += fmt.Sprintf(" replaces=%s.v%d", pkg, v-1)
				}
				if v > 2 && rapid.Bool().Draw(rt, "skips") {
					text += fmt.Sprintf(" skips=%s.v%d", pkg, rapid.IntRange(1, v-2).Draw(rt, "which"))
				}
				if pkg == "a" && rapid.Bool().Draw(rt, "needs") {
					text += fmt.Sprintf(" needs=b@>=%d.0.0", rapid.IntRange(1, n).Draw(rt, "least"))
				}
				text += "\n"
			}
		}
		req := universe.Request(t, text+"installed a.v1 by=a\ninstalled b.v1 by=b\nsubscribe a\nsubscribe b")
		wanted := fmt.Sprintf("a.v%d", rapid.IntRange(2, n).Draw(rt, "wanted"))
		r := resolver.New()
		up, err := upgrade.Least(t.Context(), r, req, []upgrade.Target{{Subscription: "a", Version: wanted}})
		if err != nil {
			return // some cannot be had
		}
		if len(up.Rounds) > 1 {
			several++
		}
		state := req
		for i, round := range up.Rounds {
			pinned := state
			pinned.Subscriptions = nil
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
}
