package resolver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// realCatalog reads a whole real catalog.
func realCatalog(t testing.TB) *cache.Catalog {
	t.Helper()
	const name = "community-all.jsonl.gz"
	return testkit.Must(fbc.Load(context.Background(), testkit.Data(t, name), fbc.Options{File: name}))(t)
}

// Every package of a real catalog, subscribed to alone, is answered: by a set in
// which everything has what it requires, or by facts that hold up.
func TestEveryPackageOfARealCatalog(t *testing.T) {
	c, ctx, r := realCatalog(t), context.Background(), resolver.New()
	packages, conflicts := 0, 0
	for p := range c.Packages() {
		packages++
		req := resolver.Request{Namespace: "ns",
			Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "community"}, Content: c}},
			Subscriptions: []resolver.Subscription{{Name: "s", Package: p.Name, Channels: []string{p.DefaultChannel}}}}
		sol, err := r.Resolve(ctx, req)
		var conflict *resolver.Conflict
		if errors.As(err, &conflict) {
			conflicts++
			require.NotEmpty(t, conflict.Facts, p.Name)
			require.Equal(t, argument.FactSubscription, conflict.Facts[0].Kind, p.Name)
			continue
		}
		require.NoError(t, err, p.Name)
		wrong, err := unmet(ctx, req, sol)
		require.NoError(t, err, p.Name)
		require.Empty(t, wrong, p.Name)
	}
	require.Equal(t, 333, packages)
	t.Logf("%d packages, %d of them without a solution", packages, conflicts)
}
