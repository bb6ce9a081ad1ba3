package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
)

// TestProblems changes a package that is in good order in one way each, and
// expects exactly the problems that come of it, and what can still be chosen.
func TestProblems(t *testing.T) {
	const (
		e, w                  = graph.SeverityError, graph.SeverityWarning
		pkgPos, chPos, bunPos = "package.yaml:1", "channels.yaml:5", "bundles.yaml:10"
	)
	all := []string{"etcd.v3", "etcd.v1"}
	tests := map[string]struct {
		change func(d *graph.PackageDecl)
		want   []finding
		chosen []string // candidates of channel stable
	}{
		"no definition": {
			func(d *graph.PackageDecl) { d.Definitions = nil },
			[]finding{{"packageMissing", e, "package", "", "", chPos}}, []string{},
		},
		"two definitions": {
			func(d *graph.PackageDecl) {
				d.Definitions = append(d.Definitions, graph.DefinitionDecl{Pos: graph.Pos{File: "other.yaml", Line: 3}})
			},
			[]finding{{"packageDuplicate", e, "package", "", "", "other.yaml:3"}}, []string{},
		},
		"malformed definition": {
			func(d *graph.PackageDecl) { d.Definitions[0].Flaws = []graph.Flaw{{Line: 2, Message: "x"}} },
			[]finding{{"packageInvalid", e, "package", "", "", "package.yaml:2"}}, []string{},
		},
		"no default channel": {
			func(d *graph.PackageDecl) { d.Definitions[0].DefaultChannel = "" },
			[]finding{{"defaultChannelMissing", e, "", "", "", pkgPos}}, all,
		},
		"unknown default channel": {
			func(d *graph.PackageDecl) { d.Definitions[0].DefaultChannel = "stabel" },
			[]finding{{"defaultChannelUnknown", e, "", "", "", pkgPos}}, all,
		},
		"channel declared twice": {
			func(d *graph.PackageDecl) {
				again := d.Channels[0]
				again.Pos = graph.Pos{File: "other.yaml", Line: 7}
				d.Channels = append(d.Channels, again)
			},
			[]finding{{"channelDuplicate", e, "channel", "stable", "", "other.yaml:7"}}, []string{},
		},
		"malformed channel": {
			func(d *graph.PackageDecl) { d.Channels[0].Flaws = []graph.Flaw{{Message: "x"}} },
			[]finding{{"channelInvalid", e, "channel", "stable", "", chPos}}, []string{},
		},
		"entry without name": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[1] = graph.EntryDecl{Line: 9} },
			[]finding{
				{"bundleUnlisted", w, "", "", "etcd.v2", bunPos},
				{"channelInvalid", e, "channel", "stable", "", "channels.yaml:9"},
			}, []string{},
		},
		"entry twice": {
			func(d *graph.PackageDecl) {
				d.Channels[0].Entries = append(d.Channels[0].Entries, graph.EntryDecl{Name: "etcd.v2"})
			},
			[]finding{{"entryDuplicate", e, "channel", "stable", "", chPos}}, []string{},
		},
		"no entries": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries = nil; d.Bundles = nil },
			[]finding{{"channelEmpty", e, "channel", "stable", "", chPos}}, []string{},
		},
		"two heads": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[2].Skips = nil },
			[]finding{{"severalHeads", e, "channel", "stable", "", chPos}}, []string{},
		},
		"no head, through skips": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[0].Skips = []string{"etcd.v3"} },
			[]finding{{"noHead", e, "channel", "stable", "", chPos}}, []string{},
		},
		"circle": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[0].Replaces = "etcd.v3" },
			[]finding{{"replacesCycle", e, "channel", "stable", "", chPos}}, []string{},
		},
		"entry that replaces itself": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[0].Replaces = "etcd.v1" },
			[]finding{{"replacesCycle", e, "channel", "stable", "", chPos}}, []string{},
		},
		"circle off the chain": {
			func(d *graph.PackageDecl) {
				d.Channels[0].Entries = append(d.Channels[0].Entries,
					graph.EntryDecl{Name: "x", Replaces: "y"}, graph.EntryDecl{Name: "y", Replaces: "x"})
			},
			[]finding{
				{"replacesCycle", e, "channel", "stable", "", chPos},
				{"entryWithoutBundle", w, "", "stable", "x", chPos},
				{"entryWithoutBundle", w, "", "stable", "y", chPos},
			}, []string{},
		},
		"entry without bundle": {
			func(d *graph.PackageDecl) { d.Bundles = d.Bundles[:2] },
			[]finding{{"entryWithoutBundle", w, "", "stable", "etcd.v3", chPos}}, []string{"etcd.v1"},
		},
		"chain leaves the channel": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[0].Replaces = "etcd.v0" },
			[]finding{{"chainLeaves", w, "", "stable", "etcd.v1", chPos}}, all,
		},
		"stranded entry": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[2].Replaces = "" },
			[]finding{{"entryStranded", w, "", "stable", "etcd.v1", chPos}}, []string{"etcd.v3"},
		},
		"entry that skips itself": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[2].Skips = []string{"etcd.v2", "etcd.v3"} },
			[]finding{{"skipsItself", w, "", "stable", "etcd.v3", chPos}}, all,
		},
		"bad skipRange": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[2].SkipRange = "1.x || banana" },
			[]finding{{"skipRangeInvalid", e, "", "stable", "etcd.v3", chPos}}, all,
		},
		"bad skipRange of a bundle that is not there": {
			func(d *graph.PackageDecl) { d.Channels[0].Entries[2].SkipRange = "?"; d.Bundles = d.Bundles[:2] },
			[]finding{
				{"entryWithoutBundle", w, "", "stable", "etcd.v3", chPos},
				{"skipRangeInvalid", e, "", "stable", "etcd.v3", chPos},
			}, []string{"etcd.v1"},
		},
		"bundle declared twice": {
			func(d *graph.PackageDecl) {
				again := bundle(t, "etcd.v3", "3.0.1")
				again.Pos.Line = 20
				d.Bundles = append(d.Bundles, again)
			},
			[]finding{{"bundleDuplicate", e, "bundle", "", "etcd.v3", "bundles.yaml:20"}}, []string{"etcd.v1"},
		},
		"malformed bundle": {
			func(d *graph.PackageDecl) { d.Bundles[2].Flaws = []graph.Flaw{{Line: 12, Message: "x"}} },
			[]finding{{"bundleInvalid", e, "bundle", "", "etcd.v3", "bundles.yaml:12"}}, []string{"etcd.v1"},
		},
		"version that does not parse": {
			func(d *graph.PackageDecl) {
				d.Bundles[2].Properties = properties.NewSet()
				d.Bundles[2].Flaws = []graph.Flaw{{Code: "propertyInvalid", Property: properties.TypePackage, Message: "x"}}
			},
			[]finding{{"propertyInvalid", e, "bundle", "", "etcd.v3", bunPos}}, []string{"etcd.v1"},
		},
		"no olm.package property": {
			func(d *graph.PackageDecl) { d.Bundles[2].Properties = properties.NewSet() },
			[]finding{{"packagePropertyMissing", e, "bundle", "", "etcd.v3", bunPos}}, []string{"etcd.v1"},
		},
		"two olm.package properties": {
			func(d *graph.PackageDecl) {
				d.Bundles[2] = bundle(t, "etcd.v3", "3.0.0", universe.PackageProperty(t, "etcd", "3.0.1"))
				d.Bundles[2].Lines = []int{11, 12}
			},
			[]finding{{"packagePropertySeveral", e, "bundle", "", "etcd.v3", "bundles.yaml:12"}}, []string{"etcd.v1"},
		},
		"olm.package property of another package": {
			func(d *graph.PackageDecl) {
				d.Bundles[2].Properties = properties.NewSet(universe.PackageProperty(t, "consul", "3.0.0"))
			},
			[]finding{{"packageMismatch", e, "bundle", "", "etcd.v3", bunPos}}, []string{"etcd.v1"},
		},
		"constraint that does not parse": {
			func(d *graph.PackageDecl) {
				d.Bundles[2] = bundle(t, "etcd.v3", "3.0.0", universe.Property(t, properties.TypeConstraint, `{"some":{}}`))
			},
			[]finding{{"constraintInvalid", e, "bundle", "", "etcd.v3", bunPos}}, []string{"etcd.v1"},
		},
		"rule that does not compile": {
			func(d *graph.PackageDecl) {
				d.Bundles[2] = bundle(t, "etcd.v3", "3.0.0", universe.Property(t, properties.TypeConstraint, `{"cel":{"rule":"1 +"}}`))
				d.Bundles[2].Lines = []int{11, 13}
			},
			[]finding{{"constraintInvalid", e, "bundle", "", "etcd.v3", "bundles.yaml:13"}}, []string{"etcd.v1"},
		},
		"empty any": {
			func(d *graph.PackageDecl) {
				d.Bundles[2] = bundle(t, "etcd.v3", "3.0.0", universe.Property(t, properties.TypeConstraint, `{"any":{"constraints":[]}}`))
			},
			[]finding{{"constraintDoubtful", w, "", "", "etcd.v3", bunPos}}, all,
		},
		"bundle in no channel": {
			func(d *graph.PackageDecl) { d.Bundles = append(d.Bundles, bundle(t, "etcd.v4", "4.0.0")) },
			[]finding{{"bundleUnlisted", w, "", "", "etcd.v4", bunPos}}, all,
		},
		"bundle without name": {
			func(d *graph.PackageDecl) { d.Bundles = append(d.Bundles, bundle(t, "", "4.0.0")) },
			[]finding{{"bundleInvalid", e, "bundle", "", "", bunPos}}, all,
		},
		"channel without name": {
			func(d *graph.PackageDecl) {
				d.Channels = append(d.Channels, graph.ChannelDecl{Pos: graph.Pos{File: "x.yaml"}})
			},
			[]finding{{"channelInvalid", e, "channel", "", "", "x.yaml"}}, all,
		},
		"deprecation of nothing": {
			func(d *graph.PackageDecl) {
				d.Deprecations = []graph.DeprecationDecl{
					{Schema: graph.SchemaBundle, Name: "etcd.v9"}, {Schema: graph.SchemaChannel, Name: "beta"},
					{Schema: graph.SchemaPackage, Name: "consul"}, {Schema: "olm.csv", Name: "etcd.v3"},
				}
			},
			[]finding{
				{"deprecationUnknown", w, "", "", "", "an unknown place"},
				{"deprecationUnknown", w, "", "", "", "an unknown place"},
				{"deprecationUnknown", w, "", "", "etcd.v9", "an unknown place"},
				{"deprecationUnknown", w, "", "beta", "", "an unknown place"},
			}, all,
		},
		"deprecation twice": {
			func(d *graph.PackageDecl) {
				d.Deprecations = []graph.DeprecationDecl{
					{Schema: graph.SchemaPackage}, {Schema: graph.SchemaPackage, Name: "etcd", Pos: graph.Pos{Line: 4}},
				}
			},
			[]finding{{"deprecationDuplicate", w, "", "", "", "line 4"}}, all,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := etcd(t)
			test.change(&d)
			p := graph.Build(d, graph.Options{Catalog: "olm/community"})
			require.ElementsMatch(t, test.want, findings(p), "%v", p.Problems)
			require.Equal(t, test.chosen, candidates(p.Channel("stable")))
			for i := range p.Problems {
				x := &p.Problems[i]
				require.Equal(t, "olm/community", x.Catalog)
				require.Equal(t, "etcd", x.Package)
				require.NotEmpty(t, x.Message)
				require.Contains(t, x.Error(), x.Message)
			}
			checkQuarantine(t, p)
		})
	}
}

