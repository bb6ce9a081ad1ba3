package audit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// TestAuditAnswers holds both questions of an audit against small catalogs. The
// expectations follow from sections 2 to 6 and 9 of the semantics.
func TestAnswers(t *testing.T) {
	tests := []struct {
		name, universe string
		opts           audit.Options
		want           string
	}{
		{
			name: "each version of a chain takes one round per replaces",
			universe: `
				a/stable a.v1 a.v2 a.v3`,
			want: `
				a.v1: yes, to the head of stable in 2
				a.v2: yes, to the head of stable in 1
				a.v3: yes, to the head of stable in 0`,
		},
		{
			name: "a skipped version cannot be installed but gets away at once",
			universe: `
				a/stable a.v3 replaces=a.v1 skips=a.v2
				a/stable a.v2 replaces=a.v1
				a/stable a.v1`,
			want: `
				a.v1: yes, to the head of stable in 1
				a.v2: no (noCandidate), to the head of stable in 1
				a.v3: yes, to the head of stable in 0`,
		},
		{
			name: "off the chain, unlisted, and listed without a bundle",
			universe: `
				a/stable a.v4 replaces=a.v3 skips=a.v1
				a/stable a.v3 replaces=a.v2 virtual
				a/stable a.v2
				a/stable a.v1 replaces=a.v0
				a/stable a.v0`,
			want: `
				a.v0: no (noCandidate), in stable to a.v0 in 0 (noCandidate)
				a.v1: no (noCandidate), to the head of stable in 1
				a.v2: yes, in stable to a.v2 in 0 (noCandidate)
				a.v4: yes, to the head of stable in 0`,
		},
		{
			name: "a head that the catalog lacks is never reached",
			universe: `
				a/stable a.v3 replaces=a.v2 virtual
				a/stable a.v2 replaces=a.v1
				a/stable a.v1
				bundle a.v9`,
			want: `
				a.v1: yes, in stable to a.v2 in 1 (noCandidate)
				a.v2: yes, in stable to a.v2 in 0 (noCandidate)
				a.v9: no (noCandidate), in stable to a.v9 in 0 (noCandidate)`,
		},
		{
			name: "a barred head stops the road before it",
			universe: `
				a/stable a.v2 replaces=a.v1 barred
				a/stable a.v1`,
			want: `
				a.v1: yes, in stable to a.v1 in 0 (deprecated)
				a.v2: no (deprecated), to the head of stable in 0; deprecated: it has the property olm.deprecated`,
		},
		{
			name: "deprecations of the blob only show up",
			universe: `
				a/stable a.v1 a.v2
				deprecated a.v1 use a.v2
				deprecated a`,
			want: `
				a.v1: yes, to the head of stable in 1; deprecated: use a.v2
				a.v2: yes, to the head of stable in 0; deprecated: deprecated`,
		},
		{
			name: "what is quarantined: a bundle, a channel, a package",
			universe: `
				a/stable a.v2 replaces=a.v1
				a/stable a.v1 flawed
				b/stable b.v2
				b/stable b.v1
				b/new b.v2 b.v3
				package c -
				c/stable c.v1`,
			want: `
				a.v1: no (quarantined), to the head of stable in 1; quarantined: bundle "a.v1" has no olm.package property, so its version is unknown: add one
				a.v2: yes, to the head of stable in 0
				b.v1: no (quarantined), in stable to b.v1 in 0 (quarantined); quarantined: channel "stable" of package "b" has 2 heads, "b.v2" and "b.v1": let one entry replace or skip the others
				b.v2: yes, to the head of new in 1
				b.v3: yes, to the head of new in 0
				c.v1: no (quarantined), in stable to c.v1 in 0 (quarantined); quarantined: package "c" is not defined, though the catalog has channels or bundles of it: add an olm.package blob, or correct the name`,
		},
		{
			name: "a package without channels has no road",
			universe: `
				package a stable
				bundle a.v1`,
			want: `a.v1: no (noCandidate), no road`,
		},
		{
			name: "a requirement that nothing meets, on the way and at the head",
			universe: `
				a/stable a.v3 replaces=a.v2
				a/stable a.v2 replaces=a.v1 needs=Foo
				a/stable a.v1
				b/stable b.v2 replaces=b.v1 needs=a@>=9.0.0
				b/stable b.v1`,
			want: `
				a.v1: yes, in stable to a.v1 in 0 (constraint)
				a.v2: no (constraint), to the head of stable in 1
				a.v3: yes, to the head of stable in 0
				b.v1: yes, in stable to b.v1 in 0 (constraint)
				b.v2: no (constraint), in stable to b.v2 in 0 (constraint)`,
		},
		{
			name: "every way onward is reported",
			universe: `
				a/stable a.v3 replaces=a.v2 skips=a.v1 needs=Bar
				a/stable a.v2 replaces=a.v1 needs=Foo
				a/stable a.v1`,
			want: `
				a.v1: no (noCandidate), in stable to a.v1 in 0 (forbidden constraint constraint)
				a.v2: no (constraint), in stable to a.v2 in 0 (constraint constraint)
				a.v3: no (constraint), in stable to a.v3 in 0 (constraint)`,
		},
		{
			name: "a dependency has a subscription of its own and makes way",
			universe: `
				a/stable a.v2 replaces=a.v1 needs=b@2.0.0
				a/stable a.v1 needs=b@1.0.0
				b/stable b.v1 b.v2`,
			want: `
				a.v1: yes, to the head of stable in 1
				a.v2: yes, to the head of stable in 0
				b.v1: yes, to the head of stable in 1
				b.v2: yes, to the head of stable in 0`,
		},
		{
			name: "dependencies come from another catalog, and may be left as orphans",
			universe: `
				catalog test/one
				a/stable a.v2 replaces=a.v1
				a/stable a.v1 needs=Foo
				catalog test/two
				b/stable b.v1 provides=Foo`,
			want: `
				a.v1: yes, to the head of stable in 1; orphans: b.v1
				a.v2: yes, to the head of stable in 0
				b.v1: yes, to the head of stable in 0`,
		},
		{
			name: "a version that cannot be installed brings what it needs when it has to stay",
			universe: `
				a/stable a.v3 replaces=a.v2 needs=Foo
				a/stable a.v2 skips=a.v1 needs=Bar
				a/stable a.v1 needs=Foo
				b/stable b.v1 provides=Foo`,
			want: `
				a.v1: no (noCandidate), in stable to a.v1 in 1 (constraint)
				a.v2: no (constraint), to the head of stable in 1
				a.v3: yes, to the head of stable in 0
				b.v1: yes, to the head of stable in 0`,
		},
		{
			name: "a skipRange that holds later versions leads round in a circle",
			universe: `
				a/stable a.v3 replaces=a.v2
				a/stable a.v2 replaces=a.v1 range=>=0.0.1
				a/stable a.v1`,
			want: `
				a.v1: yes, in stable to a.v2 in 3 (noCandidate)
				a.v2: yes, in stable to a.v2 in 2 (noCandidate)
				a.v3: yes, in stable to a.v3 in 2 (noCandidate)`,
		},
		{
			name: "a skipRange that holds its own bundle keeps it before older ones",
			universe: `
				a/stable a.v3 replaces=a.v2 range=>=0.0.1
				a/stable a.v2 replaces=a.v1 range=>=0.0.1
				a/stable a.v1`,
			want: `
				a.v1: yes, to the head of stable in 1
				a.v2: yes, to the head of stable in 1
				a.v3: yes, to the head of stable in 0`,
		},
		{
			// The second time c finds the API at x, which is installed by then,
			// and not at b: the steps have another order, the place is the same.
			name: "a circle is closed by what is installed, in whatever order it came",
			universe: `
				b/stable b.v2 replaces=b.v1 provides=Bar needs=c@1.0.0
				b/stable b.v1 range=>=0.0.1 provides=Bar
				c/stable c.v1
				require c.v1 any(Bar, Qux)
				bundle c.v1 needs=Qux
				x/stable x.v1 provides=Qux`,
			want: `
				b.v1: yes, in stable to b.v2 in 3 (noCandidate)
				b.v2: yes, in stable to b.v2 in 2 (noCandidate)
				c.v1: yes, to the head of stable in 2
				x.v1: yes, to the head of stable in 0`,
		},
		{
			name: "the best place decides on the channel: the default one, else by name",
			universe: `
				a/stable a.v1 a.v2
				a/beta a.v2 a.v3
				a/alpha a.v3 a.v4`,
			want: `
				a.v1: yes, to the head of stable in 1
				a.v2: yes, to the head of stable in 0
				a.v3: yes, to the head of alpha in 1
				a.v4: yes, to the head of alpha in 0`,
		},
		{
			name: "more rounds than allowed",
			universe: `
				a/stable a.v1 a.v2 a.v3`,
			opts: audit.Options{MaxRounds: 1},
			want: `
				a.v1: yes, no road; incomplete: more than 1 rounds needed; raise the limit to find out
				a.v2: yes, to the head of stable in 1
				a.v3: yes, to the head of stable in 0`,
		},
		{
			name: "two bundles of one name cannot be told apart once installed",
			universe: `
				a/stable x.v1 needs=b@1.0.0
				b/stable x.v1`,
			want: `
				x.v1: yes, no road; incomplete: invalid request: installed[1].name: "x.v1": two installed bundles have this name; names must differ
				x.v1: yes, to the head of stable in 0`,
		},
		{
			name: "under MinimalChange nothing moves, and the policy is to blame",
			universe: `
				a/stable a.v1 a.v2`,
			opts: audit.Options{Policy: resolver.Policy{Goal: "MinimalChange"}},
			want: `
				a.v1: yes, in stable to a.v1 in 0 (noCandidate)
				a.v2: yes, to the head of stable in 0`,
		},
		{
			name: "SelfCertified needs no edges, and leaves a head where it is",
			universe: `
				a/stable a.v2 replaces=x
				bundle a.v1
				b/stable b.v3 replaces=b.v2 barred
				b/stable b.v2 replaces=b.v1 needs=Foo
				b/stable b.v1`,
			opts: audit.Options{Policy: resolver.Policy{Upgrades: "SelfCertified"}},
			want: `
				a.v1: no (noCandidate), to the head of stable in 1
				a.v2: yes, to the head of stable in 0
				b.v1: yes, in stable to b.v1 in 0 (forbidden deprecated constraint)
				b.v2: no (constraint), in stable to b.v1 in 1 (forbidden deprecated constraint)
				b.v3: no (deprecated), to the head of stable in 0; deprecated: it has the property olm.deprecated`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, _ := runAll(t, universe.Catalogs(t, tt.universe), tt.opts)
			var got []string
			for _, b := range found {
				got = append(got, findingText(b))
			}
			var want []string
			for line := range strings.Lines(strings.TrimSpace(tt.want)) {
				want = append(want, strings.TrimSpace(line))
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("findings (- want, + got):\n%s", d)
			}
		})
	}
}

