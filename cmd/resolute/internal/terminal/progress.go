package terminal

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/text"
)

// Progress shows the progress of long-running work on one line of a terminal, never wider than
// the terminal. It is safe for concurrent use.
type Progress struct {
	to *Stream

	mu    sync.Mutex
	start time.Time
	last  time.Time
	shown bool
	phase phase
}

// phase is the work that the remaining time is estimated for.
type phase struct {
	what  string
	began time.Time
	done  int64
}

// Work describes the progress of a task.
type Work struct {
	// What names the task, such as "auditing bundles". It is truncated first.
	What string
	// Detail is the rest of the line.
	Detail string
	// Bar requests a progress bar if there is room.
	Bar bool
	// Done counts up to Total. A Total of 0 or less is unknown.
	Done, Total int64
}

// NewProgress returns a progress line for a stream. It shows nothing unless the stream is a
// terminal.
func NewProgress(to *Stream) *Progress { return &Progress{to: to} }

const (
	progressAfter = 400 * time.Millisecond
	progressEvery = 100 * time.Millisecond
	// estimateAfter is the minimum duration before the remaining time is estimated.
	estimateAfter = time.Second
	// defaultWidth is the assumed width of a terminal that reports none.
	defaultWidth = 80
	barWidth     = 30
	minBarWidth  = 10
)

// Catalogs shows the progress of reading catalogs.
func (p *Progress) Catalogs(at fbc.Progress) {
	w := Work{What: "reading catalogs", Detail: fmt.Sprintf("%d of %d files, %d blobs, %.1f MB", at.FilesDone, at.Files, at.Blobs, float64(at.Bytes)/1e6)}
	if at.Files > 1 {
		w.Done, w.Total = int64(at.FilesDone), int64(at.Files)
	}
	p.Show(w)
}

// Bar shows a progress bar.
func (p *Progress) Bar(what string, done, total int) {
	p.Show(Work{What: what, Detail: fmt.Sprintf("%d of %d", done, total), Bar: true, Done: int64(done), Total: int64(total)})
}

// Show shows the progress of a task. Frequent updates are dropped.
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

// remaining estimates the remaining time at the current pace. It returns an empty string if
// unknown.
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

// line returns a line of at most width columns. The bar shrinks and is dropped first, then the
// task name is truncated, then the detail. The remaining time is kept longest.
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

// Done clears the progress line.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
	p.start, p.shown, p.phase = time.Time{}, false, phase{}
}
