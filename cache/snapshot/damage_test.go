package snapshot_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/snapshot"
)

// requireCorrupt fails the test unless the data is refused as damaged.
func requireCorrupt(t *testing.T, data []byte, reason string) {
	t.Helper()
	c, err := snapshot.Decode(data, snapshot.Options{})
	var corrupt *snapshot.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Contains(t, corrupt.Reason, reason)
	require.Nil(t, c)
}

// TestEveryBit: there is no bit that can flip without being noticed.
func TestEveryBit(t *testing.T) {
	data := encoded(t, &cache.Content{Catalog: small(t), Digest: "sha256:0"})
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			_, err := snapshot.Decode(data, snapshot.Options{})
			var corrupt *snapshot.CorruptError
			if !errors.As(err, &corrupt) {
				t.Fatalf("bit %d of byte %d of %d flipped: %v", bit, i, len(data), err)
			}
			data[i] ^= 1 << bit
		}
	}
	_, err := snapshot.Decode(data, snapshot.Options{})
	require.NoError(t, err, "undamaged again")
}

// TestEveryTruncation: no snapshot is a beginning of another, nor goes on
// behind its end.
func TestEveryTruncation(t *testing.T) {
	data := encoded(t, &cache.Content{Catalog: small(t), Digest: "sha256:0"})
	for n := range data {
		_, err := snapshot.Decode(data[:n], snapshot.Options{})
		var corrupt *snapshot.CorruptError
		if !errors.As(err, &corrupt) {
			t.Fatalf("cut off after %d of %d bytes: %v", n, len(data), err)
		}
	}
	requireCorrupt(t, append(data, 0), "more behind its end")
	requireCorrupt(t, append(data, data...), "more behind its end")
}

// TestRuns: runs of zeros, as a disk leaves them after a crash, blocks that
// changed places, and random bytes are noticed.
func TestRuns(t *testing.T) {
	data := encoded(t, &cache.Content{Catalog: small(t), Digest: "sha256:0"})
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		damaged := bytes.Clone(data)
		from := r.IntN(len(data))
		to := from + 1 + r.IntN(len(data)-from)
		switch r.IntN(3) {
		case 0:
			clear(damaged[from:to])
		case 1:
			copy(damaged[from:to], data[r.IntN(len(data)):])
		case 2:
			for i := from; i < to; i++ {
				damaged[i] = byte(r.Uint32())
			}
		}
		if bytes.Equal(damaged, data) {
			continue
		}
		_, err := snapshot.Decode(damaged, snapshot.Options{})
		var corrupt *snapshot.CorruptError
		require.ErrorAs(t, err, &corrupt)
	}
}

// TestForeign: what is no snapshot at all is called that.
func TestForeign(t *testing.T) {
	jsonl, err := os.ReadFile("testdata/small.jsonl")
	require.NoError(t, err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(jsonl)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for name, data := range map[string][]byte{
		"JSON": jsonl, "gzip": packed.Bytes(), "zeros": make([]byte, 1000), "text": []byte("hello"),
		"PNG": []byte("\x89PNG\r\n\x1a\n"), "line ends converted": []byte("\x89RSL\n\x1a\n" + strings.Repeat("x", 100)),
	} {
		t.Run(name, func(t *testing.T) { requireCorrupt(t, data, "no snapshot of a catalog") })
	}
	requireCorrupt(t, nil, "empty")
}

// TestVersions: a whole snapshot of another format or build is told from a
// damaged one.
func TestVersions(t *testing.T) {
	body, err := snapshot.Body(&cache.Content{Catalog: small(t), Digest: "sha256:0"})
	require.NoError(t, err)
	_, err = snapshot.Decode(snapshot.Seal(body), snapshot.Options{})
	require.NoError(t, err)

	var version *snapshot.VersionError
	_, err = snapshot.Decode(snapshot.SealAs([]byte("of the future"), snapshot.FormatVersion+1, 0), snapshot.Options{})
	require.ErrorAs(t, err, &version)
	require.EqualValues(t, 2, version.Format)
	require.EqualValues(t, 1, version.Want)
	require.EqualError(t, version, "snapshot cannot be used, because it is of format 2 and this program reads format 1: load the catalog from its source, and write the snapshot again")

	_, err = snapshot.Decode(snapshot.SealAs(body, snapshot.FormatVersion, 1), snapshot.Options{})
	require.ErrorAs(t, err, &version)
	require.Equal(t, version.Format, version.Want)
	require.Equal(t, version.WantBuild+1, version.Build)
	require.ErrorContains(t, err, "another build of the program wrote it")

	damaged := snapshot.SealAs(body, snapshot.FormatVersion+1, 0)
	damaged[len(damaged)/2] ^= 1
	requireCorrupt(t, damaged, "checksum")
}

// TestBuild: whatever decides what becomes of a catalog is part of the build.
func TestBuild(t *testing.T) {
	info := func(version string) *debug.BuildInfo {
		return &debug.BuildInfo{
			Main: debug.Module{Path: "example.com/controller", Version: "v1.0.0"},
			Deps: []*debug.Module{{Path: "github.com/seed109e2655/resolute", Version: version}, {Path: "example.com/other", Version: "v1.0.0"}},
		}
	}
	here := snapshot.BuildOf(info("v1.0.0"), "shape")
	require.Equal(t, here, snapshot.BuildOf(info("v1.0.0"), "shape"))
	require.NotEqual(t, here, snapshot.BuildOf(info("v1.0.1"), "shape"))
	require.NotEqual(t, here, snapshot.BuildOf(info("v1.0.0"), "another shape"))
	require.NotEqual(t, here, snapshot.BuildOf(nil, "shape"))
	replaced := info("v1.0.0")
	replaced.Deps[0].Replace = &debug.Module{Path: "../fork", Version: "v0"}
	require.NotEqual(t, here, snapshot.BuildOf(replaced, "shape"))
	unrelated := info("v1.0.0")
	unrelated.Main.Version, unrelated.Deps[1].Version = "v2.0.0", "v2.0.0"
	require.Equal(t, here, snapshot.BuildOf(unrelated, "shape"))
	commit := func(revision string) *debug.BuildInfo {
		return &debug.BuildInfo{
			Main:     debug.Module{Path: "github.com/seed109e2655/resolute", Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}},
		}
	}
	require.NotEqual(t, snapshot.BuildOf(commit("a"), "shape"), snapshot.BuildOf(commit("b"), "shape"))
	require.Contains(t, snapshot.Shape(), "graph.Bundle\n\t ID int32\n\t Name string\n")
}

