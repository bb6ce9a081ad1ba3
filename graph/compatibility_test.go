package graph_test

import (
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/graph/draw"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
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
	release := func(name, release string) graph.BundleDecl {
		d := bundle(t, name, "1.0.0")
		d.Properties = properties.NewSet(universe.Property(t, properties.TypePackage, `{"packageName":"etcd","version":"1.0.0","release":"`+release+`"}`))
		return d
	}
	build := func(bundles ...graph.BundleDecl) *graph.Package {
		return graph.Build(graph.PackageDecl{
			Name: "etcd", Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}}, Bundles: bundles,
			Channels: []graph.ChannelDecl{{Name: "stable", Entries: []graph.EntryDecl{{Name: "c"}, {Name: "b", Skips: []string{"a"}, Replaces: "c"}, {Name: "a"}}}},
		}, graph.Options{})
	}
	p := build(release("a", "10"), release("b", "9"), bundle(t, "c", "1.0.0"))
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
