package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular says that something is not a regular file: reading a pipe or a
// device might never end.
var ErrNotRegular = errors.New("it is not a regular file")

// Reader is a reader that fails when its context has ended.
type Reader struct {
	Context context.Context
	In      io.Reader
}

// Read implements io.Reader.
func (r Reader) Read(p []byte) (int, error) {
	if err := r.Context.Err(); err != nil {
		return 0, err
	}
	return r.In.Read(p)
}

// Opened is a regular file that is read until its context has ended. It has no WriteTo,
// which would not look at that.
type Opened struct {
	Reader
	io.Seeker
	io.Closer
	// Size is its length when it was opened.
	Size int64
}

// Open opens a regular file.
func Open(ctx context.Context, name string) (*Opened, error) {
	info, err := os.Stat(name) // opening a pipe could wait without end
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil { // it may have been replaced meanwhile
		f.Close()
		return nil, err
	}
	return &Opened{Reader{ctx, f}, f, f, info.Size()}, nil
}
