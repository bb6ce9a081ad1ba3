package fbc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
)

// BenchmarkLoadFull loads real catalogs with all that opm prints of them,
// beside the same without it, and tells what they keep in memory.
func BenchmarkLoadFull(b *testing.B) {
	data := realData(b)
	large := []string{"olm.csv.metadata", "olm.bundle.object"}
	for _, c := range []struct {
		name, file string
		opts       fbc.Options
	}{
		{"without", "community-v4.19", fbc.Options{}},
		{"metadata", "community-v4.19-full", fbc.Options{}},
		{"metadata-kept", "community-v4.19-full", fbc.Options{KeepProperties: large}},
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
