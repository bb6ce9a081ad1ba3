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

// LoadPath reads the catalog at a path of the operating system: a directory or file like [Load],
// and a pipe, such as /dev/stdin or the shell's <(zcat catalog.gz), like [Read]. It returns soon
// after the context ends, even if no process writes to the pipe.
func LoadPath(ctx context.Context, name string, opts Options) (*cache.Catalog, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, &UnreadableError{Name: name, Err: err}
	case info.IsDir():
		opts.File = ""
		return Load(ctx, os.DirFS(name), opts)
	case info.Mode().IsRegular():
		opts.File = filepath.Base(name)
		return Load(ctx, os.DirFS(filepath.Dir(name)), opts)
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

// pipe is a pipe that was opened without waiting for a writer.
type pipe struct {
	*os.File
	ctx     context.Context
	awaited bool // no writer was seen yet
}

// writerPause is the interval of checks for a writer.
const writerPause = 5 * time.Millisecond

// Read implements io.Reader. A pipe without a writer reads as io.EOF.
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

// interruptible is implemented by pipes and connections: their reads fail after the deadline.
type interruptible interface{ SetReadDeadline(time.Time) error }

// interrupt makes reads of r fail when the context ends, if r supports it, until release is called.
func interrupt(ctx context.Context, r io.Reader) (release func()) {
	d, ok := r.(interruptible)
	if !ok {
		return func() {}
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		_ = d.SetReadDeadline(time.Unix(1, 0)) // on an error, the read must return by itself
	})
	return func() {
		if !stop() {
			<-done
			_ = d.SetReadDeadline(time.Time{})
		}
	}
}
