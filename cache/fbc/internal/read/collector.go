package read

import (
	"bytes"
	"cmp"
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

// Meter counts the work on all files of a catalog. It is safe for concurrent use.
type Meter interface {
	// Bytes counts bytes, and Blob a blob. The error means an exhausted limit, which stops the
	// load.
	Bytes(n int) error
	Blob() error
	// Foreign counts a blob with an unknown schema.
	Foreign()
}

// Collector decodes the blobs of one file and collects their declarations, in order. It is not safe
// for concurrent use.
type Collector struct {
	ctx   context.Context
	file  string
	opts  *Options
	pool  *Pool
	meter Meter

	File
	last *graph.PackageDecl // package of the last blob, which usually repeats

	// Pass, if not nil, is called with each blob instead of decoding it. Its error stops the load.
	Pass func(Head, json.RawMessage) error

	// Scratch memory for each blob.
	current   Blob
	place     int // the next cut after the broken part
	reading   reading
	scanned   scanned
	list      []*properties.Property
	lines     []int
	manifests []span
	manifest  manifest

	findingBlobs []json.RawMessage // blobs of quarantined objects in the last findings, decoded next
	inFindings   bool              // the current blob is one of them
}

// New returns a collector for a file.
func New(ctx context.Context, file string, opts *Options, p *Pool, m Meter) *Collector {
	s := &Collector{ctx: ctx, file: file, opts: opts, pool: p, meter: m, File: newFile()}
	s.scanned.limit = opts.MaxItems
	s.scanned.scanner.Stop = func() bool { return ctx.Err() != nil }
	return s
}

// pkg returns the declarations of a package, creating them if necessary.
func (s *Collector) pkg(name string) *graph.PackageDecl {
	if s.last != nil && s.last.Name == name {
		return s.last
	}
	s.last = s.Decls[name]
	if s.last == nil {
		s.last = &graph.PackageDecl{Name: name}
		s.Decls[name] = s.last
	}
	return s.last
}

// Problem records a problem of the file, unless there are too many.
func (s *Collector) Problem(p graph.Problem) {
	s.Cut = s.Cut || p.Code == CodeTruncated
	if len(s.Problems) >= s.opts.MaxProblems {
		s.more++
		return
	}
	p.Catalog, p.File = s.opts.Catalog, s.file
	s.Problems = append(s.Problems, p)
}

// fail records an error at a line.
func (s *Collector) fail(code graph.Code, line int, format string, args ...any) {
	s.Problem(failure(code, line, format, args...))
}

// failure is an error at a line.
func failure(code graph.Code, line int, format string, args ...any) graph.Problem {
	return graph.Problem{Severity: graph.SeverityError, Code: code, Line: line, Message: fmt.Sprintf(format, args...)}
}

// Finish adds a problem with the number of dropped problems.
func (s *Collector) Finish() {
	if s.more > 0 {
		s.Problems = append(s.Problems, graph.Problem{
			Severity: graph.SeverityError, Code: "moreProblems", Catalog: s.opts.Catalog, File: s.file,
			Message: fmt.Sprintf("the file has %d further problems: correct the first %d, and read it again", s.more, len(s.Problems)),
		})
		s.more = 0
	}
}

// Read reads a stream until its end or that of the context, with several goroutines if that is
// faster. It is JSON if json is set; otherwise the file name and the content decide. The error
// stops the load.
func (s *Collector) Read(r io.Reader, json bool, with Workers) error {
	d := &decoders{file: s, workers: with}
	err := s.cut(r, json, d)
	if failed := d.finish(); failed != nil {
		err = failed
	}
	if text := d.text.raw; cap(text) > len(s.pool.text) {
		s.pool.text = text[:cap(text)]
	}
	return err
}

// Blob decodes a blob. The error stops the load.
func (s *Collector) Blob(b Blob) error {
	err := s.blobAlone(b)
	if len(s.findingBlobs) > 0 {
		aside := s.findingBlobs
		s.findingBlobs, s.inFindings = nil, true
		for i := 0; i < len(aside) && err == nil; i++ {
			err = s.blobAlone(Blob{Raw: aside[i], Line: b.Line})
		}
		s.inFindings = false
	}
	return err
}

// blobAlone decodes a blob without the quarantined objects in it.
func (s *Collector) blobAlone(b Blob) (err error) {
	s.current, s.scanned.scanner.Text, s.place = b, b.Raw, 0
	for i := quickjson.Space(b.Raw); i < len(b.Raw) && err == nil; i += quickjson.Space(b.Raw[i:]) {
		i, err = s.value(i)
	}
	return err
}

// value decodes the value at i and returns its end. The error stops the load.
func (s *Collector) value(i int) (end int, err error) {
	b, ok := &s.current, false
	object := b.Raw[i] == '{'
	if object {
		end, ok = s.scanned.scan(i)
	} else {
		end, ok = s.scanned.scanner.Value(i)
	}
	if !ok {
		return s.broken(i)
	}
	if b.limit > 0 && int64(end-i) > b.limit {
		s.Problem(tooLargeValue(b.LineAt(i), b.limit))
		return end, nil
	}
	if err := s.count(); err != nil {
		return end, err
	}
	if !object {
		s.fail(CodeNotObject, b.LineAt(i), "a blob must be an object with a schema, not %s", quickjson.KindOf(b.Raw[i:]))
		return end, nil
	}
	s.Objects++
	s.Cut = false
	if s.Pass != nil {
		return end, s.passOn(b.Raw[i:end], b.LineAt(i))
	}
	s.declare()
	return end, nil
}

// count counts a value of the file. The error stops the load.
func (s *Collector) count() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return s.meter.Blob()
}