// checkQuarantine holds what is in quarantine to the problems that say so.
func checkQuarantine(t require.TestingT, p *graph.Package) {
	scopes := map[graph.Scope]map[string]bool{"package": {}, "channel": {}, "bundle": {}}
	for _, x := range p.Problems {
		switch x.Quarantined {
		case "package":
			scopes[x.Quarantined][x.Package] = true
		case "channel":
			scopes[x.Quarantined][x.Channel] = true
		case "bundle":
			scopes[x.Quarantined][x.Bundle] = true
		}
		if x.Quarantined != "" {
			require.Equal(t, graph.SeverityError, x.Severity)
		}
	}
	check := func(q *graph.Problem, scope graph.Scope, name string) {
		require.Equal(t, scopes[scope][name], q != nil, "%s %s", scope, name)
		if q != nil {
			require.Contains(t, p.Problems, *q)
			require.Equal(t, scope, q.Quarantined)
		}
	}
	check(p.Quarantine, "package", p.Name)
	for _, c := range p.Channels {
		check(c.Quarantine, "channel", c.Name)
		if c.Quarantined() != nil {
			require.Empty(t, c.Chain())
			require.Nil(t, c.Head())
		}
	}
	for _, b := range p.Bundles {
		check(b.Quarantine, "bundle", b.Name)
		if b.Quarantine != nil || p.Quarantine != nil {
			require.Empty(t, b.Places)
		}
	}
}

