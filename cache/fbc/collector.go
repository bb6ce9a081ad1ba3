package fbc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// collector takes the blobs of one file and keeps what they declare, in order. It
// is used by one goroutine at a time.
type collector struct {
	ctx    context.Context
	file   string
	opts   *Options
	pool   *pool
	budget *budget

	decls map[string]*graph.PackageDecl
	last  *graph.PackageDecl // the one of the last blob: most come in a row
	blobs int

	problems []graph.Problem
	more     int  // problems that were not kept
	cut      bool // the last thing in the file ends in the middle
	json     bool // the file is JSON, whatever it is called

	pass func(Blob) error // if set, blobs are handed on and declare nothing

	// What is used again for each blob.
	current   blob
	reading   reading
	outline   outline
	list      []*properties.Property
	lines     []int
	manifests []span
	manifest  []byte // decoded

	findings []*findings       // where they are read
	aside    []json.RawMessage // blobs of the last findings, to be read next
	asideNow bool              // the current blob is one of them
}

// newCollector returns a collector for a file.
func newCollector(ctx context.Context, file string, opts *Options, p *pool, b *budget) *collector {
	s := &collector{ctx: ctx, file: file, opts: opts, pool: p, budget: b,
		decls: map[string]*graph.PackageDecl{}}
	s.outline.most = opts.MaxItems
	s.outline.scanner.Stop = func() bool { return ctx.Err() != nil }
	return s
}

// pkg returns the declarations about a package, to add to.
func (s *collector) pkg(name string) *graph.PackageDecl {
	if s.last != nil && s.last.Name == name {
		return s.last
	}
	s.last = s.decls[name]
	if s.last == nil {
		s.last = &graph.PackageDecl{Name: name}
		s.decls[name] = s.last
	}
	return s.last
}

// problem keeps a problem of the file, unless there are too many.
func (s *collector) problem(p graph.Problem) {
	s.cut = s.cut || p.Code == CodeTruncated
	if len(s.problems) >= s.opts.MaxProblems {
		s.more++
		return
	}
	p.Catalog, p.File = s.opts.catalog(), s.file
	s.problems = append(s.problems, p)
}

// finish tells of the problems that were not kept.
func (s *collector) finish() {
	if s.more > 0 {
		s.problems = append(s.problems, graph.Problem{
			Severity: graph.SeverityError, Code: graph.CodeMoreProblems, Catalog: s.opts.catalog(), File: s.file,
			Message: fmt.Sprintf("the file has %d further problems: correct the first %d, and read it again", s.more, len(s.problems)),
		})
		s.more = 0
	}
}

// ended looks at how the stream of the file came to its end. The error is one
// that ends the reading of the catalog.
func (s *collector) ended(src *source) error {
	err := src.failed()
	if err == nil || isFatal(s.ctx, err) {
		return err
	}
	s.unreadable(src.line, err)
	return nil
}

// unreadable reports that the file cannot be read, from a line on.
func (s *collector) unreadable(line int, err error) {
	text := err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text = "it ends too early, as if it was cut off"
	}
	message := "the file cannot be read: " + text
	if line > 1 {
		message = fmt.Sprintf("the file cannot be read on from line %d: %s", line, text)
	}
	s.problem(graph.Problem{Severity: graph.SeverityError, Code: CodeUnreadable, Line: line, Message: message})
}

// blob keeps what a blob declares. The error is one that ends the reading of
// the catalog.
func (s *collector) blob(b blob) error {
	err := s.blobAlone(b)
	if len(s.aside) > 0 {
		aside := s.aside
		s.aside, s.asideNow = nil, true
		for i := 0; i < len(aside) && err == nil; i++ {
			err = s.blobAlone(blob{raw: aside[i], line: b.line})
		}
		s.asideNow = false
	}
	return err
}

// blobAlone is blob without what is set aside in it.
func (s *collector) blobAlone(b blob) error {
	s.current, s.outline.scanner.Text = b, b.raw
	for i := quickjson.Space(b.raw); i < len(b.raw); i += quickjson.Space(b.raw[i:]) {
		end, err := s.value(i)
		if err != nil {
			return err
		}
		i = end
	}
	return nil
}

// value keeps what the value that begins at i declares, and returns where it ends.
// The error is one that ends the reading of the catalog.
func (s *collector) value(i int) (end int, err error) {
	b, ok := &s.current, false
	object := b.raw[i] == '{'
	if object {
		end, ok = s.outline.scan(i)
	} else {
		end, ok = s.outline.scanner.Value(i)
	}
	if !ok {
		return len(b.raw), s.broken(i)
	}
	if err := s.count(); err != nil {
		return end, err
	}
	if !object {
		s.problem(graph.Problem{Severity: graph.SeverityError, Code: CodeNotObject, Line: b.lineAt(i),
			Message: fmt.Sprintf("a blob must be an object with a schema, not %s", quickjson.KindOf(b.raw[i:]))})
		return end, nil
	}
	s.blobs++
	s.cut = false
	if s.pass != nil {
		return end, s.passOn(b.raw[i:end], b.lineAt(i))
	}
	s.declare(span{From: i, To: end})
	return end, nil
}

// count counts a value of the file. The error is one that ends the reading of
// the catalog.
func (s *collector) count() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return s.budget.addBlob()
}

// broken reports text from i on that is not valid JSON. The error is that of the
// context.
func (s *collector) broken(i int) error {
	b := &s.current
	err := invalid(s.ctx, b.raw[i:])
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	p := graph.Problem{Severity: graph.SeverityError, Code: CodeSyntax, Line: b.line, Message: "this is not valid JSON: " + err.Error()}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		p.Line = b.lineAt(i + int(syntactic.ByteOffset))
		p.Message = "this is not valid JSON, and is left out: " + reason(syntactic)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		p.Code, p.Message = CodeTruncated, "this line ends in the middle of a value, and is left out"
	}
	s.problem(p)
	return nil
}
