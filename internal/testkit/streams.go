package testkit

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
)

// Gzip compresses text.
func Gzip[T ~string | ~[]byte](text T) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer accepts every write
	_ = w.Close()
	return b.Bytes()
}

// Repeat reads the given number of bytes of repeated text without storing
// them.
func Repeat(text string, bytes int64) io.Reader {
	return io.LimitReader(&repeater{text: text}, bytes)
}

type repeater struct {
	text string
	at   int
}

func (r *repeater) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], r.text[r.at:])
		r.at, n = (r.at+c)%len(r.text), n+c
	}
	return n, nil
}

// ErrFull is the error of a full disk.
var ErrFull = errors.New("no space left")

// Full is a disk that is full after this many bytes.
type Full int

func (f *Full) Write(p []byte) (int, error) {
	n := min(len(p), int(*f))
	if *f -= Full(n); n < len(p) {
		return n, ErrFull
	}
	return n, nil
}

// WriteFiles writes files and their folders below a folder.
func WriteFiles[T ~string | ~[]byte](t require.TestingT, dir string, files map[string]T) {
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}
