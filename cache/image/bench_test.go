package image_test

import (
	"archive/tar"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// BenchmarkRead reads one catalog, with a folder for each package as in published catalogs, in
// each form that it can have on disk.
func BenchmarkRead(b *testing.B) {
	const name = "community-v4.19-full.jsonl.gz"
	packages := packagesOf(b, name)
	dir := b.TempDir()
	var entries []entry
	for p, text := range packages {
		testkit.WriteFiles(b, dir, map[string][]byte{p + "/catalog.json": text})
		entries = append(entries, entry{name: "configs/" + p + "/catalog.json", body: string(text), kind: tar.TypeReg})
	}
	ref := layoutRef(newImage().layer(b, entries...).finish(b).layout(b))
	store := openStore(b, b.TempDir(), 0)
	open(b, ref, image.Options{Store: store})
	read := func(b *testing.B, fsys fs.FS) {
		require.Positive(b, testkit.Must(fbc.Load(context.Background(), fsys, fbc.Options{}))(b).Len())
	}
	b.Run("directory", func(b *testing.B) {
		for b.Loop() {
			read(b, os.DirFS(dir))
		}
	})
	b.Run("file", func(b *testing.B) {
		for b.Loop() {
			_, err := fbc.Load(context.Background(), testkit.Data(b, name), fbc.Options{File: name})
			require.NoError(b, err)
		}
	})
	b.Run("stored", func(b *testing.B) {
		for b.Loop() {
			f := testkit.Must(image.Open(context.Background(), ref, image.Options{Store: store}))(b)
			read(b, f)
			f.Close()
		}
	})
	b.Run("stored, open only", func(b *testing.B) {
		for b.Loop() {
			f := testkit.Must(image.Open(context.Background(), ref, image.Options{Store: store}))(b)
			f.Close()
		}
	})
	b.Run("image", func(b *testing.B) {
		for b.Loop() {
			f := testkit.Must(image.Open(context.Background(), ref, image.Options{}))(b)
			read(b, f)
			f.Close()
		}
	})
}

// packagesOf returns the blobs of each package of a catalog.
func packagesOf(b *testing.B, name string) map[string][]byte {
	packages := map[string][]byte{}
	for line := range testkit.Lines(b, name) {
		var blob struct{ Schema, Name, Package string }
		require.NoError(b, json.Unmarshal(line, &blob))
		if blob.Schema == "olm.package" {
			blob.Package = blob.Name
		}
		packages[blob.Package] = append(append(packages[blob.Package], line...), '\n')
	}
	return packages
}
