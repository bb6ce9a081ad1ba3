package fbc_test

import (
	"context"
	"io/fs"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// sharedData is where real catalogs lie beside the checkout, if they do.
const sharedData = "../../../shared/data"

// realData returns the directory with the real catalogs, and skips the test
// where they are not beside the checkout.
func realData(tb testing.TB) fs.FS {
	tb.Helper()
	if _, err := os.Stat(sharedData + "/community-all.jsonl.gz"); err != nil {
		tb.Skip("needs the real catalogs, which are not beside this checkout")
	}
	return os.DirFS(sharedData)
}

// BenchmarkLoad loads the largest real catalog: at most 150 ms.
func BenchmarkLoad(b *testing.B) {
	data := realData(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fbc.LoadFile(context.Background(), data, "community-all.jsonl.gz", fbc.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMemory holds a snapshot to twice the size of its uncompressed JSON
// lines.
func TestMemory(t *testing.T) {
	data := realData(t)
	const jsonLines = 6_453_486
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	warm(t, data) // what the first load alone sets up is not the snapshot's
	before := heap()
	c := testkit.Must(fbc.LoadFile(context.Background(), data, "community-all.jsonl.gz", fbc.Options{}))(t)
	used := int64(heap()) - int64(before)
	runtime.KeepAlive(c)
	t.Logf("%d bundles take %d bytes, %.2f of their JSON lines", c.Len(), used, float64(used)/jsonLines)
	require.Less(t, used, int64(2*jsonLines))
	require.Equal(t, 7016, c.Len())
}

// warm loads a catalog and forgets it.
func warm(t *testing.T, data fs.FS) {
	t.Helper()
	var c *cache.Catalog
	c = testkit.Must(fbc.LoadFile(context.Background(), data, "community-all.jsonl.gz", fbc.Options{}))(t)
	require.NotNil(t, c)
}