// broken reports invalid JSON at i, and returns where reading resumes: at the next cut, or before
// it at a line that is a complete blob. The error is that of the context.
func (s *Collector) broken(i int) (next int, _ error) {
	b := &s.current
	if i >= s.place {
		s.place = i + firstPlace(s.ctx, b.Raw[i:])
	}
	next = s.place
	region, line := b.Raw[i:next], false
	if trimmed := bytes.TrimSpace(region); bytes.HasSuffix(trimmed, []byte("}")) {
		region, line = trimmed, bytes.IndexByte(trimmed, '\n') < 0 // not a line that ends in a string
	}
	err := invalid(s.ctx, region)
	if s.ctx.Err() != nil {
		return next, s.ctx.Err()
	}
	first := b.LineAt(i)
	p := graph.Problem{Severity: graph.SeverityError, Code: CodeSyntax, Line: first}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		err = cmp.Or(syntactic.Err, err)
		p.Line = b.LineAt(i + int(syntactic.ByteOffset))
	}
	end := b.last && next == len(b.Raw) // of the file
	at := s.lineAlone(span{From: i, To: next})
	if at > 0 {
		next = at
	}
	following := b.LineAt(next + quickjson.Space(b.Raw[next:]))
	switch cut := errors.Is(err, io.ErrUnexpectedEOF); {
	case cut && line:
		p.Code, p.Line, p.Message = CodeTruncated, first, "this line ends in the middle of a value, and is ignored"
	case cut && (end || bytes.IndexByte(region, '\n') < 0):
		p.Code, p.Line = CodeTruncated, first
		p.Message = "the file ends in the middle of the value that begins here: it was cut off, or a bracket or quote is not closed"
	case cut || at > 0 && following <= p.Line: // the lines after the first are valid, so it is that one
		p.Line, p.Message = first, "this line is not valid JSON, as if it was cut off"
	case line:
		p.Message = "this is not valid JSON, and is ignored: " + err.Error()
	default:
		p.Message = "this is not valid JSON: " + err.Error()
		if p.Line > first {
			p.Message += fmt.Sprintf(", in the value that begins at line %d", first)
		}
	}
	switch {
	case line: // a single line
	case at == 0 && end:
		p.Message += "; the rest of the file is lost"
	case next < len(b.Raw) && following > first+1:
		p.Message += fmt.Sprintf("; reading goes on at line %d", following)
	}
	s.Problem(p)
	return next, nil
}

// lineAlone returns the start of the first line after the first of a part that is a complete blob;
// 0 if there is none. A line may also be part of a larger blob, but those lines have no schema. The
// last line is always accepted, because a cut follows it.
func (s *Collector) lineAlone(part span) int {
	text := s.current.Raw[:part.To]
	for n, from := 1, part.From; ; n++ {
		i := bytes.IndexByte(text[from:], '\n')
		if i < 0 || n%checkEvery == 0 && s.ctx.Err() != nil {
			return 0
		}
		from += i + 1
		line, _, _ := bytes.Cut(text[from:], newline)
		behind := from + len(line)
		line = bytes.TrimRight(line, " \t\r")
		switch {
		case len(line) == 0 || line[0] != '{' || line[len(line)-1] != '}':
		case behind+quickjson.Space(text[behind:]) == len(text):
			return from
		case bytes.Contains(line, []byte(`"schema"`)):
			if n, _ := measure(s.ctx, line); n == len(line) {
				return from
			}
		}
	}
}

// Head has the identifying fields of a blob; missing ones are empty.
type Head struct {
	Line                  int // its first line
	Schema, Package, Name string
}

// passOn passes the scanned object to Pass.
func (s *Collector) passOn(raw []byte, line int) error {
	text := func(n name) string {
		if value := s.scanned.values[n].Of(s.current.Raw); len(value) > 0 && value[0] == '"' {
			return string(quickjson.Unquote(value))
		}
		return ""
	}
	h := Head{Line: line, Schema: text(nameSchema), Package: text(namePackage), Name: text(nameName)}
	if h.Schema == "" {
		s.fail(CodeSchemaMissing, line, "this blob has no schema, and is ignored: write which it is, for example olm.bundle")
		return nil
	}
	err := s.Pass(h, raw)
	if near := nearSchema(h.Schema); near != "" && err == nil {
		s.Problem(graph.Problem{Severity: graph.SeverityWarning, Code: CodeSchemaUnknown, Package: h.Package, Line: line,
			Message: fmt.Sprintf("%s has the unknown schema %q, and is passed on as it is; did you mean %s?", blobName(h.Name), h.Schema, near)})
	}
	return err
}
