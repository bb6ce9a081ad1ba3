package fbc

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"

	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
)

// Blob is an undecoded blob of a file-based catalog, of any schema.
type Blob struct {
	// File and Line are its position.
	File string
	Line int
	// Schema, Package and Name are its identifying fields; missing ones are empty. An
	// olm.package blob has its name in Name, and no Package.
	Schema, Package, Name string
	// Raw is the blob as JSON, converted if it was YAML. It is valid until the next blob is read.
	Raw json.RawMessage
}

// Blobs iterates over the blobs of the files that [Load] reads, in the same order. It keeps one
// blob in memory at a time, for programs that copy catalogs, and decodes only its schema, package
// and name.
//
// An error that is a [*graph.Problem] reports a skipped part, such as an invalid line, or a
// warning; the iteration continues. Any other error is the last: a [*LimitError], an
// [*UnreadableError] of the directory, or an error that wraps the error of the context.
func Blobs(ctx context.Context, fsys fs.FS, opts Options) iter.Seq2[Blob, error] {
	return func(yield func(Blob, error) bool) {
		opts := opts.prepared()
		if opts.File != "" {
			passBlobs(ctx, fsys, []string{opts.File}, &opts, yield)
			return
		}
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

// passFile yields the blobs of a file. The error ends the iteration.
func passFile(ctx context.Context, fsys fs.FS, name string, opts *Options, total *budget, yield func(Blob, error) bool) error {
	c := read.New(ctx, name, &opts.read, read.NewPool(), total)
	passed := 0
	problems := func() error {
		for ; passed < len(c.Problems); passed++ {
			if !yield(Blob{}, &c.Problems[passed]) {
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
