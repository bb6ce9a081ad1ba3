package graph_test

import (
	"context"
	"slices"
	"strings"
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
func etcd() graph.PackageDecl { return declaration("etcd", inOrder) }

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
	p := graph.Build(etcd(), graph.Options{})
	require.Empty(t, p.Problems)
	require.Nil(t, p.Quarantine)
	c := p.Channel("stable")
	require.True(t, c.Default())
	require.Nil(t, c.Quarantined())
	require.Same(t, p, c.Package)
	require.Equal(t, []string{"etcd.v3", "etcd.v1"}, names(c.Chain()))
	require.Equal(t, []string{"etcd.v3", "etcd.v1"}, candidates(c))
	require.Equal(t, "etcd.v3", c.Head().Name)
	require.Equal(t, "etcd.v3", c.Entry("etcd.v2").SkippedBy())
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

// deadEnds returns the dead ends of a channel.
func deadEnds(t require.TestingT, c *graph.Channel) []graph.DeadEnd {
	return testkit.Must(c.DeadEnds(context.Background()))(t)
}

// FuzzBuild makes a package of any text: a line declares something by its
// first word. Nothing may panic, and what Build returns has to hold together.
func FuzzBuild(f *testing.F) {
	f.Add("package stable\nchannel stable\nentry b.v1\nentry b.v2 b.v1 b.v0,b.v3 <1.0.0\nbundle b.v1 p 1.0.0\nbundle b.v2 p 2.0.0")
	f.Add("package\npackage\nchannel c\nentry a b\nentry b a\nentry a\nbundle a q 1\ndeprecate olm.bundle a")
	f.Add("channel\nbundle\nentry\nchannel x\nchannel x\nentry\nbundle x p 1.0.0\nbundle x p 1.0.0\ndeprecate\ndeprecate olm.package")
	f.Fuzz(func(t *testing.T, text string) {
		p := graph.Build(declaration("p", text), graph.Options{})
		checkQuarantine(t, p)
		for _, c := range p.Channels {
			for i, e := range c.Chain() {
				require.Equal(t, i, e.Position)
				require.Same(t, e, c.Entry(e.Name))
				c.Successors(e.Name, semver.Version{Major: uint64(i)})
			}
		}
		for _, b := range p.Bundles {
			require.Same(t, b, p.Bundle(b.Name))
		}
		q := p.Clone()
		require.Equal(t, len(p.Bundles), len(q.Bundles))
	})
}

// declaration reads the declaration of a package from text. A flaw is one of what was last
// declared of a kind, and a property one of the last bundle.
func declaration(name, text string) graph.PackageDecl {
	d := graph.PackageDecl{Name: name}
	for i, line := range strings.Split(text, "\n") {
		words := append(strings.Split(line, " "), make([]string, 5)...)
		pos := graph.Pos{File: "f", Line: i + 1}
		channels, bundles := len(d.Channels)-1, len(d.Bundles)-1
		property := func(b *graph.BundleDecl, typ, value string) {
			p, err := properties.New(typ, []byte(value))
			if err != nil {
				b.Flaws = append(b.Flaws, graph.Flaw{Code: "propertyInvalid", Property: typ, Message: err.Error()})
				return
			}
			b.Properties = properties.NewSet(append(slices.Collect(b.Properties.All()), p)...)
			b.Lines = append(b.Lines, i+1)
		}
		flaws := []graph.Flaw{{Line: i + 1, Message: "x"}}
		switch {
		case words[0] == "package":
			d.Definitions = append(d.Definitions, graph.DefinitionDecl{DefaultChannel: words[1], Pos: pos})
		case words[0] == "channel":
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: words[1], Pos: pos})
		case words[0] == "entry" && channels >= 0:
			var skips []string
			if words[3] != "" {
				skips = strings.Split(words[3], ",")
			}
			d.Channels[channels].Entries = append(d.Channels[channels].Entries,
				graph.EntryDecl{Name: words[1], Replaces: words[2], Skips: skips, SkipRange: words[4], Line: i + 1})
		case words[0] == "bundle":
			b := graph.BundleDecl{Name: words[1], Pos: pos}
			if words[2] != "-" {
				property(&b, properties.TypePackage, `{"packageName":"`+words[2]+`","version":"`+words[3]+`"}`)
			}
			d.Bundles = append(d.Bundles, b)
		case words[0] == "property" && bundles >= 0:
			property(&d.Bundles[bundles], words[1], words[2])
		case line == "flaw package" && len(d.Definitions) > 0:
			d.Definitions[len(d.Definitions)-1].Flaws = flaws
		case line == "flaw channel" && channels >= 0:
			d.Channels[channels].Flaws = flaws
		case line == "flaw bundle" && bundles >= 0:
			d.Bundles[bundles].Flaws = flaws
		case words[0] == "deprecate":
			d.Deprecations = append(d.Deprecations, graph.DeprecationDecl{Schema: words[1], Name: words[2], Pos: pos})
		}
	}
	return d
}
