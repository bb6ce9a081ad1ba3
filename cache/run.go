package cache

import (
	"log/slog"
	"runtime/debug"
	"time"
)

// run runs a source until its context ends: it decides when to load, runs one load at a time,
// and publishes the result. Only the load itself runs outside of this goroutine, so the source
// never blocks it.
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
			e.abandon()
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

// at returns a channel that receives a value at a time, or never for the zero time.
func at(t time.Time) <-chan time.Time {
	if t.IsZero() {
		return nil
	}
	return time.After(time.Until(t))
}

// due returns when the next load is scheduled; zero if one is already wanted, or none is
// scheduled.
func (e *entry) due() time.Time {
	if e.want != "" {
		return time.Time{}
	}
	return e.next
}

// listen subscribes to the changes of a source that is a Notifier.
func (e *entry) listen() <-chan struct{} {
	n, ok := e.cfg.Source.(Notifier)
	if !ok {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			e.log(slog.LevelWarn, "cannot subscribe to changes of the source", slog.Any("error", &PanicError{Value: v, Stack: debug.Stack()}))
		}
	}()
	return n.Changed(e.ctx)
}

// signalled requests a load because the source may have changed, unless the signal channel was
// closed. After a failure it only brings the retry forward.
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

// hasten brings the retry forward, but not before hold. c.mu is held.
func (e *entry) hasten(now time.Time) {
	if now.Before(e.hold) {
		now = e.hold
	}
	if e.next.IsZero() || now.Before(e.next) {
		e.next = now
	}
}

// demanded requests a load for the callers of Refresh. While an abandoned load has not
// returned, no other can begin, so the callers get its failure at once.
func (e *entry) demanded() {
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	switch {
	case e.waiting == nil: // a load that began meanwhile serves it
	case e.load != nil && e.load.ended:
		e.waiting.complete(e.problem)
		e.waiting = nil
	case e.want != causeWarm: // the load after Warm serves it
		e.want = causeDemand
	}
}

// expire publishes that MaxStale is over.
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

// lock locks the cache unless the source was removed, and reports whether it did.
func (e *entry) lock() bool {
	e.c.mu.Lock()
	if e.ctx.Err() == nil {
		return true
	}
	e.c.mu.Unlock()
	return false
}
