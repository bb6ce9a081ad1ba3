package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// TestProblemsInTheCallersTerms: problems of rows use the nouns of the builder's options.
func TestProblemsInTheCallersTerms(t *testing.T) {
	b := cache.Builder{Options: graph.Options{Terms: graph.Terms{Bundle: "release"}}}
	_, flaws := b.Properties([]byte(`[{"type":"olm.gvk","value":{"kind":"Fine"}}]`))
	identity := properties.NewSet()
	for _, name := range []string{"a.v1", "a.v2"} {
		b.Add("a", "main", true, graph.EntryDecl{Name: name}, graph.BundleDecl{Name: name, Properties: identity, Flaws: flaws})
	}
	b.Add("a", "", false, graph.EntryDecl{}, graph.BundleDecl{Name: "a.v3", Properties: identity})
	b.Add("a", "main", true, graph.EntryDecl{Name: "a.v4"}, graph.BundleDecl{})
	problems := b.Build().Problems()
	require.Greater(t, len(problems), 4)
	for _, p := range problems {
		require.NotContains(t, p.Message, "bundle")
	}
}
