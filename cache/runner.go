package cache

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"
)

// runner runs one source: it decides when to load, starts one load at a time,
// and puts the result in place. All but the load itself happens in its one
// goroutine, which is never blocked by the source.
type runner struct {
	c *Cache
	e *entry

	want    string   // why a load has to begin; empty if none has to
	load    *attempt // the one under way, or nil
	due     *time.Timer
	forgive *time.Timer // until failures are not forgiven any more
	abandon *time.Timer // until a load that was stopped is given up
	// hold is the time before which signals do not bring a retry forward.
	hold time.Time

	signal, notified <-chan struct{}

	ctx     context.Context // of logs and metrics: it outlasts the source
	catalog slog.Attr       // names the source
}

// newRunner returns the runner of a source, all of its timers at rest.
func newRunner(c *Cache, e *entry) *runner {
	r := &runner{c: c, e: e, want: causeStart, due: stopped(), forgive: stopped(), abandon: stopped(), signal: e.cfg.Signal,
		ctx: context.WithoutCancel(e.ctx), catalog: slog.String("catalog", e.cfg.Key.String())}
	if _, ok := e.cfg.Source.(Warmer); ok {
		r.want = causeWarm
	}
	return r
}

// stopped returns a timer that does not run.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// run runs the source until its context ends.
func (r *runner) run() {
	defer r.end()
	r.listen()
	for {
		var slots chan struct{}
		var results chan result
		if r.load != nil {
			results = r.load.results
		} else if r.want != "" {
			slots = r.c.slots
		}
		select {
		case <-r.e.ctx.Done():
			return
		case slots <- struct{}{}:
			r.begin()
		case res := <-results:
			r.finish(res)
		case <-r.abandon.C:
			r.giveUp()
		case <-r.due.C:
			r.dueNow()
		case <-r.forgive.C:
			r.expire()
		case <-r.e.kick:
			r.demanded()
		case _, open := <-r.signal:
			r.signalled(&r.signal, open)
		case _, open := <-r.notified:
			r.signalled(&r.notified, open)
		}
	}
}

// listen asks a source that notices changes to tell of them.
func (r *runner) listen() {
	n, ok := r.e.cfg.Source.(Notifier)
	if !ok {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			r.log(slog.LevelWarn, "the source cannot tell of changes", slog.Any("error", &PanicError{Value: v, Stack: debug.Stack()}))
		}
	}()
	r.notified = n.Changed(r.e.ctx)
}

// dueNow asks for a load because the schedule says so.
func (r *runner) dueNow() {
	if r.want != "" {
		return
	}
	r.want = causeSchedule
	if r.e.failures > 0 { // written by this goroutine alone
		r.want = causeRetry
	}
}

// signalled asks for a load because the source may have changed, unless the channel
// that says so was closed. After a failure it only brings the retry forward.
func (r *runner) signalled(from *<-chan struct{}, open bool) {
	switch {
	case !open:
		*from = nil
	case r.want != "":
	case r.load == nil && r.e.failures > 0:
		r.hasten()
	default:
		r.want = causeSignal
	}
}

// hasten brings the retry forward, as far as that is allowed.
func (r *runner) hasten() {
	now := time.Now()
	at := r.hold
	if at.Before(now) {
		at = now
	}
	if r.e.next.IsZero() || at.Before(r.e.next) {
		r.schedule(now, at.Sub(now))
	}
}

// demanded asks for a load because a caller of Refresh waits for it. While a
// load that was given up has not returned there can be no other: the caller is
// informed at once.
func (r *runner) demanded() {
	r.c.mu.Lock()
	waiting, problem := r.e.waiting, r.e.problem
	stuck := r.load != nil && r.load.abandoned
	if stuck {
		r.e.waiting = nil
	}
	r.c.mu.Unlock()
	switch {
	case waiting == nil: // a load that has begun since took it along
	case stuck:
		waiting.land(problem)
	case r.want == causeWarm: // the load after it is soon enough
	default:
		r.want = causeDemand
	}
}
