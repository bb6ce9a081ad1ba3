package store_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image/internal/store"
)

// packed returns an archive of entries with these texts.
func packed(t testing.TB, comment string, entries []store.Entry, texts ...string) *store.Memory {
	spool := store.NewSpool(&store.Memory{})
	for i, text := range texts {
		var err error
		entries[i].Content, err = spool.Add(strings.NewReader(text))
		require.NoError(t, err)
	}
	to := &store.Memory{}
	require.NoError(t, spool.Pack(context.Background(), to, entries, comment))
	return to
}

// TestPacked: a file system holds what was put into it, whatever came between.
func TestPacked(t *testing.T) {
	data := packed(t, "comment", []store.Entry{
		{Name: "a/b.json", Kind: store.File}, {Name: "c.json", Kind: store.File}, {Name: "d", Kind: store.Link, Target: "a"},
		{Name: "e", Kind: store.Link, Target: "e"}, {Name: "f", Kind: store.Link, Target: "none"}, {Name: "g", Kind: store.Folder},
	}, strings.Repeat("text", 1000), "")
	fsys, err := store.New(context.Background(), data, int64(data.Len()))
	require.NoError(t, err)
	require.Equal(t, "comment", fsys.Comment())
	entries, size := fsys.Size()
	require.EqualValues(t, 6, entries)
	require.EqualValues(t, 4000, size)
	for name, want := range map[string]string{"a/b.json": strings.Repeat("text", 1000), "c.json": ""} {
		got, err := fs.ReadFile(fsys, name)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	for name, want := range map[string]int{"d": 1, "g": 0, ".": 6} {
		below, err := fs.ReadDir(fsys, name)
		require.NoError(t, err)
		require.Len(t, below, want, name)
	}
	info, err := fs.Stat(fsys, "d")
	require.NoError(t, err)
	require.True(t, info.IsDir())
	require.Equal(t, "d", info.Name())
	for _, name := range []string{"e", "f"} {
		_, err := fsys.Open(name)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
}

// FuzzRead: who can write to the folder of a store can put anything there, and nothing
// panics.
func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	data := packed(f, "", []store.Entry{{Name: "a", Kind: store.File}, {Name: "b", Kind: store.Link, Target: "a"}}, "text").Bytes()
	f.Add(data)
	for i := range data { // sizes and places that lead anywhere
		forged := bytes.Clone(data)
		for j := i; j < min(i+4, len(data)); j++ {
			forged[j] = 0xff
		}
		f.Add(forged)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		fsys, err := store.New(context.Background(), bytes.NewReader(data), int64(len(data)))
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
