package resolver_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// TestExtensionKeepsFromItsCatalog: what an extension keeps comes from the catalog that its
// selector chooses, whatever better catalog has a bundle of that name, and whatever is recorded.
func TestExtensionKeepsFromItsCatalog(t *testing.T) {
	req := universe.Request(t, `
		catalog olm/best 9
		foo/stable foo.v1
		deprecated foo.v1 old in best
		catalog olm/own 0
		foo/stable foo.v1
		installed foo.v1`)
	req.Subscriptions = nil
	for i := range req.Catalogs {
		req.Catalogs[i].Labels = map[string]string{"tier": req.Catalogs[i].Key.Name}
	}
	for _, recorded := range []cache.Key{{}, {Namespace: "olm", Name: "best"}} {
		for _, tier := range []string{"own", "best"} {
			req.Installed[0].Catalog = recorded
			req.Extensions = []resolver.Extension{{Name: "foo", Package: "foo", InstalledCSV: "foo.v1", Catalogs: resolver.CatalogSelector{MatchLabels: map[string]string{"tier": tier}}}}
			sol := testkit.Must(resolver.New().Resolve(t.Context(), req))(t)
			require.Len(t, sol.Steps, 1)
			want := cache.Key{Namespace: "olm", Name: tier}
			require.Equal(t, []any{resolver.Keep, want, want}, []any{sol.Steps[0].Action, sol.Steps[0].Catalog, sol.Steps[0].KeptFrom})
			warned := 0
			for _, w := range sol.Warnings {
				if w.Kind == resolver.WarningDeprecated {
					warned++
				}
			}
			require.Equal(t, tier == "best", warned > 0, "%s %v", tier, sol.Warnings)
		}
	}
}

// TestHoldOnTheStep: the step that keeps what is on hold says why, also as JSON.
func TestHoldOnTheStep(t *testing.T) {
	req := universe.Request(t, `
		catalog olm/c
		foo/stable foo.v1 foo.v2
		installed foo.v1
		subscribe foo at=foo.v1`)
	req.Subscriptions[0].Hold = "nobody approved plan x"
	sol := testkit.Must(resolver.New().Resolve(t.Context(), req))(t)
	require.Equal(t, "nobody approved plan x", sol.Steps[0].Hold)
	var back resolver.Step
	require.NoError(t, json.Unmarshal(testkit.Must(json.Marshal(sol.Steps[0]))(t), &back))
	require.Equal(t, sol.Steps[0].Hold, back.Hold)
	req.Subscriptions[0].Hold = ""
	require.Empty(t, testkit.Must(resolver.New().Resolve(t.Context(), req))(t).Steps[0].Hold)
}
