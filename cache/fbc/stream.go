package fbc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/internal/blob"
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
// content again, Load returns the last content. Otherwise the packages whose
// declarations did not change, their lines included, are shared with the
// catalog before. See [Directory] for the memory that takes.
func Stream(name string, fetch Fetch, opts Options) cache.Source {
	return &stream{name: name, fetch: fetch, opts: opts.withDefaults()}
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

// seenStream is what a stream knows of the far end: the details of what it
// declares.
type seenStream struct {
	// validator is the last one that came with this content.
	validator atomic.Pointer[string]
}

// Load implements [cache.Source].
func (s *stream) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	return load(ctx, s, last)
}

// settings implements declarer.
func (s *stream) settings() *Options { return &s.opts }

// declare implements declarer.
func (s *stream) declare(ctx context.Context, how manner, was *declared) (*declared, error) {
	mark := s.mark(how)
	validator, ours := strings.CutPrefix(how.validator, mark)
	if was != nil {
		validator, ours = *was.details.(*seenStream).validator.Load(), true
	}
	if !ours {
		validator = "" // of other settings: what it stands for is not what we would make of it
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
		return was, nil
	}
	d, err := s.read(ctx, how, f, was)
	if err != nil {
		return nil, err
	}
	if was != nil && was.digest == d.digest {
		was.details.(*seenStream).validator.Store(&f.Validator)
		return was, nil
	}
	if f.Validator != "" {
		d.validator = mark + f.Validator
	}
	return d, nil
}

// mark returns what validators of this source begin with in a content: it
// distinguishes them from those of other settings.
func (s *stream) mark(how manner) string {
	sum := newSum(sha256.New(), "stream", how.opts)
	addText(sum, how.prefix, s.name)
	return hex.EncodeToString(sum.Sum(nil)[:8]) + " "
}

// read reads a body.
func (s *stream) read(ctx context.Context, how manner, f *Fetched, was *declared) (*declared, error) {
	r := newFileReader(how, 1, size{})
	body, zipped, err := blob.Unzip(f.Body)
	h := how.hashing(ctx, body, err)
	h.left = min(h.left, how.opts.MaxTotalBytes) // a body that is compressed twice may be nothing but headers
	p, err := r.decode(h, how.prefix+s.name, true, err)
	if err != nil {
		return nil, stopped(err)
	}
	r.budget.fileDone()
	cut := func(err error) error { return &CutError{Name: s.name, Bytes: p.size.bytes, Err: err} }
	switch {
	case ctx.Err() != nil:
		return nil, stopped(ctx.Err())
	case h.err == errTooLong:
		return nil, &LimitError{Limit: limitBytes, Max: how.opts.MaxTotalBytes}
	case h.err != nil:
		return nil, cut(h.err)
	case p.Objects == 0:
		return nil, unreadable(s.name, []*decodedFile{p}, nil)
	case p.Cut:
		return nil, cut(ErrHalfValue)
	case f.EndUnmarked && !zipped:
		return nil, cut(ErrUnmarkedEnd)
	}
	return s.declared(how, f, p, was), nil
}

// declared returns what the body declares.
func (s *stream) declared(how manner, f *Fetched, p *decodedFile, was *declared) *declared {
	if was != nil {
		p.share(was.decoded[0])
	}
	details := &seenStream{}
	details.validator.Store(&f.Validator)
	d := &declared{decoded: []*decodedFile{p}, size: p.size, details: details, modified: f.Modified}
	sum := newSum(sha256.New(), "stream", how.opts)
	addText(sum, how.prefix, s.name, string(p.digest[:]))
	sum.Sum(d.digest[:0])
	return d
}