// TestQuarantinedBundleCarriesChain: a bundle in quarantine is a virtual node,
// and still names itself.
func TestQuarantinedBundleCarriesChain(t *testing.T) {
	d := etcd(t)
	d.Channels[0].Entries[2].Replaces = "etcd.v2"
	d.Channels[0].Entries[2].Skips = nil
	gvk := universe.Property(t, properties.TypeGVK, `{"group":"etcd.example.com","version":"v1","kind":"Etcd"}`)
	d.Bundles[1] = bundle(t, "etcd.v2", "2.0.0", gvk)
	d.Bundles[1].Flaws = []graph.Flaw{{Message: "it is broken"}}
	p := graph.Build(d, graph.Options{})
	c := p.Channel("stable")
	require.Equal(t, []string{"etcd.v3", "etcd.v2", "etcd.v1"}, names(c.Chain()))
	require.Equal(t, []string{"etcd.v3", "etcd.v1"}, candidates(c))
	v2 := p.Bundle("etcd.v2")
	require.Equal(t, "it is broken", v2.Quarantine.Message)
	require.Equal(t, "2.0.0", v2.Version.String())
	require.True(t, v2.Properties.Provides(properties.GVK{Group: "etcd.example.com", Version: "v1", Kind: "Etcd"}))
	require.Equal(t, 2, p.Bundle("etcd.v1").Places[0].Position)
}

