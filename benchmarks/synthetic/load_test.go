package synthetic_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// Every preset is a catalog without a fault: the strict reader takes it, with
// all its packages, bundles and APIs.
func TestCatalogsAreValid(t *testing.T) {
	for _, name := range synthetic.Presets() {
		t.Run(name, func(t *testing.T) {
			cfg := preset(t, name).Sized(testkit.Times(700, 2200))
			g := generator(t, cfg)
			cfg = g.Config()
			bundles := 0
			for c := range cfg.Catalogs {
				read, err := fbc.Read(t.Context(), strings.NewReader(catalog(t, g, c)), "catalog.jsonl", fbc.Options{Strict: true})
				require.NoError(t, err)
				require.Empty(t, read.Problems())
				bundles += read.Len()
			}
			if cfg.Shape == synthetic.Real {
				require.InEpsilon(t, cfg.Bundles(), bundles, 0.3)
			} else {
				require.Equal(t, cfg.Bundles(), bundles)
			}
		})
	}
}

// BenchmarkLoad reads catalogs of growing size into snapshots. Throughput
// counts uncompressed bytes in both cases.
func BenchmarkLoad(b *testing.B) {
	for _, packages := range []int{100, 1000, 10000} {
		cfg, _ := synthetic.Preset("random")
		cfg.Packages = packages
		plain := []byte(catalog(b, generator(b, cfg), 0))
		var zipped bytes.Buffer
		zip := gzip.NewWriter(&zipped)
		_, err := zip.Write(plain)
		require.NoError(b, err)
		require.NoError(b, zip.Close())
		for _, format := range []struct {
			name string
			data []byte
		}{{"catalog.jsonl", plain}, {"catalog.jsonl.gz", zipped.Bytes()}} {
			b.Run(fmt.Sprintf("bundles=%d/%s", packages*cfg.Versions, format.name), func(b *testing.B) {
				b.SetBytes(int64(len(plain)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := fbc.Read(b.Context(), bytes.NewReader(format.data), format.name, fbc.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
