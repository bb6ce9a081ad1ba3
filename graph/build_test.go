package graph_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
)

// inOrder is a package in good order, as testdata/problems.txt has it.
const inOrder = `package stable
channel stable
entry etcd.v1
entry etcd.v2 etcd.v1
entry etcd.v3 etcd.v1 etcd.v2 <1.0.0
bundle etcd.v1 etcd 1.0.0
bundle etcd.v2 etcd 2.0.0
bundle etcd.v3 etcd 3.0.0`

// TestProblems changes a package that is in good order in one way each.
func TestProblems(t *testing.T) {
	for _, c := range testkit.Cases(t, "testdata/problems.txt", "line", "finds", "offers") {
		t.Run(c.Name, func(t *testing.T) {
			lines := strings.Split(inOrder+"\n\n\n\n", "\n")
			for _, change := range c.Rests("line") {
				number, line, _ := strings.Cut(change, " ")
				lines[testkit.Must(strconv.Atoi(number))(t)-1] = line
			}
			p := graph.Build(declaration("etcd", strings.Join(lines, "\n")), graph.Options{Catalog: "olm/community"})
			var found []string
			for i := range p.Problems {
				x := &p.Problems[i]
				words := fmt.Sprintf("%s %s %d %q %q %q", x.Severity, x.Code, x.Line, x.Channel, x.Bundle, x.Quarantined)
				found = append(found, strings.ReplaceAll(strings.ReplaceAll(words, `""`, "-"), `"`, ""))
				require.Equal(t, []string{"olm/community", "etcd"}, []string{x.Catalog, x.Package})
				require.NotEmpty(t, x.Message)
				require.Contains(t, x.Error(), x.Message)
			}
			require.ElementsMatch(t, c.Rests("finds"), found, "%v", p.Problems)
			require.Equal(t, strings.Fields(c.Part("offers").Rest), candidates(p.Channel("stable")))
			checkQuarantine(t, p)
		})
	}
}

// checkQuarantine compares quarantined parts with the problems.
func checkQuarantine(t require.TestingT, p *graph.Package) {
	scopes := map[string]map[string]bool{"package": {}, "channel": {}, "bundle": {}}
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
	check := func(q *graph.Problem, scope, name string) {
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
	d := etcd()
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
	d := etcd()
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
	d := etcd()
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
	d := etcd()
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
	d := etcd()
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
	require.Len(t, graph.Build(etcd(), graph.Options{Done: done}).Bundles, 3)
	close(done)
	require.Empty(t, graph.Build(etcd(), graph.Options{Done: done}).Bundles)
}

// TestChannelLookup finds each of many channels, whichever is the default.
func TestChannelLookup(t *testing.T) {
	for _, standard := range []string{"c000", "c050", "c099", "none", ""} {
		d := etcd()
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
	require.Equal(t, "an unknown place", graph.Pos{}.String())
}

func TestClone(t *testing.T) {
	d := etcd()
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
