package fbc

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
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
// An error that is a [*graph.Problem] tells of something that was left out, such
// as a line that is broken, or of a warning, and the blobs behind it follow. Any
// other is the last: a [*LimitError], an [*UnreadableError] of the directory, or
// one that wraps that of the context.
func Blobs(ctx context.Context, fsys fs.FS, opts Options) iter.Seq2[Blob, error] {
	return func(yield func(Blob, error) bool) {
		opts := opts.withDefaults()
		w := &walker{ctx: ctx, fsys: fsys, opts: &opts}
		if _, err := fs.Stat(fsys, "."); err != nil {
			yield(Blob{}, &UnreadableError{Name: ".", Err: err})
			return
		}
		if err := w.walk(".", nil); err != nil {
			yield(Blob{}, stopped(err))
			return
		}
		for i := range w.problems {
			if !yield(Blob{}, &w.problems[i]) {
				return
			}
		}
		passBlobs(ctx, fsys, w.files, &opts, yield)
	}
}

// BlobsOfFile is [Blobs] of one file, whatever its name ends in.
func BlobsOfFile(ctx context.Context, fsys fs.FS, name string, opts Options) iter.Seq2[Blob, error] {
	return func(yield func(Blob, error) bool) {
		opts := opts.withDefaults()
		passBlobs(ctx, fsys, []string{name}, &opts, yield)
	}
}

// errEnough tells that whoever takes the blobs wants no more.
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
	s := newCollector(ctx, name, opts, newPool(), total)
	told := 0
	problems := func() error {
		for ; told < len(s.problems); told++ {
			if !yield(Blob{}, &s.problems[told]) {
				return errEnough
			}
		}
		return nil
	}
	s.pass = func(b Blob) error {
		err := problems()
		if err == nil && !yield(b, nil) {
			err = errEnough
		}
		return err
	}
	f, err := openRegular(fsys, name)
	if err != nil {
		s.unreadable(0, err)
	} else {
		defer f.Close()
		if err := readStream(ctx, f, s, workers{1, &pools{}}); err != nil {
			return err
		}
	}
	s.finish()
	return problems()
}

// passOn hands on the object whose outline was just read.
func (s *collector) passOn(raw []byte, line int) error {
	text := func(f field) string {
		if value := s.outline.values[f].Of(s.current.raw); len(value) > 0 && value[0] == '"' {
			return string(quickjson.Unquote(value))
		}
		return ""
	}
	b := Blob{File: s.file, Line: line, Schema: text(fieldSchema), Package: text(fieldPackage), Name: text(fieldName), Raw: raw}
	if b.Schema == "" {
		s.problem(graph.Problem{Severity: graph.SeverityError, Code: CodeSchemaMissing, Line: line,
			Message: "this blob has no schema, and is left out: write which it is, for example olm.bundle"})
		return nil
	}
	return s.pass(b)
}