// TestSkippedElsewhere: a bundle that one channel skips may be a candidate in
// another, and places come best first.
func TestSkippedElsewhere(t *testing.T) {
	d := etcd(t)
	d.Channels = append(d.Channels,
		graph.ChannelDecl{Name: "candidate", Entries: []graph.EntryDecl{{Name: "etcd.v3", Replaces: "etcd.v2"}, {Name: "etcd.v2"}}},
		graph.ChannelDecl{Name: "zeta", Entries: []graph.EntryDecl{{Name: "etcd.v3"}}})
	p := graph.Build(d, graph.Options{})
	require.Empty(t, p.Problems)
	var order []string
	for _, c := range p.Channels {
		order = append(order, c.Name)
	}
	require.Equal(t, []string{"stable", "candidate", "zeta"}, order)
	require.Equal(t, []graph.Place{{p.Channel("candidate"), 1}}, p.Bundle("etcd.v2").Places)
	require.Equal(t, []graph.Place{{p.Channel("stable"), 0}, {p.Channel("candidate"), 0}, {p.Channel("zeta"), 0}}, p.Bundle("etcd.v3").Places)
}

func TestRequirementsAndBars(t *testing.T) {
	gvk := universe.Property(t, properties.TypeGVKRequired, `{"group":"etcd.example.com","version":"v1","kind":"Etcd"}`)
	label := universe.Property(t, properties.TypeLabelRequired, `{"label":"blue"}`)
	d := etcd(t)
	d.Bundles[2] = bundle(t, "etcd.v3", "3.0.0", label, universe.Property(t, "olm.csv", `{}`), gvk, universe.Property(t, properties.TypeDeprecated, `{}`))
	d.Deprecations = []graph.DeprecationDecl{
		{Schema: graph.SchemaPackage, Message: "use consul"},
		{Schema: graph.SchemaChannel, Name: "stable", Message: "use candidate"},
		{Schema: graph.SchemaBundle, Name: "etcd.v1", Message: "too old"},
		{Schema: graph.SchemaBundle, Name: "etcd.v2"},
	}
	p := graph.Build(d, graph.Options{})
	require.Empty(t, p.Problems)
	v3 := p.Bundle("etcd.v3")
	require.True(t, v3.Barred)
	require.Len(t, v3.Places, 1, "a barred bundle keeps its places")
	require.Len(t, v3.Constraints, 2)
	require.Same(t, label, v3.Constraints[0].Property)
	require.Same(t, gvk, v3.Constraints[1].Property)
	require.Contains(t, v3.Constraints[0].Constraint.String(), "blue")
	require.True(t, p.Deprecated)
	require.Equal(t, "use consul", p.Deprecation)
	require.True(t, p.Channel("stable").Deprecated)
	require.Equal(t, "use candidate", p.Channel("stable").Deprecation)
	require.Equal(t, "too old", p.Bundle("etcd.v1").Deprecation)
	require.True(t, p.Bundle("etcd.v2").Deprecated)
	require.Empty(t, p.Bundle("etcd.v2").Deprecation)
	require.False(t, v3.Deprecated)
}

