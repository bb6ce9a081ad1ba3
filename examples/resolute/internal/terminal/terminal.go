// Package terminal writes to what may be a terminal: in colour, and with one line that
// shows how far the work is, where a person looks on.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// Stream is an output stream that knows whether a person looks at it.
type Stream struct {
	io.Writer
	tty    bool
	colour bool
	width  int // columns of a terminal, 0 if not known
	ended  func() error
}

// Until makes the stream refuse what is written to it once ended returns an error.
func (t *Stream) Until(ended func() error) { t.ended = ended }

// Write writes, unless the stream has ended.
func (t *Stream) Write(p []byte) (int, error) {
	if t.ended != nil {
		if err := t.ended(); err != nil {
			return 0, err
		}
	}
	return t.Writer.Write(p)
}

// New returns a stream. It is in colour if w is a terminal, unless NO_COLOR is set.
func New(w io.Writer) *Stream {
	t := &Stream{Writer: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		t.tty = err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
		if t.tty {
			t.width = width(f)
		}
	}
	t.colour = t.tty && os.Getenv("NO_COLOR") == ""
	return t
}

// Colour is an ANSI parameter.
type Colour string

// The colours.
const (
	Green  Colour = "32"
	Red    Colour = "31"
	Yellow Colour = "33"
)

// Paint colours a text where colours are wanted.
func (t *Stream) Paint(colour Colour, text string) string {
	if !t.colour {
		return text
	}
	return "\x1b[" + string(colour) + "m" + text + "\x1b[0m"
}

// Progress shows on one line of a terminal how far the work is, once it takes
// long enough for somebody to wonder. It is safe for concurrent use.
type Progress struct {
	to *Stream

	mu    sync.Mutex
	start time.Time
	last  time.Time
	shown bool
}

// NewProgress shows progress on a stream, if that is a terminal.
func NewProgress(to *Stream) *Progress { return &Progress{to: to} }

const (
	progressAfter = 400 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// Catalogs shows what has been read so far.
func (p *Progress) Catalogs(at fbc.Progress) {
	p.Say("reading catalogs: %d of %d files, %d blobs, %.1f MB", at.FilesDone, at.Files, at.Blobs, float64(at.Bytes)/1e6)
}

// Bar shows how much of something has been done.
func (p *Progress) Bar(what string, done, total int) {
	const width = 30
	full := width
	if done < total {
		full = done * width / total
	}
	p.Say("%s [%s%s] %d of %d", what, strings.Repeat("#", full), strings.Repeat(".", width-full), done, total)
}

// Say shows a text on the line, unless the last one has only just been shown.
func (p *Progress) Say(format string, args ...any) {
	if !p.to.tty {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.start.IsZero() {
		p.start = now
	}
	if now.Sub(p.start) < progressAfter || now.Sub(p.last) < progressEvery {
		return
	}
	p.last, p.shown = now, true
	fmt.Fprintf(p.to, "\r\x1b[K"+format, args...)
}

// Done clears the line.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
	p.start, p.shown = time.Time{}, false
}
