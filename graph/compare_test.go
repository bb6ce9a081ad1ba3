package graph_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/sample"
)

func TestCompare(t *testing.T) {
	const base = `
op/stable op.v1.0.0 op.v1.1.0 op.v1.2.0
`
	const fix = "; let an entry on the chain replace or skip it"
	tests := map[string]struct {
		old, new string
		want     []string // what breaks something is marked with !
	}{
		"nothing": {base, base, []string{}},
		"a release": {base, base + "op/stable op.v1.3.0 replaces=op.v1.2.0", []string{
			"channel stable of package op: the head was op.v1.2.0 and is op.v1.3.0",
			"package op: op.v1.3.0 is new",
		}},
		"a release that replaces the wrong one": {base, base + "op/stable op.v1.3.0 replaces=op.v1.1.0 skips=op.v1.2.0", []string{
			"channel stable of package op: the head was op.v1.2.0 and is op.v1.3.0",
			"package op: op.v1.3.0 is new",
		}},
		"the tail cut off": {base, "op/stable op.v1.2.0 op.v1.3.0", []string{
			"channel stable of package op: the head was op.v1.2.0 and is op.v1.3.0",
			"!channel stable of package op: op.v1.1.0 has no successor any more, and is not the head; it could be upgraded to op.v1.2.0" + fix,
			"!channel stable of package op: op.v1.0.0 has no successor any more, and is not the head; it could be upgraded to op.v1.1.0" + fix,
			"package op: op.v1.0.0 is gone", "package op: op.v1.1.0 is gone", "package op: op.v1.3.0 is new",
		}},
		"the tail cut off, but held": {base, "op/stable op.v1.2.0 range=<1.2.0\nop/stable op.v1.3.0 replaces=op.v1.2.0", []string{
			"channel stable of package op: the head was op.v1.2.0 and is op.v1.3.0",
			"package op: op.v1.0.0 is gone", "package op: op.v1.1.0 is gone", "package op: op.v1.3.0 is new",
		}},
		"the head withdrawn": {base, "op/stable op.v1.0.0 op.v1.1.0\nbundle op.v1.2.0", []string{
			"!channel stable of package op: the head went back from op.v1.2.0 to op.v1.1.0, which is older; clusters do not follow, but stay where they are",
			"!channel stable of package op: op.v1.2.0 was the head, and now neither is nor has a successor" + fix,
			"!channel stable of package op: op.v1.1.0 could be upgraded to op.v1.2.0, and now neither to that nor to anything newer; let an entry that is as new replace or skip it",
			"channel stable of package op: op.v1.2.0 left the channel",
		}},
		"the head barred": {base, base + "bundle op.v1.2.0 barred", []string{
			"!channel stable of package op: the head was op.v1.2.0 and is op.v1.2.0, which is barred from being newly chosen by an olm.deprecated property",
			"!channel stable of package op: op.v1.1.0 has no successor any more, and is not the head; it could be upgraded to op.v1.2.0" + fix,
			"package op: op.v1.2.0 is barred from being newly chosen now, by an olm.deprecated property",
		}},
		"the head broken": {base, base + "bundle op.v1.2.0 flawed", []string{
			`!channel stable of package op: the head was op.v1.2.0 and is op.v1.2.0, which is quarantined in channel stable: bundle "op.v1.2.0" has no olm.package property, so its version is unknown: add one`,
			"!channel stable of package op: op.v1.1.0 has no successor any more, and is not the head; it could be upgraded to op.v1.2.0" + fix,
			`!package op: op.v1.2.0 is quarantined now: bundle "op.v1.2.0" has no olm.package property, so its version is unknown: add one`,
		}},
		"two heads": {base, base + "op/stable op.v1.3.0 replaces=op.v1.1.0", []string{
			`!channel stable of package op: it is quarantined now: channel "stable" of package "op" has 2 heads, "op.v1.2.0" and "op.v1.3.0": let one entry replace or skip the others`,
			"package op: op.v1.3.0 is new",
		}},
		"was broken before": {base + "op/stable op.v1.3.0 replaces=op.v1.1.0", base + "op/stable op.v1.3.0 replaces=op.v1.1.0", []string{}},
		"mended":            {base + "op/stable op.v1.3.0 replaces=op.v1.1.0", base + "op/stable op.v1.3.0 replaces=op.v1.2.0", []string{}},
		"several successors": {base, "op/stable op.v1.0.0 op.v1.1.0\nop/stable op.v1.2.0 replaces=op.v1.1.0 range=<1.2.0", []string{
			"channel stable of package op: op.v1.0.0 has several successors now, op.v1.2.0 and op.v1.1.0; let one entry alone replace, skip or hold it",
		}},
		"another channel": {base, base + "op/fast op.v1.2.0", []string{"channel fast of package op: it is new"}},
		"a channel gone, with a way on": {base, "op/fast op.v1.0.0 op.v1.1.0 op.v1.2.0", []string{
			"package op: the default channel was stable and is fast",
			"!channel stable of package op: it is gone, and subscriptions to it stand still; keep it, or deprecate it first",
			"channel fast of package op: it is new",
		}},
		"a stranger's way into the channel": {
			base + "op/fast op.v0.9.0\nbundle op.v0.9.0", base + "op/stable op.v1.3.0 replaces=op.v1.2.0 range=<1.0.0\nop/fast op.v0.9.0", []string{
				"channel stable of package op: the head was op.v1.2.0 and is op.v1.3.0",
				"package op: op.v1.3.0 is new",
			}},
		"a stranger's way lost": {
			base + "op/stable op.v1.3.0 replaces=op.v1.2.0 range=<1.0.0\nop/fast op.v0.9.0", base + "op/stable op.v1.3.0 replaces=op.v1.2.0\nop/fast op.v0.9.0", []string{
				"channel stable of package op: op.v0.9.0, coming from another channel, could be upgraded to op.v1.3.0, and now neither to that nor to anything newer; let an entry that is as new replace or skip it",
			}},
		"deprecated": {base, base + "deprecated op.v1.0.0 has a leak", []string{"package op: op.v1.0.0 is deprecated now: has a leak"}},
		"dead ends stay": {"op/c op.v1.0.0 op.v1.1.0\nop/c op.v1.2.0 replaces=op.v1.1.0 skips=op.v1.1.0", "op/c op.v1.0.0 op.v1.1.0\nop/c op.v1.2.0 replaces=op.v1.1.0 skips=op.v1.1.0", []string{
			"channel c of package op: op.v1.0.0 has no successor, and had none before",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := []string{}
			for _, c := range compared(t, sample.Written(t, test.old), sample.Written(t, test.new)) {
				mark := ""
				if c.Breaking {
					mark = "!"
				}
				got = append(got, mark+c.String())
			}
			require.Empty(t, cmp.Diff(test.want, got))
		})
	}
}