// TestOrigin: a snapshot of something else is not believed.
func TestOrigin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "snapshot")
	write := snapshot.WriteOptions{Origin: "https://a.example"}
	require.NoError(t, write.Write(path, &cache.Content{Catalog: small(t), Digest: "sha256:0"}))
	for _, same := range []string{"", "https://a.example"} {
		_, err := snapshot.Open(path, snapshot.Options{Origin: same})
		require.NoError(t, err)
	}
	_, err := snapshot.Open(path, snapshot.Options{Origin: "https://b.example"})
	var origin *snapshot.OriginError
	require.ErrorAs(t, err, &origin)
	require.Equal(t, snapshot.OriginError{Path: path, Origin: "https://a.example", Want: "https://b.example"}, *origin)
	require.ErrorContains(t, err, "give each catalog a file of its own")
}

// TestPaths: errors name the file.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	_, err := snapshot.Open(filepath.Join(dir, "absent"), snapshot.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)

	path := filepath.Join(dir, "snapshot")
	require.NoError(t, snapshot.Write(path, &cache.Content{Catalog: small(t), Digest: "sha256:0"}))
	var corrupt *snapshot.CorruptError
	_, err = snapshot.Open(path, snapshot.Options{MaxBytes: 100})
	require.ErrorAs(t, err, &corrupt)
	require.ErrorContains(t, err, "more than the 100 that a snapshot may have")
	_, err = snapshot.Open(dir, snapshot.Options{})
	require.ErrorAs(t, err, &corrupt)
	require.ErrorContains(t, err, "not a regular file")
	require.Equal(t, dir, corrupt.Path)
	require.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
	_, err = snapshot.Open(path, snapshot.Options{MaxBytes: -1})
	require.ErrorAs(t, err, &corrupt)
	require.EqualError(t, err, `snapshot "`+path+`" cannot be used, because it is no snapshot of a catalog: load the catalog from its source, and write the snapshot again`)
	require.NoError(t, os.WriteFile(path, snapshot.SealAs(nil, 7, 0), 0o600))
	var version *snapshot.VersionError
	_, err = snapshot.Open(path, snapshot.Options{})
	require.ErrorAs(t, err, &version)
	require.Equal(t, path, version.Path)
}

// TestHostile: a body that claims to hold more than it can, or points at what
// is not there, is refused though its checksum is right.
func TestHostile(t *testing.T) {
	head := []byte{0, 0, 0, 0} // origin, digest, validator, no time
	uvarint := func(v uint64) []byte { return binary.AppendUvarint(nil, v) }
	for name, body := range map[string][]byte{
		"nothing":             nil,
		"half a head":         {5, 'a'},
		"endless number":      bytes.Repeat([]byte{0xff}, 20),
		"no such time":        append([]byte{0, 0, 0, 1, 0}, uvarint(1e9)...),
		"two billion names":   append(bytes.Clone(head), append(uvarint(1<<31-3), 0)...),
		"2^62 names":          append(bytes.Clone(head), append(uvarint(1<<62), 0)...),
		"strange column":      append(bytes.Clone(head), 1, 3, 0),
		"name beyond the end": append(bytes.Clone(head), 1, 1, 200),
		"names out of order":  append(bytes.Clone(head), 2, 1, 1, 1, 'b', 'a'),
		"equal names":         append(bytes.Clone(head), 2, 1, 1, 1, 'a', 'a'),
	} {
		t.Run(name, func(t *testing.T) { requireCorrupt(t, snapshot.Seal(body), "") })
	}
	body, err := snapshot.Body(&cache.Content{Catalog: small(t), Digest: "sha256:0"})
	require.NoError(t, err)
	requireCorrupt(t, snapshot.Seal(append(bytes.Clone(body), 0)), "more behind its end")
	for n := range body {
		requireCorrupt(t, snapshot.Seal(body[:n]), "")
	}
}
