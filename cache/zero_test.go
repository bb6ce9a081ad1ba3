package cache_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestZero: zero values behave as documented, and none panics.
func TestZero(t *testing.T) {
	ctx, key := context.Background(), cache.Key{Namespace: "ns", Name: "c"}
	for name, first := range map[string]func(t *testing.T, c *cache.Cache){
		"Snapshot": func(t *testing.T, c *cache.Cache) {
			require.Empty(t, testkit.Must(c.Snapshot(ctx))(t).Catalogs())
		},
		"Peek": func(t *testing.T, c *cache.Cache) {
			_, err := c.Peek()
			require.NoError(t, err)
		},
		"Add": func(t *testing.T, c *cache.Cache) {
			require.NoError(t, c.Add(cache.SourceConfig{Key: key, Source: cache.NewMemory(cache.NewCatalog(nil, nil))}))
			require.NoError(t, c.Refresh(ctx, key))
			require.Len(t, testkit.Must(c.Snapshot(ctx))(t).Catalogs(), 1)
		},
		"Refresh": func(t *testing.T, c *cache.Cache) {
			require.NoError(t, c.Refresh(ctx))
			testkit.As[*cache.UnknownSourceError](t, c.Refresh(ctx, key))
		},
		"Changes": func(t *testing.T, c *cache.Cache) {
			for range c.Changes(testkit.Ended()) {
			}
		},
		"others": func(t *testing.T, c *cache.Cache) {
			require.Empty(t, c.Health())
			require.False(t, c.Remove(key))
			require.False(t, c.SetPriority(key, 1))
		},
		"Close": func(*testing.T, *cache.Cache) {},
	} {
		t.Run(name, func(t *testing.T) {
			var c cache.Cache
			first(t, &c)
			require.NoError(t, c.Close())
			_, err := c.Snapshot(ctx)
			require.ErrorIs(t, err, cache.ErrClosed)
			require.NoError(t, c.Close())
		})
	}

	var catalog cache.Catalog
	require.Zero(t, catalog.Len())
	require.Nil(t, catalog.Bundle(0))
	require.Nil(t, catalog.Package("p"))
	require.Empty(t, catalog.Named("b"))
	require.Empty(t, catalog.Problems())
	checkIndexes(t, &catalog)
	require.Equal(t, cache.NewCatalog(nil, nil).Digest(), catalog.Digest())
	require.Equal(t, catalog.Digest(), cache.NewContent(nil).Digest)

	var m cache.Memory
	_, err := m.Load(ctx, nil)
	require.ErrorContains(t, err, "no catalog was set")
	m.Set(&catalog)
	require.Same(t, &catalog, testkit.Must(m.Load(ctx, nil))(t).Catalog)
}
