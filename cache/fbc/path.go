package fbc

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/seed109e2655/resolute/cache"
)

// LoadPath reads the catalog at a path of the operating system: a directory as
// [Load] does, a file as [LoadFile] does, and a pipe, such as /dev/stdin or what
// a shell makes of <(zcat catalog.gz), as [Read] does. Reading ends soon after
// the context does, also while no process writes to a pipe.
func LoadPath(ctx context.Context, name string, opts Options) (*cache.Catalog, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, &UnreadableError{Name: name, Err: err}
	case info.IsDir():
		return Load(ctx, os.DirFS(name), opts)
	case info.Mode().IsRegular():
		return LoadFile(ctx, os.DirFS(filepath.Dir(name)), filepath.Base(name), opts)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, &UnreadableError{Name: name, Err: err}
	}
	defer f.Close()
	p := &pipe{File: f, ctx: ctx}
	if link, err := os.Lstat(name); err == nil {
		p.awaited = link.Mode()&fs.ModeNamedPipe != 0
	}
	return Read(ctx, p, filepath.Base(name), opts)
}

// pipe is a pipe that was opened without waiting for somebody to write to it.
type pipe struct {
	*os.File
	ctx     context.Context
	awaited bool // no process has written to it, as far as is known
}

// writerPause is how long to wait between two looks whether there is a writer.
const writerPause = 5 * time.Millisecond

// Read implements io.Reader. As long as no process has opened the pipe to write to
// it, it seems to be at its end.
func (p *pipe) Read(b []byte) (int, error) {
	for {
		n, err := p.File.Read(b)
		if err != io.EOF || !p.awaited {
			p.awaited = false
			return n, err
		}
		if err := sleep(p.ctx, writerPause); err != nil {
			return 0, err
		}
	}
}

// interruptible is what a pipe or connection can do: a time from which its reads
// fail.
type interruptible interface{ SetReadDeadline(time.Time) error }

// interrupt makes reads of r fail when the context ends, if it can do that, until
// the function that it returns is called.
func interrupt(ctx context.Context, r io.Reader) (release func()) {
	d, ok := r.(interruptible)
	if !ok {
		return func() {}
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		_ = d.SetReadDeadline(time.Unix(1, 0)) // what cannot be interrupted has to end by itself
	})
	return func() {
		if !stop() {
			<-done
			_ = d.SetReadDeadline(time.Time{})
		}
	}
}
