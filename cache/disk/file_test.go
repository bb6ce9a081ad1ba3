package disk_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// content returns a small content with a given digest.
func content(t require.TestingT, digest string) *cache.Content {
	return &cache.Content{Catalog: small(t), Digest: digest, Validator: "validator of " + digest}
}

// names lists a directory.
func names(t require.TestingT, dir string) []string {
	entries := testkit.Must(os.ReadDir(dir))(t)
	out := testkit.Map(entries, func(e os.DirEntry) string { return e.Name() })
	return out
}

func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the file system has no such permissions")
	}
	dir := t.TempDir()
	for _, tt := range []struct{ given, want fs.FileMode }{{0, 0o600}, {0o644, 0o644}, {fs.ModeSetuid | 0o640, 0o640}} {
		path := filepath.Join(dir, "copy")
		require.NoError(t, disk.Write(context.Background(), path, content(t, "sha256:1"), disk.Options{Mode: tt.given}))
		require.Equal(t, tt.want, testkit.Must(os.Stat(path))(t).Mode())
	}
}

// TestNothing: a content that cannot be written is an error and leaves no file.
func TestNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "copy")
	odd := graph.Build(graph.PackageDecl{Name: "odd\xff"}, graph.Options{})
	for reason, c := range map[string]*cache.Content{
		"without a catalog": {}, "not valid UTF-8": {Catalog: cache.NewCatalog([]*graph.Package{odd}, nil), Digest: "sha256:0"},
	} {
		require.ErrorContains(t, disk.Write(context.Background(), path, c, disk.Options{}), reason)
	}
	require.Error(t, disk.Write(context.Background(), path, nil, disk.Options{}))
	ended := testkit.Ended()
	require.ErrorIs(t, disk.Write(ended, path, content(t, "sha256:1"), disk.Options{}), context.Canceled)
	require.Empty(t, names(t, dir))
	require.NoError(t, disk.Write(context.Background(), path, content(t, "sha256:1"), disk.Options{}))
	_, err := disk.Read(ended, path, disk.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestSweep: only temporary files of killed writers are removed.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "copy")
	prefix := disk.TemporaryPrefix(path)
	create := func(name string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte("x"), 0o600))
		return name
	}
	left := []string{create(prefix + "1.tmp"), create(prefix + "4294967295.tmp")}
	stay := []string{
		create(prefix + "1"), create(prefix + "x.tmp"), create(prefix + "1-2.tmp"), create("." + "other-1.tmp"),
		create("copy-1.tmp"), create("unrelated"),
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, prefix+"2.tmp"), 0o700))
	require.NoError(t, disk.Write(context.Background(), path, content(t, "sha256:1"), disk.Options{}))
	for _, name := range left {
		if runtime.GOOS != "windows" { // Windows checks only the age
			require.NoFileExists(t, name)
		}
	}
	for _, name := range stay {
		require.FileExists(t, name)
	}
	require.DirExists(t, filepath.Join(dir, prefix+"2.tmp"))
}

// TestNowhere: a directory that is not writable is an error and leaves no file.
func TestNowhere(t *testing.T) {
	dir := t.TempDir()
	err := disk.Write(context.Background(), filepath.Join(dir, "absent", "copy"), content(t, "sha256:1"), disk.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "the copy of the catalog cannot be written: ")

	occupied := filepath.Join(dir, "occupied")
	require.NoError(t, os.Mkdir(occupied, 0o700))
	require.Error(t, disk.Write(context.Background(), occupied, content(t, "sha256:1"), disk.Options{}))
	require.Equal(t, []string{"occupied"}, names(t, dir))
}

// TestZcat: other tools can read a copy, and its header is correct.
func TestZcat(t *testing.T) {
	zcat, err := exec.LookPath("zcat")
	if err != nil {
		t.Skip("needs zcat")
	}
	path := filepath.Join(t.TempDir(), "copy.gz")
	c := content(t, "sha256:1")
	require.NoError(t, disk.Write(context.Background(), path, c, disk.Options{Origin: "https://a.example"}))
	file := testkit.Must(os.Open(path))(t)
	defer file.Close()
	cmd := exec.Command(zcat)
	cmd.Stdin = file
	out := testkit.Must(cmd.Output())(t)
	first, rest, _ := strings.Cut(string(out), "\n")
	require.Contains(t, first, `"schema":"resolute.copy"`)
	require.Contains(t, first, `"origin":"https://a.example","digest":"sha256:1","validator":"validator of sha256:1"`)
	var lines strings.Builder
	require.NoError(t, fbc.Write(&lines, c.Catalog, fbc.WriteOptions{Exact: true}))
	require.Equal(t, lines.String(), rest)
	copied, err := fbc.Load(context.Background(), os.DirFS(filepath.Dir(path)), fbc.Options{File: "copy.gz"})
	require.NoError(t, err, "a copy is a valid file-based catalog for other readers")
	require.NotNil(t, copied.Package("etcd"))
}