// TestAuditSaysWhyItIsStuck: where nothing leads onward, the resolver has no
// conflict to report, and the audit itself says what is missing.
func TestSaysWhyItIsStuck(t *testing.T) {
	tests := []struct {
		name, universe, stuck, want, brief string
		opts                               audit.Options
	}{
		{
			name: "no edge", universe: "a/stable a.v10 skips=a.v2\na/stable a.v2 replaces=a.v1 virtual\na/stable a.v1", stuck: "a.v1",
			want:  "channel stable has no upgrade from there; its head is a.v10",
			brief: "channel stable has no upgrade from there; its head is a.v10",
		},
		{
			name: "a head without a bundle", universe: "a/stable a.v1 a.v10\na/stable a.v11 replaces=a.v10 virtual", stuck: "a.v10",
			want:  "channel stable has no upgrade from there; its head a.v11 is listed, but the catalog has no such bundle",
			brief: "channel stable has no upgrade from there; its head a.v11 is listed, but the catalog has no such bundle",
		},
		{
			name: "a broken head", stuck: "a.v1",
			universe: "a/stable a.v1 a.v10\nbundle a.v10 flawed",
			want:     "channel stable has no upgrade from there; its head a.v10 is ignored, because it is broken: bundle \"a.v10\" has no olm.package property, so its version is unknown: add one",
			brief:    "channel stable has no upgrade from there; its head a.v10 is ignored, because it is broken: bundle \"a.v10\" has no olm.package property, so its version is unknown: add one",
		},
		{
			name: "a broken channel", universe: "a/stable a.v10\na/stable a.v1", stuck: "a.v1",
			want: `channel stable of package a is ignored, because it is broken: ` +
				`channel "stable" of package "a" has 2 heads, "a.v10" and "a.v1": let one entry replace or skip the others`,
			brief: `channel "stable" of package "a" has 2 heads, "a.v10" and "a.v1": let one entry replace or skip the others`,
		},
		{
			name: "a circle", universe: "a/stable a.v10 replaces=a.v1\na/stable a.v1 range=>1.0.0", stuck: "a.v1",
			want:  "the updates of channel stable lead round in a circle: a.v1, a.v10 and a.v1, and never stay at its head a.v10",
			brief: "the updates of channel stable lead round in a circle: a.v1, a.v10 and a.v1, and never stay at its head a.v10",
		},
		{
			name: "a policy", universe: "a/stable a.v1 a.v10", stuck: "a.v1",
			opts:  audit.Options{Policy: resolver.Policy{Goal: "MinimalChange"}},
			want:  "the policy prefers to stay there, though a.v10 could be installed",
			brief: "the policy prefers to stay there, though a.v10 could be installed",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report := &audit.Report{}
			found, _ := runAll(t, universe.Catalogs(t, tt.universe), tt.opts)
			for _, b := range found {
				if b.Bundle != tt.stuck {
					continue
				}
				require.NoError(t, report.Bundle(b))
				require.NotNil(t, b.ReachesHead)
				c := b.ReachesHead.Conflict
				require.NotNil(t, c)
				require.Equal(t, tt.want, audit.Reason(c))
				require.Equal(t, "subscription a asks for package a from channel stable of catalog test/one, where "+tt.stuck+" is installed", c.Facts[0].Text)
			}
			notes := report.Packages[0].Notes
			last := notes[len(notes)-1]
			require.Equal(t, "stuck", last.Kind)
			require.Equal(t, tt.brief, last.Reason)
			require.NotEmpty(t, last.Text)
		})
	}
}
