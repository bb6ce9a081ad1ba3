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

// Fetch requests a catalog from a server. The validator is that of the current content, from an
// earlier answer; empty if there is none. A Fetch, and reading the body of its answer, must end
// soon after the context does. It must be safe for concurrent use.
type Fetch func(ctx context.Context, validator string) (*Fetched, error)

// Fetched is the answer of a server.
type Fetched struct {
	// NotModified means that the content with the given validator is still current. Other fields
	// are then ignored.
	NotModified bool
	// Body is the catalog as JSON, in any layout, optionally compressed with gzip. The caller of
	// Fetch closes it. An error of it, other than io.EOF, fails the load.
	Body io.ReadCloser
	// EndUnmarked means that nothing marks the end of Body, so that a truncated one could look
	// complete. It is only accepted if it is compressed, because gzip has a checksum.
	EndUnmarked bool
	// Validator is the validator for the next request, or empty.
	Validator string
	// Modified is the time of the last change according to the server, or zero.
	Modified time.Time
}

// Stream returns a source that reads the catalog that a server sends. The name is its file in
// problems.
//
// It is stricter than [Read]: a truncated body, detected by a read error, a wrong checksum or an
// incomplete last value, is a [*CutError], never a part of a catalog. Other flaws are problems or
// errors, as with Read.
//
// If the server reports no change, or sends the same content again, Load returns the last content,
// with the new validator if it differs.
func Stream(name string, fetch Fetch, opts Options) cache.Source {
	return &stream{name: name, fetch: fetch, opts: opts.prepared()}
}

// CutError is the error of a catalog that a server did not send completely.
type CutError struct {
	// Name is the catalog, as the caller named it.
	Name string
	// Bytes is the size of the received part, decompressed.
	Bytes int64
	// Err is the cause.
	Err error
}

// Error names the size of the received part and the cause.
func (e *CutError) Error() string {
	return fmt.Sprintf("the catalog %s did not arrive whole, only %d bytes of it: %v; what came is not used", e.Name, e.Bytes, e.Err)
}

// Unwrap returns the cause.
func (e *CutError) Unwrap() error { return e.Err }

// ErrHalfValue is the cause of a [CutError] if a catalog ends inside a value although the server
// marked its end.
var ErrHalfValue = errors.New("it ends in the middle of a value")

// ErrUnmarkedEnd is the cause of a [CutError] if nothing marks the end of the response.
var ErrUnmarkedEnd = errors.New("response has no length, chunking or checksum: cannot detect truncation")

// stream is the source of a catalog that a server sends.
type stream struct {
	name  string
	fetch Fetch
	opts  Options
}

// Load implements [cache.Source].
func (s *stream) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	mark, validator := s.mark(), ""
	if last != nil { // a validator of other settings is not for this content
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
			return nil, fmt.Errorf("the catalog %s cannot be read: the server answered that nothing changed to an unconditional request", s.name)
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

// mark returns the prefix of the validators of this source in a content, which distinguishes its
// settings.
func (s *stream) mark() string {
	sum := newSum("stream", &s.opts)
	addText(sum, "", s.name)
	return hex.EncodeToString(sum.Sum(nil)[:8]) + " "
}

// read reads a body, and returns the digest of its content.
func (s *stream) read(ctx context.Context, f *Fetched) (*read.File, string, error) {
	r := newFileReader(&s.opts, 1)
	body, zipped, err := read.Unzip(f.Body)
	h := newHashing(ctx, body, err, true)
	h.left = min(h.left, s.opts.MaxTotalBytes) // a body that is compressed twice may consist of headers only
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
