package snapshot_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/snapshot"
)

// sharedData is where real catalogs lie beside the checkout, if they do.
const sharedData = "../../../shared/data"

// realCatalog loads a real catalog, and skips the test where there is none.
func realCatalog(tb testing.TB, name string) *cache.Catalog {
	tb.Helper()
	if _, err := os.Stat(filepath.Join(sharedData, name)); err != nil {
		tb.Skip("needs the real catalogs, which are not beside this checkout")
	}
	c, err := fbc.LoadFile(context.Background(), os.DirFS(sharedData), name, fbc.Options{Catalog: cache.Key{Namespace: "olm", Name: "community"}})
	require.NoError(tb, err)
	return c
}

// catalogs are those of the benchmarks: the largest real one, and one of
// 100,000 bundles.
var catalogs = []struct {
	name string
	load func(testing.TB) *cache.Catalog
}{
	{"community", func(tb testing.TB) *cache.Catalog { return realCatalog(tb, "community-all.jsonl.gz") }},
	{"synthetic", func(tb testing.TB) *cache.Catalog {
		cfg, ok := synthetic.Preset("mixed")
		require.True(tb, ok)
		cfg.Catalogs = 1
		return synthesizedOf(tb, cfg, 10_000)
	}},
}

// BenchmarkOpen opens a file: the real catalog in at most 10 ms.
func BenchmarkOpen(b *testing.B) {
	for _, c := range catalogs {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "snapshot")
			catalog := c.load(b)
			require.NoError(b, snapshot.Write(path, &cache.Content{Catalog: catalog, Digest: "sha256:0"}))
			info, err := os.Stat(path)
			require.NoError(b, err)
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := snapshot.Open(path, snapshot.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(catalog.Len()), "bundles")
		})
	}
}

// BenchmarkWrite writes a file and syncs it to the disk.
func BenchmarkWrite(b *testing.B) {
	for _, c := range catalogs {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "snapshot")
			content := &cache.Content{Catalog: c.load(b), Digest: "sha256:0"}
			b.ReportAllocs()
			for b.Loop() {
				if err := snapshot.Write(path, content); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestOpenAllocates holds what opening a real catalog takes to a bound that
// does not depend on how busy the machine is.
func TestOpenAllocates(t *testing.T) {
	data := encoded(t, &cache.Content{Catalog: realCatalog(t, "community-all.jsonl.gz"), Digest: "sha256:0"})
	allocs := testing.AllocsPerRun(3, func() {
		_, err := snapshot.Decode(data, snapshot.Options{})
		require.NoError(t, err)
	})
	t.Logf("%d bytes, %.0f allocations", len(data), allocs)
	require.Less(t, allocs, 15_000.0, "parsing takes ten times as many")
	require.Less(t, len(data), 2_000_000, "the JSON has 6.4 MB")
}
