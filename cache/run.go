package cache

import (
	"log/slog"
	"runtime/debug"
	"time"
)

// run runs a source until its context ends: it decides when to load, starts one load at a
// time, and puts the result in place. All but the load itself happens in this goroutine,
// which is never blocked by the source.
func (e *entry) run() {
	defer e.end()
	signal, notified := e.cfg.Signal, e.listen()
	for {
		var slots chan<- struct{}
		var results <-chan result
		var abandon <-chan time.Time
		if a := e.load; a == nil && e.want != "" {
			slots = e.c.slots
		} else if a != nil {
			results = a.results
			if !a.ended {
				abandon = at(a.began.Add(e.cfg.Timeout + e.c.grace))
			}
		}
		select {
		case <-e.ctx.Done():
			return
		case slots <- struct{}{}:
			e.begin()
		case res := <-results:
			e.finish(res)
		case <-abandon:
			e.giveUp()
		case <-at(e.due()):
			e.want = causeSchedule
			if e.problem != nil {
				e.want = causeRetry
			}
		case <-at(e.forgivenUntil()):
			e.expire()
		case <-e.kick:
			e.demanded()
		case _, open := <-signal:
			if e.signalled(open); !open {
				signal = nil
			}
		case _, open := <-notified:
			if e.signalled(open); !open {
				notified = nil
			}
		}
	}
}

// at returns a channel that gets a value at a time, never at the zero one.
func at(t time.Time) <-chan time.Time {
	if t.IsZero() {
		return nil
	}
	return time.After(time.Until(t))
}

// due returns when a load has to begin because the schedule says so; zero if there is a
// reason already, or no such time.
func (e *entry) due() time.Time {
	if e.want != "" {
		return time.Time{}
	}
	return e.next
}

// listen asks a source that notices changes to tell of them.
func (e *entry) listen() <-chan struct{} {
	n, ok := e.cfg.Source.(Notifier)
	if !ok {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			e.log(slog.LevelWarn, "the source cannot tell of changes", slog.Any("error", &PanicError{Value: v, Stack: debug.Stack()}))
		}
	}()
	return n.Changed(e.ctx)
}

// signalled asks for a load because the source may have changed, unless the channel
// that says so was closed. After a failure it only brings the retry forward.
func (e *entry) signalled(open bool) {
	switch {
	case !open || e.want != "":
	case e.load == nil && e.problem != nil:
		e.c.mu.Lock()
		defer e.c.mu.Unlock()
		e.hasten(time.Now())
	default:
		e.want = causeSignal
	}
}

// hasten brings the retry forward, as far as that is allowed. c.mu is held.
func (e *entry) hasten(now time.Time) {
	if now.Before(e.hold) {
		now = e.hold
	}
	if e.next.IsZero() || now.Before(e.next) {
		e.next = now
	}
}

// demanded asks for a load because a caller of Refresh waits for it. While a
// load that was given up has not returned there can be no other: the caller is
// informed at once.
func (e *entry) demanded() {
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	switch {
	case e.waiting == nil: // a load that has begun since took it along
	case e.load != nil && e.load.ended:
		e.waiting.land(e.problem)
		e.waiting = nil
	case e.want != causeWarm: // the load after it is soon enough
		e.want = causeDemand
	}
}

// expire informs readers that failures are not forgiven any more.
func (e *entry) expire() {
	if !e.lock() {
		return
	}
	e.expired = true
	e.c.publish()
	e.c.mu.Unlock()
	e.measure()
	e.becameUnavailable()
}

// lock locks the cache, unless the source is gone, and reports whether it did.
func (e *entry) lock() bool {
	e.c.mu.Lock()
	if e.ctx.Err() == nil {
		return true
	}
	e.c.mu.Unlock()
	return false
}
