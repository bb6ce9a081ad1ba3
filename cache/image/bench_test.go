package image_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/image"
)

// BenchmarkRead reads one catalog, a folder for each package as published ones
// have it, in each form that it can have on the disk. RESOLUTE_CATALOG names the
// catalog, as JSON lines compressed with gzip.
func BenchmarkRead(b *testing.B) {
	name := os.Getenv("RESOLUTE_CATALOG")
	if name == "" {
		name = "../../../shared/data/community-v4.19-full.jsonl.gz"
	}
	packages := packagesOf(b, name)
	dir := b.TempDir()
	var entries []entry
	for p, text := range packages {
		require.NoError(b, os.MkdirAll(filepath.Join(dir, p), 0o755))
		require.NoError(b, os.WriteFile(filepath.Join(dir, p, "catalog.json"), text, 0o644))
		entries = append(entries, entry{name: "configs/" + p + "/catalog.json", body: string(text), kind: tar.TypeReg})
	}
	ref := layoutRef(newImage().layer(b, entries...).finish(b).layout(b))
	store := openStore(b, b.TempDir(), 0)
	open(b, ref, image.Options{Store: store})
	read := func(b *testing.B, fsys fs.FS) {
		c, err := fbc.Load(context.Background(), fsys, fbc.Options{})
		require.NoError(b, err)
		require.Positive(b, c.Len())
	}
	b.Run("directory", func(b *testing.B) {
		for b.Loop() {
			read(b, os.DirFS(dir))
		}
	})
	b.Run("file", func(b *testing.B) {
		for b.Loop() {
			_, err := fbc.LoadFile(context.Background(), os.DirFS(filepath.Dir(name)), filepath.Base(name), fbc.Options{})
			require.NoError(b, err)
		}
	})
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			f, err := image.Open(context.Background(), ref, image.Options{Store: store})
			require.NoError(b, err)
			read(b, f)
			f.Close()
		}
	})
	b.Run("kept, opened only", func(b *testing.B) {
		for b.Loop() {
			f, err := image.Open(context.Background(), ref, image.Options{Store: store})
			require.NoError(b, err)
			f.Close()
		}
	})
	b.Run("image", func(b *testing.B) {
		for b.Loop() {
			f, err := image.Open(context.Background(), ref, image.Options{})
			require.NoError(b, err)
			read(b, f)
			f.Close()
		}
	})
}

// packagesOf returns the blobs of each package of a catalog.
func packagesOf(b *testing.B, name string) map[string][]byte {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		b.Skipf("there is no catalog %s here", name)
	}
	require.NoError(b, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(b, err)
	packages := map[string][]byte{}
	in := bufio.NewReader(z)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return packages
		}
		var blob struct{ Schema, Name, Package string }
		require.NoError(b, json.Unmarshal(bytes.TrimSpace(line), &blob))
		p := blob.Package
		if blob.Schema == "olm.package" {
			p = blob.Name
		}
		packages[p] = append(packages[p], line...)
	}
}
