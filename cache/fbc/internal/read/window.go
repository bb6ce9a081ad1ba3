package read

import (
	"bytes"
	"context"
	"io"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/quickjson"
)

const (
	// firstBuffer is the initial size of the buffer of a source. It grows for larger blobs.
	firstBuffer = 32 << 10
	// readAtOnce is the maximum number of bytes read between two checks of the context.
	readAtOnce = 256 << 10
	// slack is how far the buffer may exceed the largest blob, so that the text after a blob is
	// visible.
	slack = 4 << 10
)

// source is a window onto a stream of text: the requested bytes from the current position on, and
// the line at which they start.
type source struct {
	ctx    context.Context
	r      io.Reader // it ends with the context
	to     *decoders // the receivers of cut text
	limits document.Limits
	count  func(n int) error // counts bytes
	max    int               // maximum size of the window
	line   int               // of the first byte of the window

	buf      []byte
	pos, end int   // the window in buf
	err      error // why there is no more; io.EOF at the end
	limit    error // an exhausted limit of the whole input
}

// newSource returns a source that reads r.
func newSource(s *Collector, r io.Reader, to *decoders) *source {
	limit := min(s.opts.Limits.MaxBytes, int64(NoLimit)) + slack
	return &source{ctx: s.ctx, r: r, buf: s.pool.text, to: to, limits: s.opts.Limits, count: s.meter.Bytes, max: int(limit), line: 1}
}

// window returns the window. It is valid until more is called.
func (s *source) window() []byte { return s.buf[s.pos:s.end] }

// advance skips n bytes of the window.
func (s *source) advance(n int) {
	s.line += bytes.Count(s.buf[s.pos:s.pos+n], newline)
	s.pos += n
}

var newline = []byte("\n")

// pass submits the start of the window for decoding, and advances. The window then continues in
// other memory.
func (s *source) pass(b Blob) error {
	rest := s.window()[len(b.Raw):]
	s.line += bytes.Count(b.Raw, newline)
	free, err := s.to.TakeOver(b)
	if s.buf = free[:cap(free)]; len(s.buf) < len(rest) {
		s.buf = make([]byte, max(min(s.to.batchBytes()+slack, s.max), len(rest)))
	}
	s.pos, s.end = 0, copy(s.buf, rest)
	return err
}

// more extends the window. It returns false if there is no more, with the reason in s.err, or if
// the window is full.
func (s *source) more() bool {
	if s.err != nil || s.end-s.pos >= s.max {
		return false
	}
	s.room()
	n := 0
	for n == 0 && s.err == nil {
		n, s.err = s.r.Read(s.buf[s.end:min(len(s.buf), s.end+readAtOnce)])
		s.end += n
	}
	if s.limit = s.count(n); s.limit != nil {
		s.err = s.limit
	}
	return n > 0 && s.limit == nil
}

// ended reports whether the context ended; there is no more then.
func (s *source) ended() bool {
	if err := s.ctx.Err(); err != nil {
		s.err = err
		return true
	}
	return false
}

// room makes room for more bytes after the window.
func (s *source) room() {
	if s.pos > 0 && (s.pos == s.end || s.end == len(s.buf)) {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end < len(s.buf) {
		return
	}
	size := firstBuffer
	if len(s.buf) > 0 {
		size = max(2*len(s.buf), s.to.batchBytes()+slack)
	}
	larger := make([]byte, min(size, s.max))
	copy(larger, s.buf[:s.end])
	s.buf = larger
}

// full reports whether the window has its maximum size.
func (s *source) full() bool { return s.end-s.pos >= s.max }

// failed returns why reading the stream failed, or nil.
func (s *source) failed() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}

// fatal reports whether an error stops the load, as an exhausted limit or the context does.
func (s *source) fatal(err error) bool {
	return err != nil && (err == s.limit || err == s.ctx.Err())
}

// skipSpace advances to the next byte that is not white space. It returns false at the end.
func (s *source) skipSpace() bool {
	for {
		w := s.window()
		n := quickjson.Space(w)
		s.advance(n)
		if n < len(w) {
			return true
		}
		if !s.more() {
			return false
		}
	}
}

// skipLine advances past the next newline. It returns false at the end.
func (s *source) skipLine() bool {
	for {
		w := s.window()
		if i := bytes.IndexByte(w, '\n'); i >= 0 {
			s.advance(i + 1)
			return true
		}
		s.advance(len(w))
		if !s.more() {
			return false
		}
	}
}
