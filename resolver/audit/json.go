package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/internal/text"
)

// MaxLine is how many bytes one line of an audit's JSON may have for
// [Read] and [Merge] to read it.
const MaxLine = 64 << 20

// MaxItems is how many lists, objects and items of lists one line may have in all:
// some 200,000 facts of conflicts.
const MaxItems = 1_000_000

// Writer writes an audit as JSON lines: an object for each bundle, then one
// with the summary. It is not safe for concurrent use, and does not buffer.
type Writer struct{ w io.Writer }

// NewWriter returns a writer of JSON lines.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// Bundle writes the line of a bundle. It has the form of [Options.Each].
func (w *Writer) Bundle(b *Bundle) error { return w.line(b) }

// Summary writes the last line.
func (w *Writer) Summary(s *Summary) error {
	if s.Clashes == nil { // the key is always there
		with := *s
		with.Clashes = []Clash{}
		s = &with
	}
	return w.line(summaryLine{s})
}

// summaryLine is the last line.
type summaryLine struct {
	Summary *Summary `json:"summary"`
}

// line writes one value at once, so that a line is never half there.
func (w *Writer) line(v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.w.Write(line.Bytes())
	return err
}

// FormatError says that something is not the JSON of an audit, or that
// shards do not make up one audit.
type FormatError struct {
	// Input is which of the inputs it is, counted from 0, and Line where it
	// is, counted from 1; 0 if it is not about one line.
	Input, Line int
	// Message says what is wrong and what to do.
	Message string
	// Err is the cause, if there is one.
	Err error
}

// Error says what is wrong and where.
func (e *FormatError) Error() string {
	where := fmt.Sprintf("audit input %d", e.Input+1)
	if e.Line > 0 {
		where += fmt.Sprintf(", line %d", e.Line)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", where, e.Message, e.Err)
	}
	return where + ": " + e.Message
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// Read reads the JSON lines of an audit and hands out the bundles one by one;
// an error of each ends it and is returned as it is. Any other error is an
// [*FormatError]: the input cannot be read, is no audit, or breaks off
// before the summary.
func Read(r io.Reader, each func(*Bundle) error) (*Summary, error) {
	in := newReader(r, 0)
	for {
		b, err := in.next()
		if err != nil || b == nil {
			return in.summary, err
		}
		if err := each(b); err != nil {
			return nil, err
		}
	}
}

// reader reads the lines of one audit.
type reader struct {
	input   int
	lines   *bufio.Scanner
	line    int
	raw     []byte // the line of the last bundle, until the next one is read
	before  *Bundle
	summary *Summary
}

func newReader(r io.Reader, input int) *reader {
	s := bufio.NewScanner(r)
	s.Buffer(nil, MaxLine)
	return &reader{input: input, lines: s}
}

// next returns the next bundle, or nil after the summary.
func (r *reader) next() (*Bundle, error) {
	for r.lines.Scan() {
		r.line++
		r.raw = r.lines.Bytes()
		switch {
		case len(bytes.TrimSpace(r.raw)) == 0:
			continue
		case r.summary != nil:
			return nil, r.fail("there is more after the summary; give each audit as an input of its own", nil)
		case !quickjson.Bounded(r.raw, MaxItems):
			return nil, r.fail(fmt.Sprintf("the line has more than %d lists, objects and items of lists, or more than %d levels of them", MaxItems, quickjson.MaxLevels), nil)
		}
		var line struct {
			Bundle
			summaryLine
		}
		if err := json.Unmarshal(r.raw, &line); err != nil {
			return nil, r.fail("this is no line of an audit", err)
		}
		if line.Summary != nil {
			r.summary = line.Summary
			continue
		}
		return r.inOrder(&line.Bundle)
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		r.line++
		return nil, r.fail(fmt.Sprintf("the line is longer than %d bytes", MaxLine), nil)
	case err != nil:
		r.line++
		return nil, r.fail("it cannot be read", err)
	case r.summary == nil:
		r.line = 0
		return nil, r.fail("it breaks off before its summary; run this part of the audit again", nil)
	}
	return nil, nil
}

// inOrder checks that bundles are named and come in their order.
func (r *reader) inOrder(b *Bundle) (*Bundle, error) {
	switch {
	case b.Catalog == "" || b.Package == "" || b.Bundle == "":
		return nil, r.fail("this line names no bundle: catalog, package and bundle have to be there", nil)
	case r.before != nil && compareFindings(r.before, b) >= 0:
		return nil, r.fail(fmt.Sprintf("%s comes after %s, out of order; an audit lists each bundle once, by catalog, package and bundle",
			text.Inert(b.Bundle), text.Inert(r.before.Bundle)), nil)
	}
	r.before = b
	return b, nil
}

func (r *reader) fail(message string, err error) error {
	return &FormatError{Input: r.input, Line: r.line, Message: message, Err: err}
}
