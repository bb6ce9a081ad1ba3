package graph_test

import (
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// TestRequiresAreThoseOfTheBundle: a bundle without other properties than its identity does not take
// the constraints that the declaration of the bundle before it adds.
func TestRequiresAreThoseOfTheBundle(t *testing.T) {
	d := graph.PackageDecl{Name: "a", Definitions: []graph.DefinitionDecl{{DefaultChannel: "c"}}, Channels: []graph.ChannelDecl{{Name: "c"}}}
	for i, name := range []string{"a.v1", "a.v2"} {
		identity := testkit.Must(properties.NewPackage("a", &semver.Version{Major: uint64(i + 1)}))(t)
		d.Bundles = append(d.Bundles, graph.BundleDecl{Name: name, Properties: properties.NewSet(identity),
			Requires: []constraints.Constraint{&constraints.Label{Label: name}}})
		d.Channels[0].Entries = append(d.Channels[0].Entries, graph.EntryDecl{Name: name, Replaces: []string{"", "a.v1"}[i]})
	}
	for _, b := range graph.Build(d, graph.Options{}).Bundles {
		require.Len(t, b.Constraints, 1, b.Name)
		require.Equal(t, &constraints.Label{Label: b.Name}, b.Constraints[0].Constraint)
	}
}
