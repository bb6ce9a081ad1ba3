package graph_test

import (
	"context"
	"slices"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// bundleOf builds a package with one bundle, which is in no channel, and returns
// what is wrong with the bundle beside that.
func bundleOf(t *testing.T, d graph.BundleDecl) (*graph.Bundle, []graph.Problem) {
	t.Helper()
	p := graph.Build(graph.PackageDecl{Name: "etcd", Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}}, Bundles: []graph.BundleDecl{d}}, graph.Options{})
	var problems []graph.Problem
	for _, problem := range p.Problems {
		if problem.Bundle != "" && problem.Code != "bundleUnlisted" {
			problems = append(problems, problem)
		}
	}
	return p.Bundle(d.Name), problems
}

// TestCompatibilityOfProperties: without a reader that knows more, the
// properties say where a bundle runs, and what makes no sense is a warning at
// the line of the property.
func TestCompatibilityOfProperties(t *testing.T) {
	d := bundle(t, "etcd.v1", "1.0.0",
		universe.Property(t, properties.TypeMaxOpenShiftVersion, `"4.9.9"`),
		universe.Property(t, properties.TypeCSVMetadata, `{"installModes":[{"type":"AllNamespaces","supported":true}],"minKubeVersion":"new","nativeAPIs":1}`),
		universe.Property(t, properties.TypeMaxOpenShiftVersion, `"4.9"`))
	d.Lines = []int{11, 12, 13, 14}
	b, problems := bundleOf(t, d)
	require.Nil(t, b.Quarantine)
	require.Equal(t, "AllNamespaces", b.Compatibility.InstallModes.String())
	require.Equal(t, "new", b.Compatibility.MinKubeVersion.Text)
	require.False(t, b.Compatibility.MaxOpenShift.Allows(properties.OpenShiftVersion{Major: 4, Minor: 1}))
	var said []string
	for i := range problems {
		require.Equal(t, graph.SeverityWarning, problems[i].Severity)
		require.Equal(t, graph.Code("compatibilityInvalid"), problems[i].Code)
		said = append(said, problems[i].Error())
	}
	require.Equal(t, []string{
		`bundles.yaml:10: bundle "etcd.v1" has the minKubeVersion "new", which is not a version: Invalid character(s) found in major number "0new", so that it fits no cluster whose version is known: correct it`,
		`bundles.yaml:10: the metadata of bundle "etcd.v1" cannot be used in full: it has nativeAPIs that are not a list, but a number; correct it`,
		`bundles.yaml:12: bundle "etcd.v1" has an olm.maxOpenShiftVersion property "4.9.9", which is not a minor version such as 4.9, but a more exact one, so that it counts as fitting no OpenShift at all: correct it`,
		`bundles.yaml:14: bundle "etcd.v1" has several olm.maxOpenShiftVersion properties, so that it counts as fitting no OpenShift at all: remove all but one`,
	}, said)
	b, problems = bundleOf(t, bundle(t, "etcd.v1", "1.0.0"))
	require.Nil(t, b.Compatibility)
	require.Empty(t, problems)
}

// TestCompatibilityOfReader: what a reader knows goes before what the
// properties say, and is shared, also by copies of the package.
func TestCompatibilityOfReader(t *testing.T) {
	d := bundle(t, "etcd.v1", "1.0.0", universe.Property(t, properties.TypeCSVMetadata, `{}`))
	d.Compatibility = &properties.Compatibility{Malformed: []string{"is strange"}}
	d.CompatibilityLine = 7
	p := graph.Build(graph.PackageDecl{Name: "etcd", Bundles: []graph.BundleDecl{d}}, graph.Options{})
	require.Same(t, d.Compatibility, p.Bundle("etcd.v1").Compatibility)
	require.Same(t, d.Compatibility, p.Clone().Bundle("etcd.v1").Compatibility)
	_, problems := bundleOf(t, d)
	require.Len(t, problems, 1)
	require.Equal(t, 7, problems[0].Line)
}

// TestReleases: among bundles of the same version the release decides, wherever
// bundles are ordered by version.
func TestReleases(t *testing.T) {
	p := graph.Build(declaration("etcd", `package stable
channel stable
entry c
entry b c a
entry a
bundle a -
property olm.package {"packageName":"etcd","version":"1.0.0","release":"10"}
bundle b -
property olm.package {"packageName":"etcd","version":"1.0.0","release":"9"}
bundle c etcd 1.0.0`), graph.Options{})
	require.Equal(t, []string{"1.0.0 release 10", "1.0.0 release 9", "1.0.0"}, []string{p.Bundle("a").VersionText(), p.Bundle("b").VersionText(), p.Bundle("c").VersionText()})
	require.Positive(t, p.Bundle("a").CompareVersion(p.Bundle("b")))
	require.Positive(t, p.Bundle("b").CompareVersion(p.Bundle("c")))

	var text []string
	channels := testkit.Must(draw.Data(t.Context(), p, draw.Options{Channels: []string{"stable"}}))(t)
	for _, e := range channels[0].Entries {
		text = append(text, e.Bundle+" "+e.Version+" "+e.Release)
	}
	require.Equal(t, []string{"b 1.0.0 9", "c 1.0.0 ", "a 1.0.0 10"}, text)

	// Of what the package lacks, the newer release comes first.
	u := testkit.Must(graph.NewUpdates(t.Context(), p, graph.UpdateOptions{Installed: []graph.Installed{
		{Name: "x", Version: semver.MustParse("1.0.0"), Release: "8"}, {Name: "w", Version: semver.MustParse("1.0.0"), Release: "7"}, {Name: "y", Version: semver.MustParse("1.0.0"), Release: "80"},
	}}))(t)
	var order []string
	for name := range u.Bundles() {
		order = append(order, name)
	}
	require.Equal(t, []string{"b", "c", "y", "a", "x", "w"}, order)
}

// defines is a declaration of a bundle of package a at version 1.0.n with a definition of
// these versions, and the APIs that it provides.
func defines(t require.TestingT, name, version string, crds []properties.CRD, served ...string) graph.BundleDecl {
	list := []*properties.Property{universe.PackageProperty(t, "a", version)}
	for _, v := range served {
		list = append(list, universe.Property(t, properties.TypeGVK, `{"group":"example.com","version":"`+v+`","kind":"Foo"}`))
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
			ctx := testkit.Ended()
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
					if !slices.Contains(has[e.Name], v) {
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
