package main

import (
	"fmt"
	"io"
	"os"
	"strings"
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

// progress shows on one line of a terminal how far the work got, once it takes
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
	p.say("reading catalogs: %d of %d files, %d blobs, %.1f MB", at.FilesDone, at.Files, at.Blobs, float64(at.Bytes)/1e6)
}

// bar tells how much of something has been done.
func (p *progress) bar(what string, done, total int) {
	const width = 30
	full := width
	if done < total {
		full = done * width / total
	}
	p.say("%s [%s%s] %d of %d", what, strings.Repeat("#", full), strings.Repeat(".", width-full), done, total)
}

// say puts a text on the line, unless the last one has only just been put there.
func (p *progress) say(format string, args ...any) {
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

// done clears the line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
	p.start, p.shown = time.Time{}, false
}
