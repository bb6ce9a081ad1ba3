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

// Load reads a catalog from a directory tree, or with [Options].File from one file of it. Files
// whose names end in .yaml, .yml, .json or .jsonl, optionally followed by .gz, are read in the
// order of their paths. Hidden files and directories, READMEs, and what .indexignore files exclude
// by the rules of gitignore are skipped; any other file is a warning. A change of a file while it
// is read is detected if its size or modification time changes.
//
// The package documentation lists the errors, and [Options] the limits.
func Load(ctx context.Context, fsys fs.FS, opts Options) (*cache.Catalog, error) {
	t := directory{fsys, opts.prepared()}
	s, err := t.read(ctx, false)
	if err != nil {
		return nil, err
	}
	return build(ctx, &t.opts, s.files, s.listing.Problems)
}

// Read reads a catalog from a stream. Problems use the name as file name; if the content does not
// show its format, the extension of the name does. The name may be empty. When the context ends, a
// blocked Read of r is interrupted with SetReadDeadline if r has that method, as pipes and
// connections do; otherwise it must return by itself.
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

// FromNodes reads a catalog from blobs inside another document, decoded by [document.Decode].
// Problems use the name of that document as file name. Without blobs, the catalog is empty.
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

// FromBlobs reads a catalog from JSON blobs. In problems, the file name of the first is "blob 1".
// Without blobs, the catalog is empty.
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

// stopped wraps the error that ended reading: a limit, or that of the context.
func stopped(err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		return limit
	}
	return fmt.Errorf("reading the catalog was stopped: %w", err)
}
