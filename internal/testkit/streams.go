package testkit

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Gzip compresses text.
func Gzip[T ~string | ~[]byte](text T) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// Repeat is a reader of so many bytes of the same text again and again, which it does not
// hold.
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

// ErrFull is what a full disk says.
var ErrFull = errors.New("no space left")

// Full is a disk that is full once it took so many bytes.
type Full int

func (f *Full) Write(p []byte) (int, error) {
	n := min(len(p), int(*f))
	if *f -= Full(n); n < len(p) {
		return n, ErrFull
	}
	return n, nil
}

// Looks is a context that counts how often it is looked at.
type Looks struct {
	context.Context
	// End is after how many looks it is cancelled: never if it is 0.
	End int64
	n   atomic.Int64
}

func (l *Looks) Err() error {
	if n := l.n.Add(1); l.End > 0 && n > l.End {
		return context.Canceled
	}
	return l.Context.Err()
}

// N is how often it was looked at.
func (l *Looks) N() int { return int(l.n.Load()) }

// Real returns the path of a real catalog, or of other real data, which lies beside the
// checkout in ../shared/data. Where it does not, the test is skipped.
func Real(t testing.TB, name string) string {
	t.Helper()
	dir := Must(os.Getwd())(t)
	for {
		path := filepath.Join(dir, "..", "shared", "data", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skipf("../shared/data/%s is not beside the checkout", name)
		}
		dir = up
	}
}

// WriteFiles writes files below a folder, and the folders that they lie in.
func WriteFiles[T ~string | ~[]byte](t require.TestingT, dir string, files map[string]T) {
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}
