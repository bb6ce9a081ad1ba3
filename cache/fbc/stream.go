package fbc

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
)

// Fetch asks a far end for a catalog. The validator is that of the content
// that is there already, as an earlier answer gave it; if it is empty there is
// none. A Fetch, and reading the body of its answer, must end soon after the
// context does. It is safe for concurrent use.
type Fetch func(ctx context.Context, validator string) (*Fetched, error)

// Fetched is the answer of a far end.
type Fetched struct {
	// NotModified reports that the content is still the one of the validator
	// given. Nothing else counts then.
	NotModified bool
	// Body is the catalog as JSON, a blob a line or not, also compressed with
	// gzip. Whoever called Fetch closes it. An error of it, other than io.EOF,
	// fails the load.
	Body io.ReadCloser
	// EndUnmarked reports that nothing marks the end of Body, so that one that
	// was cut off could look whole. It is only accepted if it is compressed,
	// which brings a checksum.
	EndUnmarked bool
	// Validator is what to ask the far end with the next time, or empty.
	Validator string
	// Modified is when the far end says that the content changed, or zero.
	Modified time.Time
}

// Stream returns a source that reads the catalog that a far end sends. The
// name stands for its file in problems.
//
// It is stricter than [Read]: a body that was cut off, whether reading it
// failed, that its checksum is wrong, or that its last value is not whole, is
// a [*CutError], never a part of a catalog. What else is wrong with its content
// are problems, as with Read, or the errors of that.
//
// If the far end says that nothing changed, and also if it sends the same
// content again, Load returns the last content, with the new validator if that is
// another.
func Stream(name string, fetch Fetch, opts Options) cache.Source {
	return &stream{name: name, fetch: fetch, opts: opts.prepared()}
}

// CutError is the error of a catalog that a far end did not send whole.
type CutError struct {
	// Name is the catalog, as the caller named it.
	Name string
	// Bytes is how much of it came, decompressed.
	Bytes int64
	// Err is what went wrong.
	Err error
}

// Error says how far reading got, and why not further.
func (e *CutError) Error() string {
	return fmt.Sprintf("the catalog %s did not arrive whole, only %d bytes of it: %v; what came is not used", e.Name, e.Bytes, e.Err)
}

// Unwrap returns what went wrong.
func (e *CutError) Unwrap() error { return e.Err }

// ErrHalfValue is the cause of a [CutError] if a catalog ends inside of a
// value, though whoever sent it said that this is its end.
var ErrHalfValue = errors.New("it ends in the middle of a value")

// ErrUnmarkedEnd is the cause of a [CutError] if nothing marks the end of what
// was sent.
var ErrUnmarkedEnd = errors.New("it has neither a length nor chunks nor a checksum by which to see that this is its end")

// stream is the source of a catalog that a far end sends.
type stream struct {
	name  string
	fetch Fetch
	opts  Options
}

// Load implements [cache.Source].
func (s *stream) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	mark, validator := s.mark(), ""
	if last != nil { // of other settings, it stands for what we would not make of it
		if own, ours := strings.CutPrefix(last.Validator, mark); ours {
			validator = own
		}
	}
	f, err := s.fetch(ctx, validator)
	switch {
	case err != nil:
		return nil, err
	case f == nil || !f.NotModified && f.Body == nil:
		return nil, fmt.Errorf("the catalog %s cannot be read: there was no answer", s.name)
	}
	if f.Body != nil {
		defer f.Body.Close()
	}
	if f.NotModified {
		if validator == "" {
			return nil, fmt.Errorf("the catalog %s cannot be read: the far end says that it did not change, but was not asked that", s.name)
		}
		return last, nil
	}
	file, digest, err := s.read(ctx, f)
	if err != nil {
		return nil, err
	}
	now := &cache.Content{Digest: digest, Modified: f.Modified}
	if f.Validator != "" {
		now.Validator = mark + f.Validator
	}
	if last == nil || last.Digest != digest {
		if now.Catalog, err = build(ctx, &s.opts, []*read.File{file}, nil); err != nil {
			return nil, err
		}
		return now, nil
	}
	if now.Validator == last.Validator {
		return last, nil
	}
	now.Catalog, now.Modified = last.Catalog, last.Modified
	return now, nil
}

// mark returns what validators of this source begin with in a content: it
// distinguishes them from those of other settings.
func (s *stream) mark() string {
	sum := newSum("stream", &s.opts)
	addText(sum, "", s.name)
	return hex.EncodeToString(sum.Sum(nil)[:8]) + " "
}

// read reads a body, and returns the digest of the content that comes of it.
func (s *stream) read(ctx context.Context, f *Fetched) (*read.File, string, error) {
	r := newFileReader(&s.opts, 1)
	body, zipped, err := read.Unzip(f.Body)
	h := newHashing(ctx, body, err, true)
	h.left = min(h.left, s.opts.MaxTotalBytes) // a body that is compressed twice may be nothing but headers
	file, err := r.read(h, s.name, true)
	if err != nil {
		return nil, "", stopped(err)
	}
	sum := newSum("stream", &s.opts)
	addText(sum, "", s.name, h.digest())
	cut := func(err error) error { return &CutError{Name: s.name, Bytes: r.budget.bytes.Load(), Err: err} }
	switch {
	case ctx.Err() != nil:
		err = stopped(ctx.Err())
	case h.err == errTooLong:
		err = &LimitError{Limit: limitBytes, Max: s.opts.MaxTotalBytes}
	case h.err != nil:
		err = cut(h.err)
	case file.Objects == 0:
		err = unreadable(s.name, []*read.File{file}, nil)
	case file.Cut:
		err = cut(ErrHalfValue)
	case f.EndUnmarked && !zipped:
		err = cut(ErrUnmarkedEnd)
	}
	return file, text(sum), err
}
