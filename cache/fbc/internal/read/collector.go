package read

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

// Meter counts what the files of a catalog take together. It is safe for concurrent
// use.
type Meter interface {
	// Blob counts a blob. The error is one of a limit, and ends all.
	Blob() error
	// Foreign counts a blob that no catalog needs.
	Foreign()
}

// Collector takes the blobs of one file and keeps what they declare, in order. It
// is used by one goroutine at a time.
type Collector struct {
	ctx   context.Context
	file  string
	opts  *Options
	pool  *Pool
	meter Meter

	decls map[string]*graph.PackageDecl
	last  *graph.PackageDecl // the one of the last blob: most come in a row
	blobs int

	problems []graph.Problem
	more     int  // problems that were not kept
	cut      bool // the last thing in the file ends in the middle

	// Pass, if set, is called with each blob, which declares nothing then. Its
	// error ends all.
	Pass func(Head, json.RawMessage) error

	// What is used again for each blob.
	current   Blob
	reading   reading
	outline   outline
	list      []*properties.Property
	lines     []int
	manifests []span
	manifest  manifest

	findings []*Findings       // where they are read
	aside    []json.RawMessage // blobs of the last findings, to be read next
	asideNow bool              // the current blob is one of them
}

// New returns a collector for a file.
func New(ctx context.Context, file string, opts *Options, p *Pool, m Meter) *Collector {
	s := &Collector{ctx: ctx, file: file, opts: opts, pool: p, meter: m, decls: map[string]*graph.PackageDecl{}}
	s.outline.most = opts.MaxItems
	s.outline.scanner.Stop = func() bool { return ctx.Err() != nil }
	return s
}

// pkg returns the declarations about a package, to add to.
func (s *Collector) pkg(name string) *graph.PackageDecl {
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

// Problem keeps a problem of the file, unless there are too many.
func (s *Collector) Problem(p graph.Problem) {
	s.cut = s.cut || p.Code == CodeTruncated
	if len(s.problems) >= s.opts.MaxProblems {
		s.more++
		return
	}
	p.Catalog, p.File = s.opts.Catalog, s.file
	s.problems = append(s.problems, p)
}

// Finish adds a problem that says how many were not kept.
func (s *Collector) Finish() {
	if s.more > 0 {
		s.problems = append(s.problems, graph.Problem{
			Severity: graph.SeverityError, Code: "moreProblems", Catalog: s.opts.Catalog, File: s.file,
			Message: fmt.Sprintf("the file has %d further problems: correct the first %d, and read it again", s.more, len(s.problems)),
		})
		s.more = 0
	}
}

// Problems returns what was found wrong so far.
func (s *Collector) Problems() []graph.Problem { return s.problems }

// Read reads a stream, with several goroutines if that helps. The error is one that
// ends the reading of the catalog.
func (s *Collector) Read(r io.Reader, in Input, with Workers) error {
	d := newDecoders(s, with)
	err := Read(s.ctx, r, in, d)
	if failed := d.finish(); failed != nil {
		err = failed
	}
	return err
}

// Blob keeps what a blob declares. The error is one that ends the reading of
// the catalog.
func (s *Collector) Blob(b Blob) error {
	err := s.blobAlone(b)
	if len(s.aside) > 0 {
		aside := s.aside
		s.aside, s.asideNow = nil, true
		for i := 0; i < len(aside) && err == nil; i++ {
			err = s.blobAlone(Blob{Raw: aside[i], Line: b.Line})
		}
		s.asideNow = false
	}
	return err
}

// blobAlone is Blob without what is set aside in it.
func (s *Collector) blobAlone(b Blob) error {
	s.current, s.outline.scanner.Text = b, b.Raw
	for i := quickjson.Space(b.Raw); i < len(b.Raw); i += quickjson.Space(b.Raw[i:]) {
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
func (s *Collector) value(i int) (end int, err error) {
	b, ok := &s.current, false
	object := b.Raw[i] == '{'
	if object {
		end, ok = s.outline.scan(i)
	} else {
		end, ok = s.outline.scanner.Value(i)
	}
	if !ok {
		return len(b.Raw), s.broken(i)
	}
	if err := s.count(); err != nil {
		return end, err
	}
	if !object {
		s.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeNotObject, Line: b.LineAt(i),
			Message: fmt.Sprintf("a blob must be an object with a schema, not %s", quickjson.KindOf(b.Raw[i:]))})
		return end, nil
	}
	s.blobs++
	s.cut = false
	if s.Pass != nil {
		return end, s.passOn(b.Raw[i:end], b.LineAt(i))
	}
	s.declare(span{From: i, To: end})
	return end, nil
}

// count counts a value of the file. The error is one that ends the reading of
// the catalog.
func (s *Collector) count() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return s.meter.Blob()
}

// broken reports text from i on that is not valid JSON. The error is that of the
// context.
func (s *Collector) broken(i int) error {
	b := &s.current
	err := Invalid(s.ctx, b.Raw[i:])
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	p := graph.Problem{Severity: graph.SeverityError, Code: CodeSyntax, Line: b.Line, Message: "this is not valid JSON: " + err.Error()}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		p.Line = b.LineAt(i + int(syntactic.ByteOffset))
		p.Message = "this is not valid JSON, and is left out: " + Reason(syntactic)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		p.Code, p.Message = CodeTruncated, "this line ends in the middle of a value, and is left out"
	}
	s.Problem(p)
	return nil
}

// Head is what a blob says of itself, each part empty if it says nothing.
type Head struct {
	Line                  int // where it begins
	Schema, Package, Name string
}

// passOn passes on the object whose outline was just read.
func (s *Collector) passOn(raw []byte, line int) error {
	text := func(f field) string {
		if value := s.outline.values[f].Of(s.current.Raw); len(value) > 0 && value[0] == '"' {
			return string(quickjson.Unquote(value))
		}
		return ""
	}
	h := Head{Line: line, Schema: text(fieldSchema), Package: text(fieldPackage), Name: text(fieldName)}
	if h.Schema == "" {
		s.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeSchemaMissing, Line: line,
			Message: "this blob has no schema, and is left out: write which it is, for example olm.bundle"})
		return nil
	}
	return s.Pass(h, raw)
}
