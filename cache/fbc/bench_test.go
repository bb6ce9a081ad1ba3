package fbc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// realData returns the directory with the real catalogs.
func realData(tb testing.TB) fs.FS { return testkit.Data(tb, "community-all.jsonl.gz") }

// BenchmarkLoad loads real catalogs: the largest in at most 150 ms, and others without
// and with all that opm prints of them. It tells what they keep in memory.
func BenchmarkLoad(b *testing.B) {
	data := realData(b)
	for _, file := range []string{"community-all", "community-v4.19", "community-v4.19-full", "community-v4.14-full"} {
		b.Run(file, func(b *testing.B) {
			var last *cache.Catalog
			b.ReportAllocs()
			for b.Loop() {
				last = testkit.Must(fbc.Load(b.Context(), data, fbc.Options{File: file + ".jsonl.gz"}))(b)
			}
			bundles := float64(last.Len())
			b.ReportMetric(float64(kept(&last))/bundles, "kept-B/bundle")
		})
	}
}

// TestMemory holds a snapshot to twice the size of its uncompressed JSON
// lines.
func TestMemory(t *testing.T) {
	data := realData(t)
	const jsonLines = 6_453_486
	load := func() *cache.Catalog {
		return testkit.Must(fbc.Load(t.Context(), data, fbc.Options{File: "community-all.jsonl.gz"}))(t)
	}
	load() // what the first load alone sets up is not the snapshot's
	c := load()
	require.Equal(t, 7016, c.Len())
	require.Less(t, kept(&c), int64(2*jsonLines))
}

// split writes a real catalog as a tree with a directory for each package, as JSON
// lines or as YAML, with one file a package or one a blob.
func split(tb testing.TB, catalog, ext string, oneFilePerBlob bool) (dir string) {
	files := map[string]*bytes.Buffer{}
	n := 0
	for line := range testkit.Lines(tb, catalog+".jsonl.gz") {
		var blob struct{ Schema, Name, Package string }
		require.NoError(tb, json.Unmarshal(line, &blob))
		pkg, file := blob.Package, "catalog"
		if blob.Schema == "olm.package" {
			pkg = blob.Name
		}
		if oneFilePerBlob {
			n++
			file = fmt.Sprintf("%05d", n)
		}
		name := filepath.Join(pkg, file+ext)
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
		}
		appendBlob(tb, files[name], ext, line)
	}
	dir = tb.TempDir()
	for name, text := range files {
		testkit.WriteFiles(tb, dir, map[string][]byte{name: text.Bytes()})
	}
	return dir
}

// appendBlob appends a line of JSON to a file.
func appendBlob(tb testing.TB, to *bytes.Buffer, ext string, line []byte) {
	if ext == ".yaml" {
		text := testkit.Must(document.AppendYAML(context.Background(), nil, line))(tb)
		to.Write(text)
		return
	}
	to.Write(line)
	to.WriteByte('\n')
}

// BenchmarkYAML loads a tree of a real catalog with everything in it, 60 MB: as YAML in
// at most 0.6 s on two processors, and as JSON beside it.
func BenchmarkYAML(b *testing.B) {
	for _, ext := range []string{".yaml", ".jsonl"} {
		b.Run("real"+ext, func(b *testing.B) { benchmarkLoad(b, os.DirFS(split(b, "community-v4.19-full", ext, false))) })
		var text bytes.Buffer
		for _, line := range manyLines(60, 60) {
			appendBlob(b, &text, ext, []byte(line))
		}
		b.Run("synthetic"+ext, func(b *testing.B) { benchmarkLoad(b, fstest.MapFS{"catalog" + ext: {Data: text.Bytes()}}) })
	}
}

// benchmarkLoad loads a tree again and again.
func benchmarkLoad(b *testing.B, tree fs.FS) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := fbc.Load(context.Background(), tree, fbc.Options{})
		require.NoError(b, err)
	}
}
