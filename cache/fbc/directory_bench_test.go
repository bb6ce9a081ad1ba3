package fbc_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// split writes a real catalog as a tree with a directory for each package, as JSON
// lines or as YAML, with one file a package or one a blob.
func split(tb testing.TB, catalog, ext string, oneFilePerBlob bool) (dir string) {
	tb.Helper()
	f := testkit.Must(realData(tb).Open(catalog + ".jsonl.gz"))(tb)
	defer f.Close()
	z := testkit.Must(gzip.NewReader(f))(tb)
	files := map[string]*bytes.Buffer{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	for n := 0; lines.Scan(); n++ {
		var blob struct{ Schema, Name, Package string }
		require.NoError(tb, json.Unmarshal(lines.Bytes(), &blob))
		pkg, file := blob.Package, "catalog"
		if blob.Schema == "olm.package" {
			pkg = blob.Name
		}
		if oneFilePerBlob {
			file = fmt.Sprintf("%05d", n)
		}
		name := filepath.Join(pkg, file+ext)
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
		}
		appendBlob(tb, files[name], ext, lines.Bytes())
	}
	require.NoError(tb, lines.Err())
	dir = tb.TempDir()
	for name, text := range files {
		require.NoError(tb, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o600))
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
