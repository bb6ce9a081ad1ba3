package fbc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/cache/fbc/internal/blob"
	"github.com/seed109e2655/resolute/cache/fbc/internal/declare"
)

// Load reads the catalog that a directory tree holds, as [Directory] does. Files
// whose names end in .yaml, .yml, .json or .jsonl, each also with .gz behind it,
// are read in the order of their paths. What .indexignore files name by the
// rules of gitignore is left out, and so are hidden files and directories and
// READMEs; any other file is a warning. A file that changes
// while it is read is noticed if its size or time of modification does.
//
// See the package for what is an error, and [Options] for limits.
func Load(ctx context.Context, fsys fs.FS, opts Options) (*cache.Catalog, error) {
	return loadOnce(ctx, newDirectory(fsys, ".", opts, false))
}

// LoadFile reads the catalog that a file holds, whatever its name ends in. It has
// to be a regular file: see [LoadPath] for pipes.
func LoadFile(ctx context.Context, fsys fs.FS, name string, opts Options) (*cache.Catalog, error) {
	return loadOnce(ctx, newDirectory(fsys, name, opts, true))
}

// Read reads a catalog from a stream. The name stands for its file in
// problems, and its ending distinguishes JSON from YAML where the content does not; it
// may be empty. When the context ends, a Read of r that is under way is ended by
// SetReadDeadline if r has that, as pipes and connections do; otherwise it has to
// return by itself.
func Read(ctx context.Context, r io.Reader, name string, opts Options) (*cache.Catalog, error) {
	defer interrupt(ctx, r)()
	opts = opts.withDefaults()
	decoded := newFileReader(manner{opts: &opts, once: true}, 1, size{})
	p, err := decoded.read(ctx, name, func() (io.ReadCloser, error) { return io.NopCloser(r), nil })
	decoded.budget.fileDone()
	switch {
	case err != nil:
		return nil, stopped(err)
	case p.Objects == 0:
		return nil, unreadable(name, []*decodedFile{p}, nil)
	}
	return build(ctx, &opts, p)
}

// FromNodes makes a catalog of blobs that stand inside another document, which
// [document.Decode] read. The name of that document stands for the file in
// problems. Unlike a file, no blobs at all make a catalog: an empty one.
func FromNodes(ctx context.Context, nodes []*document.Node, file string, opts Options) (*cache.Catalog, error) {
	opts = opts.withDefaults()
	c := declare.New(ctx, file, &opts.declare, declare.NewPool(), &budget{opts: &opts})
	for _, n := range nodes {
		if err := c.Blob(blob.Of(n)); err != nil {
			return nil, stopped(err)
		}
	}
	return build(ctx, &opts, &decodedFile{File: c.File()})
}

// FromBlobs makes a catalog of JSON blobs, as a program has them. In problems
// "blob 1" stands for the file of the first. No blobs at all make an empty
// catalog.
func FromBlobs(ctx context.Context, blobs []json.RawMessage, opts Options) (*cache.Catalog, error) {
	opts = opts.withDefaults()
	shared, total := declare.NewPool(), &budget{opts: &opts}
	decoded := make([]*decodedFile, len(blobs))
	for i, raw := range blobs {
		c := declare.New(ctx, fmt.Sprintf("blob %d", i+1), &opts.declare, shared, total)
		if err := c.Blob(blob.Blob{Raw: raw, Line: 1}); err != nil {
			return nil, stopped(err)
		}
		decoded[i] = &decodedFile{File: c.File()}
	}
	return build(ctx, &opts, decoded...)
}

// loadOnce returns the catalog of a source that is not loaded again.
func loadOnce(ctx context.Context, source declarer) (*cache.Catalog, error) {
	now, err := source.declare(ctx, manner{opts: source.settings(), once: true}, nil)
	if err != nil {
		return nil, err
	}
	b := &building{ctx: ctx, opts: source.settings(), now: now, once: true}
	return b.build()
}

// build returns the catalog of what was read.
func build(ctx context.Context, opts *Options, decoded ...*decodedFile) (*cache.Catalog, error) {
	b := &building{ctx: ctx, opts: opts, now: &declared{decoded: decoded}, once: true}
	return b.build()
}

// stopped says that reading was ended from outside, or by a limit.
func stopped(err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		return limit
	}
	return fmt.Errorf("reading the catalog was stopped: %w", err)
}
