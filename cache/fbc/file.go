package fbc

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
	"github.com/seed109e2655/resolute/graph"
)

// fileReader reads files concurrently, with shared state.
type fileReader struct {
	opts    *Options
	budget  *budget
	workers read.Workers // for each file
}

// newFileReader returns a reader for a number of files.
func newFileReader(opts *Options, files int) *fileReader {
	atOnce := max(1, min(opts.Parallel, files))
	return &fileReader{opts: opts, budget: &budget{opts: opts, files: files},
		workers: read.Workers{Count: opts.Parallel / atOnce, Pools: &sync.Pool{New: func() any { return read.NewPool() }}}}
}

// read reads a stream to its end, unless it could not be opened. The error ends the reading of the
// catalog.
func (r *fileReader) read(h *hashing, name string, json bool) (*read.File, error) {
	defer r.budget.fileDone()
	pool := r.workers.Pools.Get().(*read.Pool)
	defer r.workers.Pools.Put(pool)
	c := read.New(h.ctx, name, &r.opts.read, pool, r.budget)
	if h.r == nil {
		c.Problem(read.Unreadable(0, h.err))
	} else if err := c.Read(h, json, r.workers); err != nil {
		return nil, err
	}
	f := c.Done()
	if h.r == nil {
		f.Cause = h.err
	}
	return f, h.ctx.Err()
}

// hashing is a reader that computes a digest and fails after its context ends.
type hashing struct {
	ctx  context.Context
	r    io.Reader // nil if opening failed with err
	sum  hash.Hash // nil if no digest is requested
	left int64     // bytes that may still be read
	idle int       // consecutive empty reads
	err  error     // why reading failed
}

// newHashing returns a reader of r; err is the error of opening it.
func newHashing(ctx context.Context, r io.Reader, err error, digest bool) *hashing {
	h := &hashing{ctx: ctx, r: r, left: int64(read.NoLimit)}
	if digest {
		h.sum = sha256.New()
	}
	if err != nil {
		h.r = nil
		h.fail(err)
	}
	return h
}

// fail records a read error, also in the digest: a part must not have the digest of the whole.
func (h *hashing) fail(err error) {
	if h.err == nil {
		h.err = err
		h.write([]byte(err.Error()))
	}
}

func (h *hashing) write(p []byte) {
	if h.sum != nil {
		h.sum.Write(p)
	}
}

// errTooLong reports input over the limit.
var errTooLong = errors.New("too long")

// maxIdle is the maximum number of consecutive empty reads; a reader with more is broken.
const maxIdle = 100

// Read implements io.Reader.
func (h *hashing) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		h.fail(err)
		return 0, err
	}
	n, err := h.r.Read(p)
	h.write(p[:n])
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

// digest reads the rest, and returns the digest of everything.
func (h *hashing) digest() string {
	if h.err == nil {
		_, _ = io.Copy(io.Discard, h) // h records its error
	}
	return string(h.sum.Sum(nil))
}

// newSum returns the initial hash of a source's digest, which distinguishes kinds of sources and
// the options that affect the result.
func newSum(kind string, o *Options) hash.Hash {
	sum := sha256.New()
	drop := slices.Clone(o.DropProperties)
	slices.Sort(drop)
	fmt.Fprintf(sum, "%s 5 %q %q %t %t %d %d %d %d %d %d %d\n", kind, o.read.Catalog, slices.Compact(drop), o.Exact, o.Metadata, o.MaxBlobBytes, o.read.Limits.MaxDepth, o.read.Limits.MaxNodes, o.read.MaxProblems,
		o.read.MaxItems, o.read.MaxNameBytes, o.read.MaxPropertyBytes)
	return sum
}

// addText adds texts, with their lengths, so that different sequences have different digests.
func addText(sum hash.Hash, texts ...string) {
	var length [8]byte
	for _, text := range texts {
		binary.BigEndian.PutUint64(length[:], uint64(len(text)))
		sum.Write(length[:])
		sum.Write([]byte(text))
	}
}

// addProblems adds problems.
func addProblems(sum hash.Hash, problems []graph.Problem) {
	for _, p := range problems {
		addText(sum, string(p.Code), p.File, strconv.Itoa(p.Line), p.Message)
	}
}

// text formats a digest for [cache.Content].
func text(sum hash.Hash) string { return fmt.Sprintf("sha256:%x", sum.Sum(nil)) }
