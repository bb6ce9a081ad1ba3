package snapshot_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/snapshot"
	"github.com/seed109e2655/resolute/graph"
)

// content returns a small content whose digest tells it from others.
func content(t require.TestingT, digest string) *cache.Content {
	return &cache.Content{Catalog: small(t), Digest: digest, Validator: "validator of " + digest}
}

// names lists what lies in a directory.
func names(t require.TestingT, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "snapshot")
	for _, digest := range []string{"sha256:1", "sha256:2"} {
		require.NoError(t, snapshot.Write(path, content(t, digest)))
		got, err := snapshot.Open(path, snapshot.Options{})
		require.NoError(t, err)
		require.Equal(t, digest, got.Digest)
		require.Equal(t, []string{"snapshot"}, names(t, dir))
	}
}

func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such permissions here")
	}
	dir := t.TempDir()
	for _, tt := range []struct{ given, want fs.FileMode }{{0, 0o600}, {0o644, 0o644}, {fs.ModeSetuid | 0o640, 0o640}} {
		path := filepath.Join(dir, "snapshot")
		require.NoError(t, snapshot.WriteOptions{Mode: tt.given}.Write(path, content(t, "sha256:1")))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, tt.want, info.Mode())
	}
}

// TestUnfit: a catalog that would not come back as it is is not saved.
func TestUnfit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "snapshot")
	foreign := &graph.Bundle{ID: -1, Name: "b", Package: "another"}
	unsorted := &graph.Package{Name: "p", Bundles: []*graph.Bundle{{ID: -1, Name: "b", Package: "p"}, {ID: -1, Name: "a", Package: "p"}}}
	more, moved := small(t).Package("kafka").Clone(), small(t).Package("kafka").Clone()
	more.Bundles[0].Places = append(more.Bundles[0].Places, graph.Place{Channel: more.Channels[0], Position: 5})
	moved.Bundles[0].Places[0].Position = 5
	lines := &graph.Package{Name: "p", Pos: graph.Pos{Line: -1}}
	for reason, p := range map[string]*graph.Package{
		"a bundle of another":      {Name: "p", Bundles: []*graph.Bundle{foreign}},
		"a channel of another":     {Name: "p", Channels: []*graph.Channel{{Name: "c"}}},
		"are not in order":         unsorted,
		"has a place outside of":   more,
		"do not follow from":       moved,
		"the number -1 where only": lines,
	} {
		t.Run(reason, func(t *testing.T) {
			err := snapshot.Write(path, &cache.Content{Catalog: cache.NewCatalog([]*graph.Package{p}, nil), Digest: "sha256:0"})
			var unfit *snapshot.UnfitError
			require.ErrorAs(t, err, &unfit)
			require.ErrorContains(t, err, reason)
			require.Empty(t, names(t, dir))
		})
	}
	for _, c := range []*cache.Content{nil, {}} {
		var unfit *snapshot.UnfitError
		require.ErrorAs(t, snapshot.Encode(io.Discard, c), &unfit)
	}
}

// TestSweep: what killed writers left behind goes, and nothing else does.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "snapshot")
	prefix := snapshot.TemporaryPrefix(path)
	create := func(name string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte("x"), 0o600))
		return name
	}
	left := []string{create(prefix + "1.tmp"), create(prefix + "4294967295.tmp")}
	stay := []string{
		create(prefix + "1"), create(prefix + "x.tmp"), create(prefix + "1-2.tmp"), create("." + "other-1.tmp"),
		create("snapshot-1.tmp"), create("unrelated"),
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, prefix+"2.tmp"), 0o700))
	require.NoError(t, snapshot.Write(path, content(t, "sha256:1")))
	for _, name := range left {
		if runtime.GOOS != "windows" { // where only age tells
			require.NoFileExists(t, name)
		}
	}
	for _, name := range stay {
		require.FileExists(t, name)
	}
	require.DirExists(t, filepath.Join(dir, prefix+"2.tmp"))
}

// TestConcurrentWriters: of several that write at the same time one wins, and
// readers see one content or another, never a mix and never an error.
func TestConcurrentWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "snapshot")
	contents := make([]*cache.Content, 4)
	for i := range contents {
		contents[i] = content(t, fmt.Sprintf("sha256:%d", i))
	}
	require.NoError(t, snapshot.Write(path, contents[0]))
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for _, c := range contents {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for range 25 {
				if err := snapshot.Write(path, c); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for range 2 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for {
				select {
				case <-done:
					return
				default:
				}
				got, err := snapshot.Open(path, snapshot.Options{})
				if err != nil || got.Validator != "validator of "+got.Digest {
					t.Errorf("%+v, %v", got, err)
					return
				}
			}
		}()
	}
	writers.Wait()
	close(done)
	readers.Wait()
	require.Equal(t, []string{"snapshot"}, names(t, dir))
}

// TestNowhere: where nothing can be written there is an error that says so, and
// nothing is left behind.
func TestNowhere(t *testing.T) {
	dir := t.TempDir()
	err := snapshot.Write(filepath.Join(dir, "absent", "snapshot"), content(t, "sha256:1"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "the snapshot cannot be saved: ")

	occupied := filepath.Join(dir, "occupied")
	require.NoError(t, os.Mkdir(occupied, 0o700))
	require.Error(t, snapshot.Write(occupied, content(t, "sha256:1")))
	require.Equal(t, []string{"occupied"}, names(t, dir))
}

// TestPipe: opening what is no file does not wait for ever.
func TestPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such pipes here")
	}
	path := filepath.Join(t.TempDir(), "pipe")
	makePipe(t, path)
	done := make(chan error, 1)
	go func() {
		_, err := snapshot.Open(path, snapshot.Options{})
		done <- err
	}()
	select {
	case err := <-done:
		var corrupt *snapshot.CorruptError
		require.ErrorAs(t, err, &corrupt)
	case <-time.After(10 * time.Second):
		t.Fatal("it waits")
	}
}

// big returns a content whose snapshot does not fit on a small disk.
func big(t require.TestingT, digest string) *cache.Content {
	text := strings.Repeat("x", 600<<10)
	return &cache.Content{Catalog: cache.NewCatalog(nil, []graph.Problem{{Message: text}}), Digest: digest}
}

// requireOld fails the test unless a file still has its old content, alone.
func requireOld(t *testing.T, dir, path string) {
	t.Helper()
	got, err := snapshot.Open(path, snapshot.Options{})
	require.NoError(t, err)
	require.Equal(t, "sha256:old", got.Digest)
	require.Equal(t, []string{filepath.Base(path)}, names(t, dir))
}

// TestReadOnly: where the directory may not be written to, the old content
// stays.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "snapshot")
	require.NoError(t, snapshot.Write(path, content(t, "sha256:old")))
	makeReadOnly(t, dir)
	err := snapshot.Write(path, content(t, "sha256:new"))
	require.Error(t, err)
	require.True(t, errors.Is(err, fs.ErrPermission) || isReadOnly(err), "%v", err)
	requireOld(t, dir, path)
}

// TestFull: when the disk is full the old content stays, and what was written
// of the new one is gone.
func TestFull(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "snapshot")
	require.NoError(t, snapshot.Write(path, content(t, "sha256:old")))
	for range 3 {
		err := snapshot.Write(path, big(t, "sha256:new"))
		require.True(t, isFull(err), "%v", err)
		requireOld(t, dir, path)
	}
	require.NoError(t, snapshot.Write(path, content(t, "sha256:new")), "there is room for a small one")
}
