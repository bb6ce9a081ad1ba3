package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"io/fs"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image/internal/store"
)

// storage is a storage that is only written.
type storage struct{ io.Writer }

func (storage) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// sealed returns a kept file with an index.
func sealed(t testing.TB, index store.Index, texts ...string) []byte {
	var b bytes.Buffer
	spool, err := store.NewSpool(storage{&b})
	require.NoError(t, err)
	for i, text := range texts {
		index.Entries[i].Content, err = spool.Add(strings.NewReader(text))
		require.NoError(t, err)
	}
	_, err = spool.Seal(index)
	require.NoError(t, err)
	return b.Bytes()
}

// TestSealed: a kept file holds what was put into it.
func TestSealed(t *testing.T) {
	data := sealed(t, store.Index{Folder: "/configs", Entries: []store.Entry{
		{Name: "a/b.json", Kind: store.File}, {Name: "c.json", Kind: store.File}, {Name: "d", Kind: store.Link, Target: "a"}}}, "text", "")
	fsys, index, err := store.Read(context.Background(), bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Equal(t, "/configs", index.Folder)
	for name, want := range map[string]string{"a/b.json": "text", "c.json": ""} {
		got, err := fs.ReadFile(fsys, name)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	below, err := fs.ReadDir(fsys, "d")
	require.NoError(t, err)
	require.Len(t, below, 1)
}

// FuzzRead: who can write to the folder of a store can put anything there, and nothing
// panics.
func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	data := sealed(f, store.Index{Entries: []store.Entry{{Name: "a", Kind: store.File}}}, "text")
	f.Add(data)
	for _, at := range []int64{-1, math.MinInt64, math.MaxInt64, 1 << 40} {
		forged := sealed(f, store.Index{Entries: []store.Entry{{Name: "a", Kind: store.File, Content: store.Content{At: at, Packed: at, Size: at}}}})
		f.Add(forged)
		var tail bytes.Buffer
		require.NoError(f, binary.Write(&tail, binary.BigEndian, store.Content{At: at, Packed: at, Size: at}))
		f.Add(append(bytes.Clone(data), tail.Bytes()...))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		fsys, _, err := store.Read(context.Background(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		_ = fs.WalkDir(fsys, ".", func(name string, _ fs.DirEntry, _ error) error {
			if file, err := fsys.Open(name); err == nil {
				_, _ = io.Copy(io.Discard, file)
				_ = file.Close()
			}
			return nil
		})
	})
}
