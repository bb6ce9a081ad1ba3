package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// defines is a declaration of a bundle of package a at version 1.0.n with a definition of
// these versions, and the APIs that it provides.
func defines(t require.TestingT, name, version string, crds []properties.CRD, served ...string) graph.BundleDecl {
	list := []*properties.Property{}
	add := func(typ, value string) {
		p := testkit.Must(properties.New(typ, []byte(value)))(t)
		list = append(list, p)
	}
	add("olm.package", `{"packageName":"a","version":"`+version+`"}`)
	for _, v := range served {
		add("olm.gvk", `{"group":"example.com","version":"`+v+`","kind":"Foo"}`)
	}
	d := graph.BundleDecl{Name: name, Properties: properties.NewSet(list...), Pos: graph.Pos{File: "catalog.yaml", Line: len(name)}}
	if crds != nil {
		d.Compatibility = &properties.Compatibility{CRDs: crds}
	}
	return d
}

func foos(versions ...properties.CRDVersion) []properties.CRD {
	return []properties.CRD{{Name: "foos.example.com", Group: "example.com", Kind: "Foo", Versions: versions}}
}

// owned are the definitions of which only the metadata of a bundle tells.
func owned(versions ...string) (list []properties.CRD) {
	for _, v := range versions {
		list = append(list, properties.CRD{Group: "example.com", Kind: "Foo", Versions: []properties.CRDVersion{{Name: v, Served: true}}})
	}
	return list
}

// TestDroppedVersions: of each pair of versions along an edge, what the newer one does not
// have.
func TestDroppedVersions(t *testing.T) {
	served := func(name string) properties.CRDVersion { return properties.CRDVersion{Name: name, Served: true} }
	unserved := func(name string) properties.CRDVersion { return properties.CRDVersion{Name: name} }
	for name, tt := range map[string]struct {
		old, now graph.BundleDecl
		dropped  []string
		known    bool
	}{
		"dropped":                     {defines(t, "a.v1", "1.0.0", foos(served("v1"), served("v2"))), defines(t, "a.v2", "2.0.0", foos(served("v2"))), []string{"v1 of foos.example.com"}, true},
		"kept":                        {defines(t, "a.v1", "1.0.0", foos(served("v1"))), defines(t, "a.v2", "2.0.0", foos(served("v1"), served("v2"))), nil, true},
		"unserved first":              {defines(t, "a.v1", "1.0.0", foos(served("v1"))), defines(t, "a.v2", "2.0.0", foos(unserved("v1"), served("v2"))), nil, true},
		"was not served":              {defines(t, "a.v1", "1.0.0", foos(unserved("v1"), served("v2"))), defines(t, "a.v2", "2.0.0", foos(served("v2"))), nil, true},
		"only served is known":        {defines(t, "a.v1", "1.0.0", nil, "v1", "v2"), defines(t, "a.v2", "2.0.0", nil, "v2"), []string{"v1 of Foo.example.com"}, false},
		"of the newer one":            {defines(t, "a.v1", "1.0.0", foos(served("v1")), "v1"), defines(t, "a.v2", "2.0.0", nil, "v2"), []string{"v1 of foos.example.com"}, false},
		"of the older one":            {defines(t, "a.v1", "1.0.0", nil, "v1"), defines(t, "a.v2", "2.0.0", foos(served("v2")), "v2"), []string{"v1 of foos.example.com"}, true},
		"only owned is known":         {defines(t, "a.v1", "1.0.0", owned("v1", "v2", "v1")), defines(t, "a.v2", "2.0.0", owned("v2")), []string{"v1 of Foo.example.com"}, false},
		"owned beside what it serves": {defines(t, "a.v1", "1.0.0", owned("v3"), "v1", "v2"), defines(t, "a.v2", "2.0.0", nil, "v2"), []string{"v1 of Foo.example.com"}, false},
		"owned beside its manifest":   {defines(t, "a.v1", "1.0.0", foos(served("v1"))), defines(t, "a.v2", "2.0.0", append(foos(served("v1")), owned("v2")...)), nil, true},
		"the definition is not there": {defines(t, "a.v1", "1.0.0", foos(served("v1"))), defines(t, "a.v2", "2.0.0", []properties.CRD{}), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := graph.Build(graph.PackageDecl{Name: "a", Definitions: []graph.DefinitionDecl{{DefaultChannel: "c"}}, Bundles: []graph.BundleDecl{tt.old, tt.now},
				Channels: []graph.ChannelDecl{{Name: "c", Entries: []graph.EntryDecl{{Name: "a.v1"}, {Name: "a.v2", Replaces: "a.v1"}}}}}, graph.Options{})
			list := testkit.Must(p.DroppedVersions(t.Context()))(t)
			var got []string
			for _, d := range list {
				require.Equal(t, [2]string{"a.v1", "a.v2"}, [2]string{d.From.Name, d.To.Name})
				require.Equal(t, tt.known, d.Known)
				got = append(got, d.Version+" of "+d.CRD)
			}
			require.Equal(t, tt.dropped, got)
			problems := graph.DroppedProblems(list)
			require.Len(t, problems, len(got))
			for _, problem := range problems {
				require.Equal(t, graph.Problem{Severity: graph.SeverityWarning, Code: "crdVersionDropped", Package: "a", Bundle: "a.v2", File: "catalog.yaml", Line: 4, Message: problem.Message}, problem)
				require.Contains(t, problem.Message, got[0]+", which is served by a.v1 before it")
				require.Equal(t, !tt.known, problem.Message[len(`bundle "a.v2" `):len(`bundle "a.v2" no longer`)] == "no longer")
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := p.DroppedVersions(ctx)
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

// TestDroppedVersionsNaively: in drawn packages a version is dropped along exactly those
// edges of the channels after which no API has it.
func TestDroppedVersionsNaively(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a.v1", "a.v2", "a.v3", "a.v4"}
		d := graph.PackageDecl{Name: "a", Definitions: []graph.DefinitionDecl{{DefaultChannel: "c"}}}
		has := map[string][]string{}
		ch := graph.ChannelDecl{Name: "c"}
		for i, name := range names {
			has[name] = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"v1", "v2", "v3"}), 1, 3, rapid.ID[string]).Draw(t, name)
			d.Bundles = append(d.Bundles, defines(t, name, name[len(name)-1:]+".0.0", nil, has[name]...))
			e := graph.EntryDecl{Name: name}
			if i > 0 {
				e.Replaces = names[i-1]
				e.SkipRange = rapid.SampledFrom([]string{"", ">=1.0.0 <" + name[len(name)-1:] + ".0.0"}).Draw(t, "range")
			}
			ch.Entries = append(ch.Entries, e)
		}
		d.Channels = []graph.ChannelDecl{ch}
		p := graph.Build(d, graph.Options{})
		want, got := map[[3]string]bool{}, map[[3]string]bool{}
		for _, from := range p.Bundles {
			for _, e := range p.Channels[0].Successors(from.Name, *from.Version) {
				for _, v := range has[from.Name] {
					kept := false
					for _, w := range has[e.Name] {
						kept = kept || v == w
					}
					if !kept {
						want[[3]string{from.Name, e.Name, v}] = true
					}
				}
			}
		}
		list := testkit.Must(p.DroppedVersions(context.Background()))(t)
		for _, v := range list {
			got[[3]string{v.From.Name, v.To.Name, v.Version}] = true
		}
		require.Equal(t, want, got)
		require.Len(t, list, len(want))
	})
}
