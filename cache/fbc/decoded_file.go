package fbc

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"github.com/seed109e2655/resolute/cache/fbc/internal/blob"
	"github.com/seed109e2655/resolute/cache/fbc/internal/declare"
	"github.com/seed109e2655/resolute/cache/fbc/internal/limit"
)

// digest is a SHA-256.
type digest [sha256.Size]byte

// decodedFile is what one file declares, and what is known of the file. It is
// immutable.
type decodedFile struct {
	*declare.File
	digest digest // of the content as it was stored or sent
	size   size   // what counts against the limits
	cause  error  // why the file could not be opened
	failed bool   // the file could not be read to its end
}

// fileReader reads files. It holds what those share that are read at a time.
type fileReader struct {
	how     manner
	opts    *Options
	budget  *budget
	workers declare.Workers // for each file
}

// newFileReader returns a reader of so many files. What is kept of the
// catalog without being read counts against its limits.
func newFileReader(how manner, files int, kept size) *fileReader {
	opts := how.opts
	atOnce := max(1, min(opts.Parallel, files))
	return &fileReader{
		how: how, opts: opts, workers: declare.Workers{Count: opts.Parallel / atOnce, Pools: &declare.Pools{}},
		budget: &budget{opts: opts, files: files, kept: kept},
	}
}

// read reads a file, which is called name in problems. What it cannot open is
// a problem of the decoded file. The error is one that ends the reading of the
// catalog.
func (r *fileReader) read(ctx context.Context, name string, open func() (io.ReadCloser, error)) (*decodedFile, error) {
	f, cause := open()
	if cause == nil {
		defer f.Close()
	}
	h := r.how.hashing(ctx, f, cause)
	p, err := r.decode(h, name, false, cause)
	if err != nil {
		return nil, err
	}
	p.cause, p.failed = cause, h.err != nil
	return p, ctx.Err()
}

// decode reads a stream to its end, unless there is a reason that it cannot be read.
func (r *fileReader) decode(h *hashing, name string, json bool, cause error) (*decodedFile, error) {
	own := r.budget.child()
	pool := r.workers.Pools.Take()
	defer r.workers.Pools.Give(pool)
	c := declare.New(h.ctx, name, &r.opts.declare, pool, own)
	if cause != nil {
		c.Problem(blob.Unreadable(0, cause))
	} else {
		if err := c.Read(h, own.input(name, json), r.workers); err != nil {
			return nil, err
		}
		h.drain()
	}
	p := &decodedFile{File: c.File(), size: own.size()}
	h.sum.Sum(p.digest[:0])
	return p, nil
}

// share makes declarations of an earlier file take the place of equal ones.
func (p *decodedFile) share(earlier *decodedFile) *decodedFile {
	if earlier != nil {
		p.File.Share(earlier.File)
	}
	return p
}

// hashing digests what is read, and ends with the context.
type hashing struct {
	ctx  context.Context
	r    io.Reader
	sum  hash.Hash
	left int64 // bytes that may still be read
	idle int   // reads in a row that gave nothing
	err  error // why reading failed
}

// hashing returns a reader of r, or of nothing if there is an error already.
func (how manner) hashing(ctx context.Context, r io.Reader, err error) *hashing {
	h := &hashing{ctx: ctx, r: r, sum: sha256.New(), left: int64(limit.None)}
	if how.once {
		h.sum = noHash{h.sum}
	}
	if err != nil {
		h.fail(err)
	}
	return h
}

// noHash is a hash of nothing.
type noHash struct{ hash.Hash }

// Write implements io.Writer.
func (noHash) Write(p []byte) (int, error) { return len(p), nil }

// fail notes why reading failed. A part must not have the digest of a whole.
func (h *hashing) fail(err error) {
	if h.err == nil {
		h.err = err
		h.sum.Write([]byte(err.Error()))
	}
}

// errTooLong says that there is more than may be read.
var errTooLong = errors.New("too long")

// maxIdle is how often a reader may return nothing in a row. One that keeps
// doing so is broken.
const maxIdle = 100

// Read implements io.Reader.
func (h *hashing) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		h.fail(err)
		return 0, err
	}
	n, err := h.r.Read(p)
	h.sum.Write(p[:n])
	if h.idle++; n > 0 {
		h.idle = 0
	} else if h.idle >= maxIdle && err == nil {
		err = io.ErrNoProgress
	}
	if h.left -= int64(n); h.left < 0 {
		err = errTooLong
	}
	if err != nil && err != io.EOF {
		h.fail(err)
	}
	return n, err
}

// drain reads the rest.
func (h *hashing) drain() {
	if h.err == nil {
		_, _ = io.Copy(io.Discard, h) // h notes its error
	}
}

// hashFile returns the digest that reading a file would give. The error is
// that of the context.
func hashFile(ctx context.Context, open func() (io.ReadCloser, error)) (d digest, err error) {
	f, cause := open()
	h := manner{}.hashing(ctx, f, cause)
	if cause == nil {
		defer f.Close()
		h.drain()
	}
	h.sum.Sum(d[:0])
	return d, ctx.Err()
}
