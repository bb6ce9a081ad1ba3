package disk_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// realCatalog loads a real catalog, and skips the test if it is missing.
func realCatalog(tb testing.TB, name string) *cache.Catalog {
	opts := fbc.Options{File: name, Catalog: cache.Key{Namespace: "olm", Name: "community"}}
	return testkit.Must(fbc.Load(context.Background(), testkit.Data(tb, name), opts))(tb)
}

// catalogs are the benchmarks' catalogs: the largest real one, and a synthetic one of 100,000
// bundles.
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

// BenchmarkRead reads a copy, which takes about as long as loading the same catalog from a
// file.
func BenchmarkRead(b *testing.B) {
	for _, c := range catalogs {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "copy")
			catalog := c.load(b)
			require.NoError(b, disk.Write(context.Background(), path, &cache.Content{Catalog: catalog, Digest: "sha256:0"}, disk.Options{}))
			info := testkit.Must(os.Stat(path))(b)
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := disk.Read(context.Background(), path, disk.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(catalog.Len()), "bundles")
		})
	}
}

// BenchmarkWrite writes and syncs a file.
func BenchmarkWrite(b *testing.B) {
	for _, c := range catalogs {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "copy")
			content := &cache.Content{Catalog: c.load(b), Digest: "sha256:0"}
			b.ReportAllocs()
			for b.Loop() {
				if err := disk.Write(context.Background(), path, content, disk.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestReadAllocates bounds the allocations of reading a real catalog, which do not depend on
// the load of the machine.
func TestReadAllocates(t *testing.T) {
	data := encoded(t, &cache.Content{Catalog: realCatalog(t, "community-all.jsonl.gz"), Digest: "sha256:0"})
	allocs := testing.AllocsPerRun(3, func() {
		_, err := disk.Decode(data, disk.Options{})
		require.NoError(t, err)
	})
	t.Logf("%d bytes, %.0f allocations", len(data), allocs)
	require.Less(t, allocs, 120_000.0, "loading it from its source takes 95,000")
	require.Less(t, len(data), 500_000, "the JSON has 6.4 MB")
}
