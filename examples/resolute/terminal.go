package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// terminal is an output stream that knows whether a person looks at it.
type terminal struct {
	io.Writer
	tty    bool
	colour bool
}

func newTerminal(w io.Writer) *terminal {
	t := &terminal{Writer: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		t.tty = err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	t.colour = t.tty && os.Getenv("NO_COLOR") == ""
	return t
}

// The colours, as ANSI parameters.
const (
	green  = "32"
	red    = "31"
	yellow = "33"
)

// paint colours a text where colours are wanted.
func (t *terminal) paint(colour, text string) string {
	if !t.colour {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// progress shows on one line of a terminal how far reading got, once it takes
// long enough for somebody to wonder. It is safe for concurrent use.
type progress struct {
	to *terminal

	mu    sync.Mutex
	start time.Time
	last  time.Time
	shown bool
}

const (
	progressAfter = 400 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// show tells what has been read so far.
func (p *progress) show(at fbc.Progress) {
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
	fmt.Fprintf(p.to, "\r\x1b[Kreading catalogs: %d of %d files, %d blobs, %.1f MB",
		at.FilesDone, at.Files, at.Blobs, float64(at.Bytes)/1e6)
}

// done clears the line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
	p.start, p.shown = time.Time{}, false
}
