package catalogdiff_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// chain returns the names of a channel from its head down.
func chain(c *cache.Catalog, channel string) []string {
	names := testkit.Map(c.Package("a").Channel(channel).Chain(), func(e *graph.Entry) string { return e.Name })
	return names
}

func TestAdd(t *testing.T) {
	content := read(t, "testdata/notInstallable", "old.yaml") // a.v2 replaces a.v1
	for _, tt := range []struct {
		name, version string
		add           catalogdiff.Addition
		want          []string
		worse         []string
	}{
		{"by replaces", "3.0.0", catalogdiff.Addition{Replaces: "a.v2"}, []string{"a.new", "a.v2", "a.v1"}, nil},
		{"by version, at the head", "3.0.0", catalogdiff.Addition{}, []string{"a.new", "a.v2", "a.v1"}, nil},
		{"by version, between", "1.5.0", catalogdiff.Addition{}, []string{"a.v2", "a.new", "a.v1"}, nil},
		{"by version, at the end", "0.5.0", catalogdiff.Addition{}, []string{"a.v2", "a.v1", "a.new"}, nil},
		{"skips", "3.0.0", catalogdiff.Addition{Replaces: "a.v1", Skips: []string{"a.v2"}}, []string{"a.new", "a.v1"}, nil},
		{"replaces an already replaced entry", "3.0.0", catalogdiff.Addition{Replaces: "a.v1"}, nil, []string{"newProblem"}},
		{"an old version, by its skipRange at the head", "0.5.0", catalogdiff.Addition{Replaces: "a.v2", SkipRange: "<3.0.0"}, []string{"a.new", "a.v2", "a.v1"},
			[]string{"headLowered"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := tt.add
			a.Package, a.Bundle, a.Channels = "a", universe.Content(t, "a/x a.new version="+tt.version).Bundle(0), []string{"stable"}
			old, now, err := catalogdiff.Add(content, a)
			require.NoError(t, err)
			require.Equal(t, []string{"a.v2", "a.v1"}, chain(old, "stable"))
			require.Equal(t, tt.want, chain(now, "stable"))
			r := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t)
			var codes []string
			for _, f := range r.Worse {
				t.Log(f.Text)
				codes = append(codes, f.Code)
			}
			require.Equal(t, tt.worse, codes)
			require.Contains(t, r.Changes, catalogdiff.Change{Kind: "bundleAdded", Package: "a", Bundle: "a.new", Is: tt.version})
		})
	}
}

// TestAddPackage adds a package, and a channel to it, in two steps.
func TestAddPackage(t *testing.T) {
	content := read(t, "testdata/clash", "old.yaml")
	add := catalogdiff.Addition{Package: "new", Bundle: universe.Content(t, "a/x new.v1").Bundle(0), Channels: []string{"fast", "stable"}}
	old, now, err := catalogdiff.Add(content, add)
	require.NoError(t, err)
	require.Nil(t, old.Package("new"))
	require.Equal(t, "fast", now.Package("new").DefaultChannel)
	require.Len(t, now.Package("new").Channels, 2)
	// The bundle declares package a, which is a problem of the new state.
	r := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t)
	require.Len(t, r.Worse, 1)
	require.Equal(t, graph.Code("packageMismatch"), r.Worse[0].Problem)
}

// Existing problems of a package are not new problems of an addition.
func TestAddKeepsProblems(t *testing.T) {
	content := read(t, "testdata/newProblem", "new.yaml") // two heads
	old, now, err := catalogdiff.Add(content, catalogdiff.Addition{Package: "a", Bundle: universe.Content(t, "bundle a.v3").Bundle(0), Channels: []string{"fast"}})
	require.NoError(t, err)
	require.NotNil(t, old.Package("a").Channel("stable").Quarantine)
	require.Empty(t, testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t).Worse)
}

func TestAddErrors(t *testing.T) {
	content := read(t, "testdata/notInstallable", "old.yaml")
	for _, a := range []catalogdiff.Addition{
		{Package: "a", Channels: []string{"stable"}},
		{Bundle: universe.Content(t, "bundle a.v3").Bundle(0), Channels: []string{"stable"}},
		{Package: "a", Bundle: universe.Content(t, "bundle a.v3").Bundle(0)},
		{Package: "a", Bundle: universe.Content(t, "bundle a.v2 version=3.0.0").Bundle(0), Channels: []string{"stable"}},
		{Package: "a", Bundle: &graph.Bundle{Name: "a.v3"}, Channels: []string{"stable"}},
	} {
		_, _, err := catalogdiff.Add(content, a)
		testkit.As[*catalogdiff.AdditionError](t, err)
		require.ErrorContains(t, err, " cannot be added to package ")
	}
}
