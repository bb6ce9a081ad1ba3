package fbc

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"

	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
)

// Blob is a blob of a file-based catalog, of any schema, as it was read.
type Blob struct {
	// File and Line are where it begins.
	File string
	Line int
	// Schema, Package and Name are what it says of itself, each empty if it says
	// nothing. An olm.package blob has its name in Name, and no Package.
	Schema, Package, Name string
	// Raw is the blob as JSON: as it was written, or what became of YAML. It is
	// good until the next one is read; who keeps it copies it.
	Raw json.RawMessage
}

// Blobs goes through the blobs of the catalog in a directory tree, in the order
// of the files that [Load] reads and inside of each in its own. One blob is in
// memory at a time, whatever the size of the catalog. It is for programs that
// copy catalogs: what a blob says beside its schema, package and name is not
// looked at.
//
// An error that is a [*graph.Problem] is about something that was left out, such
// as a line that is broken, or of a warning, and the blobs behind it follow. Any
// other is the last: a [*LimitError], an [*UnreadableError] of the directory, or
// one that wraps that of the context.
func Blobs(ctx context.Context, fsys fs.FS, opts Options) iter.Seq2[Blob, error] {
	return func(yield func(Blob, error) bool) {
		opts := opts.prepared()
		if _, err := fs.Stat(fsys, "."); err != nil {
			yield(Blob{}, &UnreadableError{Name: ".", Err: err})
			return
		}
		l, err := read.List(ctx, fsys, ".", opts.read.Catalog)
		if err != nil {
			yield(Blob{}, stopped(err))
			return
		}
		for i := range l.Problems {
			if !yield(Blob{}, &l.Problems[i]) {
				return
			}
		}
		files := make([]string, len(l.Files))
		for i, f := range l.Files {
			files[i] = f.Name
		}
		passBlobs(ctx, fsys, files, &opts, yield)
	}
}

// BlobsOfFile is [Blobs] of one file, whatever its name ends in.
func BlobsOfFile(ctx context.Context, fsys fs.FS, name string, opts Options) iter.Seq2[Blob, error] {
	return func(yield func(Blob, error) bool) {
		opts := opts.prepared()
		passBlobs(ctx, fsys, []string{name}, &opts, yield)
	}
}

// errEnough reports that the caller wants no more blobs.
var errEnough = errors.New("enough")

// passBlobs yields the blobs of files.
func passBlobs(ctx context.Context, fsys fs.FS, files []string, opts *Options, yield func(Blob, error) bool) {
	total := &budget{opts: opts, files: len(files)}
	for _, name := range files {
		err := passFile(ctx, fsys, name, opts, total, yield)
		total.fileDone()
		switch {
		case err == errEnough:
			return
		case err != nil:
			yield(Blob{}, stopped(err))
			return
		}
	}
}

// passFile yields the blobs of a file. The error is one that ends it all.
func passFile(ctx context.Context, fsys fs.FS, name string, opts *Options, total *budget, yield func(Blob, error) bool) error {
	c := read.New(ctx, name, &opts.read, read.NewPool(), total)
	said := 0
	problems := func() error {
		for ; said < len(c.Problems); said++ {
			if !yield(Blob{}, &c.Problems[said]) {
				return errEnough
			}
		}
		return nil
	}
	c.Pass = func(h read.Head, raw json.RawMessage) error {
		err := problems()
		if err == nil && !yield(Blob{File: name, Line: h.Line, Schema: h.Schema, Package: h.Package, Name: h.Name, Raw: raw}, nil) {
			err = errEnough
		}
		return err
	}
	f, err := read.Open(fsys, name)
	if err != nil {
		c.Problem(read.Unreadable(0, err))
	} else {
		defer f.Close()
		if err := c.Read(newHashing(ctx, f, nil, false), false, read.Workers{Count: 1}); err != nil {
			return err
		}
	}
	c.Finish()
	return problems()
}
