package graph_test

import (
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// FuzzBuild makes a package of any text: a line declares something by its
// first word. Nothing may panic, and what Build returns has to hold together.
func FuzzBuild(f *testing.F) {
	f.Add("package stable\nchannel stable\nentry b.v1\nentry b.v2 b.v1 b.v0,b.v3 <1.0.0\nbundle b.v1 p 1.0.0\nbundle b.v2 p 2.0.0")
	f.Add("package\npackage\nchannel c\nentry a b\nentry b a\nentry a\nbundle a q 1\ndeprecate olm.bundle a")
	f.Add("channel\nbundle\nentry\nchannel x\nchannel x\nentry\nbundle x p 1.0.0\nbundle x p 1.0.0\ndeprecate\ndeprecate olm.package")
	f.Fuzz(func(t *testing.T, text string) {
		p := graph.Build(declaration(text), graph.Options{})
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

// declaration reads a declaration from text.
func declaration(text string) graph.PackageDecl {
	d := graph.PackageDecl{Name: "p"}
	for i, line := range strings.Split(text, "\n") {
		words := append(strings.Split(line, " "), make([]string, 5)...)
		pos := graph.Pos{File: "f", Line: i + 1}
		switch words[0] {
		case "package":
			d.Definitions = append(d.Definitions, graph.DefinitionDecl{DefaultChannel: words[1], Pos: pos})
		case "channel":
			d.Channels = append(d.Channels, graph.ChannelDecl{Name: words[1], Pos: pos})
		case "entry":
			if n := len(d.Channels); n > 0 {
				c := &d.Channels[n-1]
				c.Entries = append(c.Entries, graph.EntryDecl{Name: words[1], Replaces: words[2], Skips: strings.Split(words[3], ","), SkipRange: words[4], Line: i + 1})
			}
		case "bundle":
			b := graph.BundleDecl{Name: words[1], Pos: pos}
			p, err := properties.New(properties.TypePackage, []byte(`{"packageName":"`+words[2]+`","version":"`+words[3]+`"}`))
			if err != nil {
				b.Flaws = append(b.Flaws, graph.Flaw{Code: "propertyInvalid", Property: properties.TypePackage, Message: err.Error()})
			} else {
				b.Properties = properties.NewSet(p)
			}
			d.Bundles = append(d.Bundles, b)
		case "deprecate":
			d.Deprecations = append(d.Deprecations, graph.DeprecationDecl{Schema: words[1], Name: words[2], Pos: pos})
		}
	}
	return d
}
