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
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
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
	return Directory(fsys, opts).(*directory).once(ctx)
}

// LoadFile reads the catalog that a file holds, whatever its name ends in. It has
// to be a regular file: see [LoadPath] for pipes.
func LoadFile(ctx context.Context, fsys fs.FS, name string, opts Options) (*cache.Catalog, error) {
	return File(fsys, name, opts).(*directory).once(ctx)
}

// Read reads a catalog from a stream. The name stands for its file in
// problems, and its ending distinguishes JSON from YAML where the content does not; it
// may be empty. When the context ends, a Read of r that is under way is ended by
// SetReadDeadline if r has that, as pipes and connections do; otherwise it has to
// return by itself.
func Read(ctx context.Context, r io.Reader, name string, opts Options) (*cache.Catalog, error) {
	defer interrupt(ctx, r)()
	opts = opts.prepared()
	f, err := newFileReader(&opts, 1).read(newHashing(ctx, r, nil, false), name, false)
	if err != nil {
		return nil, stopped(err)
	}
	files := []*read.File{f}
	if err := unreadable(name, files, nil); err != nil {
		return nil, err
	}
	return build(ctx, &opts, files, nil)
}

// FromNodes makes a catalog of blobs that stand inside another document, which
// [document.Decode] read. The name of that document stands for the file in
// problems. Unlike a file, no blobs at all make a catalog: an empty one.
func FromNodes(ctx context.Context, nodes []*document.Node, file string, opts Options) (*cache.Catalog, error) {
	opts = opts.prepared()
	c := read.New(ctx, file, &opts.read, read.NewPool(), &budget{opts: &opts})
	for _, n := range nodes {
		if err := c.Blob(read.BlobOf(n)); err != nil {
			return nil, stopped(err)
		}
	}
	return build(ctx, &opts, []*read.File{c.Done()}, nil)
}

// FromBlobs makes a catalog of JSON blobs, as a program has them. In problems
// "blob 1" stands for the file of the first. No blobs at all make an empty
// catalog.
func FromBlobs(ctx context.Context, blobs []json.RawMessage, opts Options) (*cache.Catalog, error) {
	opts = opts.prepared()
	shared, total := read.NewPool(), &budget{opts: &opts}
	files := make([]*read.File, len(blobs))
	for i, raw := range blobs {
		c := read.New(ctx, fmt.Sprintf("blob %d", i+1), &opts.read, shared, total)
		if err := c.Blob(read.Blob{Raw: raw, Line: 1}); err != nil {
			return nil, stopped(err)
		}
		files[i] = c.Done()
	}
	return build(ctx, &opts, files, nil)
}

// stopped says that reading was ended from outside, or by a limit.
func stopped(err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		return limit
	}
	return fmt.Errorf("reading the catalog was stopped: %w", err)
}
