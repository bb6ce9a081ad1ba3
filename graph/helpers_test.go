package graph_test

import (
	"context"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
)

// bundle returns the declaration of a bundle of package etcd with that version.
func bundle(t require.TestingT, name, version string, more ...*properties.Property) graph.BundleDecl {
	all := append([]*properties.Property{universe.PackageProperty(t, "etcd", version)}, more...)
	return graph.BundleDecl{Name: name, Image: "registry.example/" + name, Properties: properties.NewSet(all...), Pos: graph.Pos{File: "bundles.yaml", Line: 10}}
}

// etcd returns the declaration of a package in good order: v1 to v3, with v2
// skipped.
func etcd(t require.TestingT) graph.PackageDecl {
	return graph.PackageDecl{
		Name:        "etcd",
		Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable", Pos: graph.Pos{File: "package.yaml", Line: 1}}},
		Channels: []graph.ChannelDecl{{
			Name: "stable",
			Pos:  graph.Pos{File: "channels.yaml", Line: 5},
			Entries: []graph.EntryDecl{
				{Name: "etcd.v1"},
				{Name: "etcd.v2", Replaces: "etcd.v1"},
				{Name: "etcd.v3", Replaces: "etcd.v1", Skips: []string{"etcd.v2"}, SkipRange: "<1.0.0"},
			},
		}},
		Bundles: []graph.BundleDecl{bundle(t, "etcd.v1", "1.0.0"), bundle(t, "etcd.v2", "2.0.0"), bundle(t, "etcd.v3", "3.0.0")},
	}
}

// finding is what a test expects of a problem.
type finding struct {
	Code        graph.Code
	Severity    graph.Severity
	Quarantined graph.Scope
	Channel     string
	Bundle      string
	Pos         string
}

// findings returns the problems of a package as findings.
func findings(p *graph.Package) []finding {
	var out []finding
	for _, x := range p.Problems {
		out = append(out, finding{x.Code, x.Severity, x.Quarantined, x.Channel, x.Bundle, graph.Pos{File: x.File, Line: x.Line}.String()})
	}
	return out
}

// names returns the names of entries.
func names(entries []*graph.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name)
	}
	return out
}

// candidates returns the names of the candidates of a channel.
func candidates(c *graph.Channel) []string {
	out := []string{}
	for _, b := range c.Candidates() {
		out = append(out, b.Name)
	}
	return out
}

func TestGoodPackage(t *testing.T) {
	p := graph.Build(etcd(t), graph.Options{})
	require.Empty(t, p.Problems)
	require.Nil(t, p.Quarantine)
	c := p.Channel("stable")
	require.True(t, c.Default())
	require.Nil(t, c.Quarantined())
	require.Same(t, p, c.Package)
	require.Equal(t, []string{"etcd.v3", "etcd.v1"}, names(c.Chain()))
	require.Equal(t, []string{"etcd.v3", "etcd.v1"}, candidates(c))
	require.Equal(t, "etcd.v3", c.Head().Name)
	require.Equal(t, "etcd.v3", c.Entry("etcd.v2").SkippedBy)
	require.Equal(t, -1, c.Entry("etcd.v2").Position)
	require.Nil(t, c.Entry("etcd.v9"))
	require.Empty(t, c.Successors("", semver.MustParse("5.0.0")), "what has no name is replaced by nothing")
	require.Equal(t, []string{"etcd.v3"}, names(c.Successors("", semver.MustParse("0.5.0"))), "but its version counts")
	require.Nil(t, p.Channel("alpha"))
	require.Nil(t, p.Bundle("etcd.v9"))
	v3 := p.Bundle("etcd.v3")
	require.Equal(t, "3.0.0", v3.Version.String())
	require.Equal(t, int32(-1), v3.ID)
	require.Equal(t, []graph.Place{{Channel: c, Position: 0}}, v3.Places)
	require.Empty(t, p.Bundle("etcd.v2").Places)
}

// updates returns the update graph of a package, or of some of its channels.
func updates(t require.TestingT, p *graph.Package, channels ...string) *graph.Updates {
	return testkit.Must(graph.NewUpdates(context.Background(), p, graph.UpdateOptions{Channels: channels}))(t)
}

// edges returns all edges of an update graph.
func edges(u *graph.Updates) []graph.Edge {
	var out []graph.Edge
	for name := range u.Bundles() {
		out = append(out, u.Successors(name)...)
	}
	return out
}

// deadEnds returns the dead ends of channels.
func deadEnds(t require.TestingT, channels ...*graph.Channel) []graph.DeadEnd {
	var out []graph.DeadEnd
	for _, c := range channels {
		found := testkit.Must(c.DeadEnds(context.Background()))(t)
		out = append(out, found...)
	}
	return out
}
