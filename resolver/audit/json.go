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
		if err := in.advance(); err != nil || in.bundle == nil {
			return in.Summary, err
		}
		if err := each(in.bundle); err != nil {
			return nil, err
		}
	}
}

type reader struct {
	*shards.Reader[Summary]
	bundle *Bundle // the one read last; nil after the summary
	counts Summary // of the bundles so far
}

// advance reads the next bundle. It checks that bundles are named and come in their
// order.
func (r *reader) advance() error {
	b, before := new(Bundle), r.bundle
	more, err := r.Next(b)
	switch {
	case err != nil || !more:
		r.bundle = nil
		return err
	case b.Catalog == "" || b.Package == "" || b.Bundle == "":
		return r.Fail("this line names no bundle: catalog, package and bundle have to be there", nil)
	case before != nil && compareFindings(before, b) >= 0:
		return r.Fail(fmt.Sprintf("%s comes after %s, out of order; an audit lists each bundle once, by catalog, package and bundle",
			text.Inert(b.Bundle), text.Inert(before.Bundle)), nil)
	}
	r.bundle = b
	r.counts.add(b)
	return nil
}
