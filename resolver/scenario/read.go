package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/strict"
)

// MaxBytes limits the size of a scenario file: 32 MiB. Larger catalogs need files of their own.
const MaxBytes = document.DefaultMaxBytes

// ReadFile reads a scenario from a file of the operating system. The error is an [*Error] if the
// scenario is invalid, an I/O error, or the error of the context.
func ReadFile(ctx context.Context, file string) (*Scenario, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(ctx, f, file, nil)
}

// Read reads a scenario from a file of a file system. Its catalogs are read from the same file
// system. The errors are those of [ReadFile].
func Read(ctx context.Context, fsys fs.FS, file string) (*Scenario, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(ctx, f, file, fsys)
}

func read(ctx context.Context, r io.Reader, file string, fsys fs.FS) (*Scenario, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s, err := Parse(ctx, file, data)
	if err != nil {
		return nil, err
	}
	s.origin.fsys = fsys
	return s, nil
}

// Parse parses a scenario in YAML or JSON. The file name is used in messages, and its directory
// resolves relative paths of catalogs.
//
// The error is an [*Error], or that of the context. It lists all errors of shape or, if there are
// none, all errors of content.
func Parse(ctx context.Context, file string, data []byte) (*Scenario, error) {
	s := &Scenario{origin: origin{file: file, lines: make(map[string]int), nodes: make(map[string]*document.Node)}}
	ps := &problems{origin: &s.origin}
	root, err := document.Decode(ctx, data, file, document.Limits{MaxBytes: MaxBytes})
	var bad *document.SyntaxError
	switch {
	case errors.As(err, &bad):
		ps.addAt(bad.Line, "", "%s", bad.Reason)
		return nil, ps.err()
	case err != nil:
		return nil, err
	}
	d := strict.Decoder{
		Add: func(line int, path, message string) { ps.addAt(line, path, "%s", message) },
		At: func(line int, path string, n *document.Node) {
			if s.origin.lines[path] = line; isBlob(path) {
				s.origin.nodes[path] = n
			}
		},
		Stopped: func() bool { return ctx.Err() != nil },
	}
	d.Decode("", root, reflect.ValueOf(s).Elem())
	if n := root.Field("expect"); n == nil || n.Kind == document.KindNull {
		s.Expect = nil
	} else { // checked against the shape of an answer
		d.Decode("expect", n, reflect.ValueOf(new(Answer)).Elem())
	}
	if ctx.Err() == nil && len(ps.found) == 0 {
		s.validate(ctx, ps)
	}
	if err := ctx.Err(); err != nil {
		return nil, err // the list is incomplete, or contains consequential errors
	}
	if len(ps.found) > 0 {
		return nil, s.failed(ps)
	}
	return s, nil
}

// failed returns the error of an invalid scenario, with its expectation if that is valid.
func (s *Scenario) failed(ps *problems) error {
	err := ps.err()
	var e *Error
	broken := slices.ContainsFunc(ps.found, func(p Problem) bool { return strings.HasPrefix(p.Path, "expect") })
	alone := &problems{origin: &s.origin}
	if alone.expect(s.Expect); errors.As(err, &e) && !broken && len(alone.found) == 0 {
		e.Expect = s.Expect
	}
	return err
}

// isBlob reports whether a path is that of an inline blob.
func isBlob(path string) bool {
	return strings.HasPrefix(path, "catalogs[") && strings.HasSuffix(path, "]") && strings.Contains(path, "].blobs[")
}