func TestComparePackages(t *testing.T) {
	p := sample.Written(t, "op/stable op.v1.0.0")
	require.Empty(t, compared(t, nil, nil))
	require.Equal(t, []string{"package op: it is new"}, said(compared(t, nil, p)))
	gone := compared(t, p, nil)
	require.Equal(t, []string{"package op: it is gone, and what is installed of it stands still"}, said(gone))
	require.True(t, gone[0].Breaking)

	decl := graph.PackageDecl{Name: "op", Definitions: []graph.DefinitionDecl{{}, {}}}
	require.Equal(t, []string{
		`package op: it is quarantined now: package "op" is defined again, first at an unknown place: remove all olm.package blobs of it but one`,
		"package op: the default channel was stable and is none",
	}, said(compared(t, p, graph.Build(decl, graph.Options{}))))

	decl = graph.PackageDecl{Name: "op", Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}},
		Channels: []graph.ChannelDecl{{Name: "stable", Entries: []graph.EntryDecl{{Name: "op.v1.0.0"}}}},
		Bundles:  []graph.BundleDecl{bundle(t, "op.v1.0.0", "1.0.1")},
		Deprecations: []graph.DeprecationDecl{
			{Schema: graph.SchemaPackage, Message: "use op2"}, {Schema: graph.SchemaChannel, Name: "stable"},
		}}
	decl.Bundles[0].Properties = sample.Written(t, "op/c op.v1.0.1").Bundles[0].Properties
	require.Equal(t, []string{
		"package op: it is deprecated now: use op2",
		"channel stable of package op: it is deprecated now",
		"package op: the version of op.v1.0.0 was 1.0.0 and is 1.0.1",
	}, said(compared(t, p, graph.Build(decl, graph.Options{}))))
	require.Equal(t, "package p: else", graph.Change{Kind: "else", Package: "p"}.String())
}

func TestCompareCatalogs(t *testing.T) {
	named := func(name string) *graph.Package {
		p := sample.Written(t, "op/stable op.v1.0.0")
		p.Name = name
		return p
	}
	old := []*graph.Package{named("c"), nil, named("a"), named("a"), named("d")}
	now := []*graph.Package{named("b"), named("d"), named("a")}
	require.Equal(t, []string{
		"package b: it is new",
		"package c: it is gone, and what is installed of it stands still",
	}, said(comparedCatalogs(t, slices.Values(old), slices.Values(now))))
	require.Empty(t, comparedCatalogs(t, nil, nil))
	require.Len(t, comparedCatalogs(t, nil, slices.Values(now)), 3)
}

// TestChangeJSON: a change is plain data.
func TestChangeJSON(t *testing.T) {
	changes := compared(t, sample.Written(t, "op/c op.v1.0.0 op.v1.1.0"), sample.Written(t, "op/c op.v1.1.0"))
	data, err := json.Marshal(changes)
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"kind":"noSuccessor","breaking":true,"package":"op","channel":"c","bundle":"op.v1.0.0","before":["op.v1.1.0"]},
		{"kind":"versionGone","breaking":false,"package":"op","bundle":"op.v1.0.0"}
	]`, string(data))
}
