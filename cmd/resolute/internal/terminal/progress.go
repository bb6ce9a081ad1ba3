package terminal

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/text"
)

// Progress shows on one line of a terminal how far the work is, once it takes
// long enough for somebody to wonder. The line is never wider than the terminal. It is
// safe for concurrent use.
type Progress struct {
	to *Stream

	mu    sync.Mutex
	start time.Time
	last  time.Time
	shown bool
	phase phase
}

// phase is the work for which the time left is estimated.
type phase struct {
	what  string
	began time.Time
	done  int64
}

// Work says how far a piece of work is.
type Work struct {
	// What names the work: "auditing bundles". It is cut first if the line is too long.
	What string
	// Detail is the rest of the line.
	Detail string
	// Bar draws a bar of how much is done, where there is room.
	Bar bool
	// Done of Total is done; a Total of 0 or less is not known.
	Done, Total int64
}

// NewProgress shows progress on a stream, if that is a terminal.
func NewProgress(to *Stream) *Progress { return &Progress{to: to} }

const (
	progressAfter = 400 * time.Millisecond
	progressEvery = 100 * time.Millisecond
	// estimateAfter is how long work has to go on before the time left is estimated.
	estimateAfter = time.Second
	// defaultWidth is the width of a terminal that does not report one.
	defaultWidth = 80
	barWidth     = 30
	minBarWidth  = 10
)

// Catalogs shows what has been read so far.
func (p *Progress) Catalogs(at fbc.Progress) {
	w := Work{What: "reading catalogs", Detail: fmt.Sprintf("%d of %d files, %d blobs, %.1f MB", at.FilesDone, at.Files, at.Blobs, float64(at.Bytes)/1e6)}
	if at.Files > 1 {
		w.Done, w.Total = int64(at.FilesDone), int64(at.Files)
	}
	p.Show(w)
}

// Bar shows how much of something has been done.
func (p *Progress) Bar(what string, done, total int) {
	p.Show(Work{What: what, Detail: fmt.Sprintf("%d of %d", done, total), Bar: true, Done: int64(done), Total: int64(total)})
}

// Show shows how far a piece of work is, unless the line has only just been written.
func (p *Progress) Show(w Work) {
	if !p.to.tty {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.start.IsZero() {
		p.start = now
	}
	if p.phase.what != w.What || w.Done < p.phase.done {
		p.phase = phase{what: w.What, began: now}
	}
	p.phase.done = w.Done
	if now.Sub(p.start) < progressAfter || now.Sub(p.last) < progressEvery {
		return
	}
	p.last, p.shown = now, true
	fmt.Fprint(p.to, "\r\x1b[K"+w.line(remaining(w.Done, w.Total, now.Sub(p.phase.began)), p.to.columns()-1))
}

// remaining estimates the time that work takes on, at the pace so far: empty if that is
// not known.
func remaining(done, total int64, spent time.Duration) string {
	if done <= 0 || done >= total || spent < estimateAfter {
		return ""
	}
	left := time.Duration(float64(spent) / float64(done) * float64(total-done))
	switch left = left.Round(time.Second); {
	case left < time.Minute:
		return fmt.Sprintf(", ETA %ds", max(1, int(left.Seconds())))
	case left < time.Hour:
		return fmt.Sprintf(", ETA %dm%02ds", int(left.Minutes()), int(left.Seconds())%60)
	}
	return fmt.Sprintf(", ETA %dh%02dm", int(left.Hours()), int(left.Minutes())%60)
}

// line is the line of at most so many columns: the bar shrinks and goes first, then the name
// of the work is cut, then the rest. The time left is kept as long as possible.
func (w Work) line(eta string, width int) string {
	what, detail := text.Inert(w.What), text.Inert(w.Detail)+eta
	if w.Bar {
		if n := min(barWidth, width-columns(what)-columns(detail)-4); n >= minBarWidth {
			full := n
			if w.Done < w.Total {
				full = int(w.Done * int64(n) / w.Total)
			}
			return fmt.Sprintf("%s [%s%s] %s", what, strings.Repeat("#", full), strings.Repeat(".", n-full), detail)
		}
	}
	if room := width - columns(detail) - 2; columns(what) > room {
		if what = Cut(what, room); what == "" {
			return Cut(strings.TrimPrefix(detail, ", "), width)
		}
	}
	return what + ": " + detail
}

// Done clears the line.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
	p.start, p.shown, p.phase = time.Time{}, false, phase{}
}
