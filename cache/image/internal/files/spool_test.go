package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image/internal/files"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// archived returns an archive of entries with these texts.
func archived(t testing.TB, comment string, entries []files.Entry, texts ...string) (*files.FS, []byte) {
	to := &files.Memory{}
	spool := files.NewSpool(to)
	for i, text := range texts {
		entries[i].Content = testkit.Must(spool.Add(entries[i].Name, strings.NewReader(text)))(t)
	}
	fsys := testkit.Must(spool.Finish(context.Background(), entries, comment))(t)
	sum := sha256.Sum256(to.Bytes())
	require.Equal(t, sum[:], spool.Sum())
	return fsys, to.Bytes()
}

// TestPacked: a file system contains the files added to it, and no other content.
func TestPacked(t *testing.T) {
	fsys, _ := archived(t, "comment", []files.Entry{
		{Name: "a/b.json", Kind: files.File}, {Name: "c.json", Kind: files.File}, {Name: "d", Kind: files.Link, Target: "a"},
		{Name: "e", Kind: files.Link, Target: "e"}, {Name: "f", Kind: files.Link, Target: "none"}, {Name: "g", Kind: files.Folder},
	}, strings.Repeat("text", 1000), "")
	require.Equal(t, "comment", fsys.Comment())
	entries, size := fsys.Size()
	require.EqualValues(t, 6, entries)
	require.EqualValues(t, 4000, size)
	for name, want := range map[string]string{"a/b.json": strings.Repeat("text", 1000), "c.json": ""} {
		got := testkit.Must(fs.ReadFile(fsys, name))(t)
		require.Equal(t, want, string(got))
	}
	for name, want := range map[string]int{"d": 1, "g": 0, ".": 6} {
		below := testkit.Must(fs.ReadDir(fsys, name))(t)
		require.Len(t, below, want, name)
	}
	info := testkit.Must(fs.Stat(fsys, "d"))(t)
	require.True(t, info.IsDir())
	for _, name := range []string{"e", "f"} {
		_, err := fsys.Open(name)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
}

// TestContents: an unused content is omitted, and a shared one is the content of each of its
// files.
func TestContents(t *testing.T) {
	to := &files.Memory{}
	spool := files.NewSpool(to)
	var contents []files.Content
	for _, text := range []string{"one", "two", "three"} {
		c := testkit.Must(spool.Add(text, strings.NewReader(strings.Repeat(text, 1000))))(t)
		contents = append(contents, c)
	}
	fsys, err := spool.Finish(context.Background(), []files.Entry{
		{Name: "a", Kind: files.File, Content: contents[2]}, {Name: "b", Kind: files.File, Content: contents[2]}, {Name: "c", Kind: files.File, Content: contents[0]},
		{Name: "d", Kind: files.File, Content: contents[2]},
	}, "")
	require.NoError(t, err)
	again := testkit.Must(files.New(context.Background(), to, int64(to.Len())))(t)
	for _, f := range []*files.FS{fsys, again} {
		entries, size := f.Size()
		require.EqualValues(t, 4, entries)
		require.EqualValues(t, 18_000, size)
		for name, want := range map[string]string{"a": "three", "b": "three", "c": "one", "d": "three"} {
			got := testkit.Must(fs.ReadFile(f, name))(t)
			require.Equal(t, strings.Repeat(want, 1000), string(got))
		}
		require.NoError(t, fstest.TestFS(f, "a", "b", "c", "d"))
		_, err := f.Open("two")
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

// FuzzRead: a store may contain arbitrary files, and none causes a panic.
func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	_, data := archived(f, "", []files.Entry{{Name: "a", Kind: files.File}, {Name: "b", Kind: files.Link, Target: "a"}}, "text")
	f.Add(data)
	for i := range data { // arbitrary sizes and offsets
		forged := bytes.Clone(data)
		for j := i; j < min(i+4, len(data)); j++ {
			forged[j] = 0xff
		}
		f.Add(forged)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		fsys, err := files.New(context.Background(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		_ = fs.WalkDir(fsys, ".", func(name string, _ fs.DirEntry, _ error) error {
			if file, err := fsys.Open(name); err == nil {
				_, _ = io.Copy(io.Discard, io.LimitReader(file, 1<<20))
				_ = file.Close()
			}
			return nil
		})
	})
}
