package audit

import (
	"fmt"
	"io"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/shards"
)

// Writer writes an audit as JSON lines: an object for each bundle, then one with the
// summary. It is not safe for concurrent use, and does not buffer.
type Writer struct{ w io.Writer }

// NewWriter returns a writer of JSON lines.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// Bundle writes the line of a bundle. It has the form of [Options.Each].
func (w *Writer) Bundle(b *Bundle) error { return shards.WriteLine(w.w, b) }

// Summary writes the last line.
func (w *Writer) Summary(s *Summary) error {
	if s.Clashes == nil { // the key is always there
		with := *s
		with.Clashes = []Clash{}
		s = &with
	}
	return shards.WriteLine(w.w, map[string]*Summary{"summary": s})
}

// Read reads the JSON lines of an audit and calls each with the bundles one by one; an
// error of each ends it and is returned as it is. Any other error is a
// [*shards.FormatError]: the input cannot be read, is not an audit, or breaks off before
// the summary.
func Read(r io.Reader, each func(*Bundle) error) (*Summary, error) {
	in := &reader{Reader: shards.NewReader[Summary](r, 0)}
	for {
		b, err := in.next()
		if err != nil || b == nil {
			return in.Summary, err
		}
		if err := each(b); err != nil {
			return nil, err
		}
	}
}

// reader reads the lines of one audit.
type reader struct {
	*shards.Reader[Summary]
	before *Bundle
}

// next returns the next bundle, or nil after the summary. It checks that bundles are
// named and come in their order.
func (r *reader) next() (*Bundle, error) {
	b := new(Bundle)
	more, err := r.Next(b)
	switch {
	case err != nil || !more:
		return nil, err
	case b.Catalog == "" || b.Package == "" || b.Bundle == "":
		return nil, r.Fail("this line names no bundle: catalog, package and bundle have to be there", nil)
	case r.before != nil && compareFindings(r.before, b) >= 0:
		return nil, r.Fail(fmt.Sprintf("%s comes after %s, out of order; an audit lists each bundle once, by catalog, package and bundle",
			text.Inert(b.Bundle), text.Inert(r.before.Bundle)), nil)
	}
	r.before = b
	return b, nil
}
