package cache_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// BenchmarkSnapshot is what a reader pays for the view of its resolution.
func BenchmarkSnapshot(b *testing.B) {
	c, err := cache.New(cache.Config{Sources: []cache.SourceConfig{{Key: community, Source: cache.NewMemory(numbered(1).Catalog)}}})
	require.NoError(b, err)
	defer func() { require.NoError(b, c.Close()) }()
	_, err = c.Snapshot(b.Context())
	require.NoError(b, err)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		ctx := context.Background()
		for pb.Next() {
			if _, err := c.Snapshot(ctx); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkNewVersion is what one change costs a cache of 50 sources, besides
// the load itself.
func BenchmarkNewVersion(b *testing.B) {
	var cfg cache.Config
	for i := range 50 {
		cfg.Sources = append(cfg.Sources, cache.SourceConfig{
			Key: cache.Key{Namespace: "olm", Name: fmt.Sprint("catalog", i)}, Source: cache.NewMemory(numbered(i % 10).Catalog),
		})
	}
	c := testkit.Must(cache.New(cfg))(b)
	defer func() { require.NoError(b, c.Close()) }()
	_, err := c.Snapshot(b.Context())
	require.NoError(b, err)
	b.ReportAllocs()
	for i := 1; b.Loop(); i++ {
		c.SetPriority(cfg.Sources[0].Key, i)
	}
}

// TestSnapshotAllocatesNothing once all sources were read.
func TestSnapshotAllocatesNothing(t *testing.T) {
	c := one(t, cache.SourceConfig{Source: cache.NewMemory(numbered(1).Catalog)})
	see2(t, c)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := c.Snapshot(t.Context()); err != nil {
			t.Error(err)
		}
	}))
}
