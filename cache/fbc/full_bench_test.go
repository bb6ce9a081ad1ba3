package fbc_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
)

// BenchmarkLoadFull loads real catalogs with all that opm prints of them,
// beside the same without it, and tells what they keep in memory.
func BenchmarkLoadFull(b *testing.B) {
	data := realData(b)
	for _, c := range []struct {
		name, file string
		opts       fbc.Options
	}{
		{"without", "community-v4.19", fbc.Options{}},
		{"metadata", "community-v4.19-full", fbc.Options{}},
		{"manifests", "community-v4.14-full", fbc.Options{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var last *cache.Catalog
			b.ReportAllocs()
			for b.Loop() {
				loaded, err := fbc.LoadFile(context.Background(), data, c.file+".jsonl.gz", c.opts)
				require.NoError(b, err)
				last = loaded
			}
			b.ReportMetric(float64(kept(&last)), "kept-B")
		})
	}
}

// BenchmarkKept tells what a bundle of a large catalog takes in memory once it is
// loaded, and how much is allocated for it on the way.
func BenchmarkKept(b *testing.B) {
	for _, preset := range []string{"random", "real-like", "fleet"} {
		b.Run(preset, func(b *testing.B) {
			cfg, ok := synthetic.Preset(preset)
			require.True(b, ok)
			g, err := synthetic.New(cfg.Sized(10_000))
			require.NoError(b, err)
			var text bytes.Buffer
			require.NoError(b, g.WriteCatalog(&text, 0))
			var last *cache.Catalog
			b.ReportAllocs()
			for b.Loop() {
				last, err = fbc.Read(b.Context(), bytes.NewReader(text.Bytes()), "catalog.jsonl", fbc.Options{})
				require.NoError(b, err)
			}
			bundles := float64(last.Len())
			b.ReportMetric(float64(kept(&last))/bundles, "kept-B/bundle")
		})
	}
	b.Run("community", func(b *testing.B) {
		data := realData(b)
		var last *cache.Catalog
		for b.Loop() {
			loaded, err := fbc.LoadFile(b.Context(), data, "community-all.jsonl.gz", fbc.Options{})
			require.NoError(b, err)
			last = loaded
		}
		bundles := float64(last.Len())
		b.ReportMetric(float64(kept(&last))/bundles, "kept-B/bundle")
	})
}
