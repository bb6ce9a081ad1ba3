package graph

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// TestBuildEndsAtEachCheck: Build that gives up at its n-th look at Done, for each n, neither
// panics nor leaves a pointer nil that a whole package has.
func TestBuildEndsAtEachCheck(t *testing.T) {
	d := PackageDecl{Name: "p", Definitions: []DefinitionDecl{{DefaultChannel: "a"}},
		Deprecations: []DeprecationDecl{{Schema: SchemaBundle, Name: "p.v1"}}}
	var skips []string
	for i := range 5 {
		name := fmt.Sprintf("p.v%d", i)
		version, err := properties.New(properties.TypePackage, []byte(fmt.Sprintf(`{"packageName":"p","version":"1.%d.0"}`, i)))
		require.NoError(t, err)
		needs, err := properties.New(properties.TypePackageRequired, []byte(`{"packageName":"q","versionRange":">=1.0.0"}`))
		require.NoError(t, err)
		d.Bundles = append(d.Bundles, BundleDecl{Name: name, Properties: properties.NewSet(version, needs)})
		for range 2000 {
			skips = append(skips, name)
		}
	}
	entries := []EntryDecl{{Name: "p.v0"}, {Name: "p.v1", Replaces: "p.v0"},
		{Name: "p.v4", Replaces: "p.v1", Skips: skips, SkipRange: "<1.4.0"}, {Name: "p.v2"}, {Name: "p.v3", Replaces: "p.v2"}}
	for _, name := range []string{"a", "b", "b", "c"} {
		d.Channels = append(d.Channels, ChannelDecl{Name: name, Entries: entries})
	}
	for n, ended := 1, true; ended; n++ {
		ended = false
		calls := 0
		p := build(d, Options{Parser: constraints.NewParser()}, func() bool {
			calls++
			ended = calls >= n
			return ended
		})
		for _, b := range p.Bundles {
			require.NotNil(t, b.Version, "check %d", n)
		}
		for _, c := range p.Channels {
			for i := range c.Entries {
				require.NotEmpty(t, c.Entries[i].Name, "check %d", n)
			}
		}
		require.NotNil(t, p.Clone().Decl().Name)
		require.Less(t, calls, n+10, "Build goes on after check %d", n)
		if !ended {
			require.Greater(t, n, 30)
			require.NotNil(t, p.Channel("a").Head())
		}
	}
}

// TestLiterals: packages, bundles, channels and entries from literals, which lack what Build
// sets, do not panic.
func TestLiterals(t *testing.T) {
	ctx := t.Context()
	b := &Bundle{Name: "p.v1"}
	require.Equal(t, "0.0.0", b.VersionText())
	require.Zero(t, b.CompareVersion(&Bundle{}))
	require.Zero(t, b.Pos())
	require.Equal(t, "p.v1", b.Decl().Name)
	for range b.CRDs() {
	}
	e := Entry{Name: "p.v1", Replaces: "p.v0", Bundle: b}
	require.True(t, e.Candidate())
	require.True(t, e.Upgrades("p.v0", noVersion))
	p := &Package{Name: "p", Bundles: []*Bundle{b, nil}, Channels: []*Channel{nil, {Name: "c", Entries: []Entry{e, {Name: "p.v2"}}}}}
	require.NotEmpty(t, p.Channels[1].Standing(&e).String())
	require.Equal(t, "p.v1", p.Decl().Bundles[0].Name)
	require.Equal(t, "p.v1", p.Clone().Bundles[0].Name)
	require.Empty(t, p.Channels[1].Successors("p.v0", noVersion))
	u, err := NewUpdates(ctx, p, UpdateOptions{})
	require.NoError(t, err)
	require.Empty(t, u.Successors("p.v0"))
	_, err = p.Channels[1].DeadEnds(ctx)
	require.NoError(t, err)
	_, err = p.DroppedVersions(ctx)
	require.NoError(t, err)
	require.Nil(t, (*Package)(nil).Clone())
	Build(PackageDecl{Name: "p", Bundles: []BundleDecl{{Name: "p.v1", Requires: []constraints.Constraint{nil}}},
		Channels: []ChannelDecl{{Name: "c", Entries: []EntryDecl{{Name: "p.v1"}}}}}, Options{})
}
