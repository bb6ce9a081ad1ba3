package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular reports that a path is not a regular file. Reading a pipe or a device might
// block forever.
var ErrNotRegular = errors.New("it is not a regular file")

// Reader is a reader that fails after its context ends.
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

// Opened is a regular file that can be read until its context ends. It has no WriteTo, which
// would ignore the context.
type Opened struct {
	Reader
	io.Seeker
	io.Closer
	// Size is its length in bytes when it was opened.
	Size int64
}

// Open opens a regular file.
func Open(ctx context.Context, name string) (*Opened, error) {
	info, err := os.Stat(name) // opening a pipe may block
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
	if info, err = f.Stat(); err != nil { // the path may have been replaced since Stat
		f.Close()
		return nil, err
	}
	return &Opened{Reader{ctx, f}, f, f, info.Size()}, nil
}
