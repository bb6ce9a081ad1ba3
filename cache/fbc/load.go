package fbc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// Load reads the catalog that a directory tree holds. Files whose names end in
// .yaml, .yml, .json or .jsonl, each also with .gz behind it, are read in the
// order of their paths. What .indexignore files name by the rules of gitignore
// is left out, and so are hidden files and directories and READMEs; any other
// file is a warning.
//
// See the package for what is an error, and [Options] for limits.
func Load(ctx context.Context, fsys fs.FS, opts Options) (*cache.Catalog, error) {
	l := newLoader(opts)
	w := &walker{ctx: ctx, fsys: fsys, opts: &l.opts}
	if _, err := fs.Stat(fsys, "."); err != nil {
		return nil, &UnreadableError{Name: ".", Err: err}
	}
	if err := w.walk(".", nil); err != nil {
		return nil, stopped(err)
	}
	l.problems = w.problems
	return l.load(ctx, ".", w.files, func(name string) (io.ReadCloser, error) { return fsys.Open(name) })
}

// LoadFile reads the catalog that a file holds, whatever its name ends in.
func LoadFile(ctx context.Context, fsys fs.FS, name string, opts Options) (*cache.Catalog, error) {
	return newLoader(opts).load(ctx, name, []string{name}, func(name string) (io.ReadCloser, error) { return fsys.Open(name) })
}

// Read reads a catalog from a stream. The name stands for its file in
// problems, and its ending tells JSON from YAML where the content does not; it
// may be empty. Read returns only when a Read of r that is under way does: if
// r may block, its owner has to make it return when the context ends.
func Read(ctx context.Context, r io.Reader, name string, opts Options) (*cache.Catalog, error) {
	return newLoader(opts).load(ctx, name, []string{name}, func(string) (io.ReadCloser, error) { return io.NopCloser(r), nil })
}

// FromNodes makes a catalog of blobs that stand inside another document, which
// [DecodeYAML] read. The name of that document stands for the file in
// problems. Unlike a file, no blobs at all make a catalog: an empty one.
func FromNodes(ctx context.Context, nodes []*Node, file string, opts Options) (*cache.Catalog, error) {
	l := newLoader(opts)
	s := newSink(ctx, file, &l.opts, newPool(), l.budget)
	for _, n := range nodes {
		if n == nil {
			n = &Node{}
		}
		if err := s.blob(n.blob()); err != nil {
			return nil, stopped(err)
		}
	}
	return l.assemble(ctx, []*sink{s})
}

// FromBlobs makes a catalog of JSON blobs, as a program has them. In problems
// "blob 1" stands for the file of the first. No blobs at all make an empty
// catalog.
func FromBlobs(ctx context.Context, blobs []json.RawMessage, opts Options) (*cache.Catalog, error) {
	l := newLoader(opts)
	shared := newPool()
	sinks := make([]*sink, len(blobs))
	for i, raw := range blobs {
		sinks[i] = newSink(ctx, fmt.Sprintf("blob %d", i+1), &l.opts, shared, l.budget)
		if err := sinks[i].blob(blob{raw: raw, line: 1}); err != nil {
			return nil, stopped(err)
		}
	}
	return l.assemble(ctx, sinks)
}

// stopped tells that reading was ended from outside, or by a limit.
func stopped(err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		return limit
	}
	return fmt.Errorf("reading the catalog was stopped: %w", err)
}

// loader is one catalog while it is read.
type loader struct {
	opts     Options
	budget   *budget
	problems []graph.Problem // found outside of files
}

// newLoader returns a loader.
func newLoader(opts Options) *loader {
	l := &loader{opts: opts.withDefaults()}
	l.budget = &budget{opts: &l.opts}
	return l
}

// load reads files, several at a time, and makes a catalog of them all.
func (l *loader) load(ctx context.Context, name string, files []string, open func(string) (io.ReadCloser, error)) (*cache.Catalog, error) {
	l.budget.files = len(files)
	workers := min(l.opts.Parallel, len(files))
	inside := l.opts.Parallel / max(workers, 1) // goroutines for each file
	var shared pools
	sinks := make([]*sink, len(files))
	causes := make([]error, len(files))
	err := forEach(ctx, len(files), workers, func(ctx context.Context, i int) error {
		own := shared.take()
		defer shared.give(own)
		sinks[i] = newSink(ctx, files[i], &l.opts, own, l.budget)
		defer l.budget.fileDone()
		f, err := open(files[i])
		if err != nil {
			causes[i] = err
			sinks[i].unreadable(0, err)
			return nil
		}
		defer f.Close()
		return readStream(ctx, f, sinks[i], hands{inside, &shared})
	})
	if err != nil {
		return nil, stopped(err)
	}
	blobs := 0
	for _, s := range sinks {
		s.finish()
		blobs += s.blobs
	}
	if blobs == 0 {
		e := &UnreadableError{Name: name, Problems: l.allProblems(sinks)}
		if len(causes) == 1 {
			e.Err = causes[0]
		}
		return nil, e
	}
	return l.assemble(ctx, sinks)
}

// gzipMagic is what every gzip stream begins with.
var gzipMagic = []byte{0x1f, 0x8b}

// readStream reads a stream into a sink, with several goroutines if it can be
// shared among them. The error is one that ends the reading of the catalog.
func readStream(ctx context.Context, r io.Reader, s *sink, h hands) error {
	packed := bufio.NewReaderSize(r, 64<<10)
	r = packed
	if magic, _ := packed.Peek(len(gzipMagic)); bytes.Equal(magic, gzipMagic) {
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			s.unreadable(0, err)
			return nil
		}
		r = unpacked
	}
	src := newSource(ctx, r, s.budget)
	for len(src.window()) < len(byteOrderMark) && src.more() {
	}
	if bytes.HasPrefix(src.window(), []byte(byteOrderMark)) {
		src.advance(len(byteOrderMark))
	}
	if s.json || isJSON(s.file, src) {
		return readJSON(src, s, h)
	}
	return readYAML(src, s)
}

// isJSON tells JSON from YAML: by the name of the file, else by how the
// content begins. A file that is called YAML is JSON only if its first value
// is, as far as the window shows.
func isJSON(name string, src *source) bool {
	ext := extension(name)
	if ext == ".json" || ext == ".jsonl" {
		return true
	}
	for {
		w := src.window()
		if n := leadingSpace(w); n+1 < len(w) && n+1+leadingSpace(w[n+1:]) < len(w) {
			break // enough to tell
		}
		if !src.more() {
			break
		}
	}
	if !looksLikeJSON(src.window()) {
		return false
	}
	if ext == "" {
		return true
	}
	_, err := measureValue(src, newDecoder(), src.window())
	return err == nil || errors.Is(err, io.ErrUnexpectedEOF)
}