// TestMessages: problems are sentences that name what is wrong, and stay
// readable where there is much of it.
func TestMessages(t *testing.T) {
	d := etcd(t)
	d.Channels[0].Entries = nil
	for i := range 40 {
		d.Channels[0].Entries = append(d.Channels[0].Entries, graph.EntryDecl{Name: fmt.Sprintf("etcd.w%d", i), SkipRange: strings.Repeat("é", 500)})
	}
	p := graph.Build(d, graph.Options{})
	for i := range p.Problems {
		var err error = &p.Problems[i]
		var problem *graph.Problem
		require.True(t, errors.As(err, &problem))
		require.Less(t, len(err.Error()), 700)
	}
	require.Contains(t, p.Channel("stable").Quarantine.Message, `40 heads, "etcd.w0", "etcd.w1", "etcd.w2", "etcd.w3", … "etcd.w39" (40 in all)`)
}

// TestManyProblems: problems are kept up to a limit, and quarantine does not
// depend on it.
func TestManyProblems(t *testing.T) {
	d := etcd(t)
	for i := range 100 {
		b := bundle(t, fmt.Sprintf("x%d", i), "1.0.0")
		b.Flaws = []graph.Flaw{{Message: "broken"}}
		d.Bundles = append(d.Bundles, b)
	}
	p := graph.Build(d, graph.Options{MaxProblems: 10})
	require.Len(t, p.Problems, 11)
	require.Equal(t, graph.Code("moreProblems"), p.Problems[10].Code)
	require.Contains(t, p.Problems[10].Message, "290 further problems")
	for i := range 100 {
		require.NotNil(t, p.Bundle(fmt.Sprintf("x%d", i)).Quarantine)
	}
	require.Len(t, graph.Build(d, graph.Options{MaxProblems: -1}).Problems, 300) // broken, in no channel, of one version
}

// TestDone: Build stops when Done is closed.
func TestDone(t *testing.T) {
	done := make(chan struct{})
	require.Len(t, graph.Build(etcd(t), graph.Options{Done: done}).Bundles, 3)
	close(done)
	require.Empty(t, graph.Build(etcd(t), graph.Options{Done: done}).Bundles)
}

// TestChannelLookup finds each of many channels, whichever is the default.
func TestChannelLookup(t *testing.T) {
	for _, standard := range []string{"c000", "c050", "c099", "none", ""} {
		d := etcd(t)
		d.Definitions[0].DefaultChannel = standard
		for i := range 100 {
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: fmt.Sprintf("c%03d", 99-i), Entries: d.Channels[0].Entries})
		}
		p := graph.Build(d, graph.Options{})
		require.Len(t, p.Channels, 101)
		for _, c := range p.Channels {
			require.Same(t, c, p.Channel(c.Name))
			require.Equal(t, c.Name == standard, c.Default())
		}
		require.Nil(t, p.Channel("c0"))
		require.Nil(t, p.Channel("zzz"))
	}
}

func TestProblemError(t *testing.T) {
	tests := []struct {
		problem graph.Problem
		want    string
	}{
		{graph.Problem{Message: "it is broken"}, "it is broken"},
		{graph.Problem{File: "a.yaml", Message: "it is broken"}, "a.yaml: it is broken"},
		{graph.Problem{File: "a.yaml", Line: 3, Message: "it is broken"}, "a.yaml:3: it is broken"},
		{graph.Problem{Line: 3, Message: "it is broken"}, "line 3: it is broken"},
		{graph.Problem{Catalog: "olm/c", File: "a.yaml", Line: 3, Message: "it is broken"}, "olm/c: a.yaml:3: it is broken"},
	}
	for _, test := range tests {
		require.Equal(t, test.want, test.problem.Error())
	}
}

func TestClone(t *testing.T) {
	d := etcd(t)
	d.Bundles = d.Bundles[1:] // a virtual entry as well
	p := graph.Build(d, graph.Options{})
	p.Bundle("etcd.v3").ID = 7
	q := p.Clone()
	require.Equal(t, int32(7), p.Bundle("etcd.v3").ID)
	require.Equal(t, int32(-1), q.Bundle("etcd.v3").ID)
	c := q.Channel("stable")
	require.NotSame(t, p.Channel("stable"), c)
	require.Same(t, q, c.Package)
	require.Equal(t, names(p.Channel("stable").Chain()), names(c.Chain()))
	require.Same(t, q.Bundle("etcd.v3"), c.Head().Bundle)
	require.Same(t, c, q.Bundle("etcd.v3").Places[0].Channel)
	require.Same(t, c.Entry("etcd.v3"), c.Head())
	require.Nil(t, c.Entry("etcd.v1").Bundle)
	require.Equal(t, p.Problems, q.Problems)
}
