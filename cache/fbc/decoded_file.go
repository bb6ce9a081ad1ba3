package fbc

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
)

// digest is a SHA-256.
type digest [sha256.Size]byte

// decodedFile is what one file says: declarations, before packages are made of them.
// It is immutable.
type decodedFile struct {
	digest   digest               // of the content as it was stored or sent
	decls    []*graph.PackageDecl // by name
	problems []graph.Problem
	objects  int   // blobs that could be read
	size     size  // what counts against the limits
	cause    error // why the file could not be opened
	failed   bool  // the file could not be read to its end

	found []graph.Problem // those outside of packages that were found before
}

// fileReader reads decoded. It holds what the files that are read at a time share.
type fileReader struct {
	how     manner
	opts    *Options
	budget  *budget
	workers workers // for each file
}

// newFileReader returns a reader of so many files. What is kept of the
// catalog without being read counts against its limits.
func newFileReader(how manner, files int, kept size) *fileReader {
	opts := how.opts
	atOnce := max(1, min(opts.Parallel, files))
	return &fileReader{
		how: how, opts: opts, workers: workers{opts.Parallel / atOnce, &pools{}},
		budget: &budget{opts: opts, files: files, kept: kept},
	}
}

// read reads a file, which is called name in problems. What it cannot open is
// a problem of the decoded file. The error is one that ends the reading of the
// catalog.
func (r *fileReader) read(ctx context.Context, name string, open func() (io.ReadCloser, error)) (*decodedFile, error) {
	own := r.budget.child()
	pool := r.workers.pools.take()
	defer r.workers.pools.give(pool)
	s := newCollector(ctx, name, r.opts, pool, own)
	f, cause := open()
	h := r.how.hashing(ctx, f, cause)
	if cause != nil {
		s.unreadable(0, cause)
	} else {
		defer f.Close()
		if err := readWhole(h, s, r.workers); err != nil {
			return nil, err
		}
	}
	p := s.decodedFile()
	h.sum.Sum(p.digest[:0])
	p.size, p.cause, p.failed = own.size(), cause, h.err != nil
	return p, ctx.Err()
}

// readWhole reads a stream into a collector, and what the collector has no use for to
// nowhere.
func readWhole(h *hashing, s *collector, with workers) error {
	if err := readStream(h.ctx, h, s, with); err != nil {
		return err
	}
	h.drain()
	return nil
}

// decodedFile returns what the collector took.
func (s *collector) decodedFile() *decodedFile {
	s.finish()
	p := &decodedFile{problems: slices.Clip(s.problems), objects: s.blobs}
	for _, f := range s.findings {
		if d := s.decls[f.Package]; d != nil {
			f.restore(d)
		} else if f.Package == "" {
			p.found = append(p.found, f.Problems...)
		}
	}
	p.decls = make([]*graph.PackageDecl, 0, len(s.decls))
	for _, d := range s.decls { // sorted below
		p.decls = append(p.decls, d)
	}
	slices.SortFunc(p.decls, compareDecls)
	return p
}

// compareDecls orders declarations by the name of their package.
func compareDecls(a, b *graph.PackageDecl) int { return strings.Compare(a.Name, b.Name) }

// share returns the decoded file with the declarations of an earlier one in the place
// of equal ones, so that equal packages can be told from the others at once
// and are in memory once.
func (p *decodedFile) share(earlier *decodedFile) *decodedFile {
	if earlier == nil {
		return p
	}
	i := 0
	for j, d := range p.decls {
		for i < len(earlier.decls) && earlier.decls[i].Name < d.Name {
			i++
		}
		if i < len(earlier.decls) && sameDecl(earlier.decls[i], d) {
			p.decls[j] = earlier.decls[i]
		}
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
	h := &hashing{ctx: ctx, r: r, sum: sha256.New(), left: int64(unlimited)}
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

// errTooLong tells that there is more than may be read.
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
	buf := make([]byte, 32<<10)
	for h.err == nil {
		if _, err := h.Read(buf); err != nil {
			return
		}
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
