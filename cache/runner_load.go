package cache

import (
	"context"
	"sync"
	"time"
)

// begin begins a load. A slot was taken for it.
func (r *runner) begin() {
	a := &attempt{cause: r.want, results: make(chan result, 1), release: sync.OnceFunc(func() { <-r.c.slots })}
	r.want = ""
	r.due.Stop()
	r.c.mu.Lock()
	if r.e.ctx.Err() != nil {
		r.c.mu.Unlock()
		a.release()
		return
	}
	r.e.loading, r.e.next = true, time.Time{}
	if a.cause != causeWarm {
		r.e.flying, r.e.waiting = r.e.waiting, nil
	}
	a.last = r.e.last
	r.c.mu.Unlock()
	r.load = a
	r.beganLoad(a)

	ctx, cancel := context.WithTimeout(r.e.ctx, r.e.cfg.Timeout)
	a.began, a.cancel = time.Now(), cancel
	r.abandon.Reset(r.e.cfg.Timeout + r.c.grace)
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.running[r.e] = struct{}{}
	r.c.spawn(func() { r.c.carryOut(ctx, r.e, a) })
}

// finish puts the result of the load under way in place.
func (r *runner) finish(res result) {
	a := r.load
	r.load = nil
	r.abandon.Stop()
	a.cancel()
	warm := a.cause == causeWarm
	switch {
	case res.err == nil && (res.content != nil || !warm):
		r.succeeded(a, res.content)
	case warm || a.abandoned:
		r.passed(a, res.err)
	default:
		r.failed(a, res.err)
	}
	if warm && r.want == "" {
		r.want = causeStart
	}
}

// giveUp counts a load that does not return as failed. Its slot is free again;
// its result, should one come, is still welcome.
func (r *runner) giveUp() {
	r.load.abandoned = true
	r.load.release()
	r.failed(r.load, &TimeoutError{Limit: r.e.cfg.Timeout, Grace: r.c.grace})
}

// succeeded puts content in place.
func (r *runner) succeeded(a *attempt, content *Content) {
	now := time.Now()
	r.c.mu.Lock()
	if r.e.ctx.Err() != nil {
		r.c.mu.Unlock()
		r.load = a // for end to report
		return
	}
	before, was, problem := "", r.e.available(), r.e.problem
	if r.e.served != nil {
		before = r.e.served.Digest
	}
	var changed bool
	if r.e.loading = false; a.cause == causeWarm {
		changed = r.e.take(content, now)
		r.e.warm = true
	} else {
		changed = r.e.succeed(content, now)
		r.forgive.Stop()
	}
	version := uint64(0)
	if changed || was != r.e.available() {
		version = r.c.publish()
	}
	flying := r.e.flying
	r.e.flying = nil
	r.c.mu.Unlock()

	if a.cause != causeWarm {
		r.schedule(now, r.e.cfg.refreshDelay())
		if r.want == causeRetry { // what it wanted to try again came late
			r.want = ""
		}
		if problem != nil {
			r.recovered(problem)
		}
	}
	if changed {
		r.contentChanged(version, before)
	}
	outcome := outcomeUnchanged
	if changed {
		outcome = outcomeChanged
	}
	r.endedLoad(a, outcome, nil, now)
	flying.land(nil)
}

// failed notes a failure, and when to try again.
func (r *runner) failed(a *attempt, err error) {
	now := time.Now()
	r.c.mu.Lock()
	if r.e.ctx.Err() != nil {
		r.c.mu.Unlock()
		r.load = a
		return
	}
	r.e.loading = a.abandoned
	was := r.e.available()
	r.e.fail(err, now)
	lost := was && !r.e.available()
	r.c.publish()
	problem, until := r.e.problem, r.e.forgivenUntil()
	landing := []*flight{r.e.flying}
	r.e.flying = nil
	if a.abandoned {
		landing = append(landing, r.e.waiting)
		r.e.waiting = nil
	}
	r.c.mu.Unlock()

	delay, held := r.e.cfg.retryDelay(problem.Failures, err)
	r.hold = now.Add(held)
	r.schedule(now, delay)
	if !until.IsZero() {
		r.forgive.Reset(until.Sub(now))
	}
	switch {
	case r.want == causeSignal:
		r.want = ""
		r.hasten()
	case a.abandoned:
		r.want = ""
	}
	r.endedLoad(a, outcomeFailed, err, now)
	if lost {
		r.becameUnavailable(problem)
	}
	for _, f := range landing {
		f.land(problem)
	}
}

// passed notes the end of a load that changes nothing: a Warmer that had
// nothing or failed, or a load that had been given up before.
func (r *runner) passed(a *attempt, err error) {
	r.c.mu.Lock()
	r.e.loading = false
	r.c.mu.Unlock()
	outcome := outcomeUnchanged
	if err != nil {
		outcome = outcomeFailed
	}
	r.endedLoad(a, outcome, err, time.Now())
}

// expire informs readers that failures are not forgiven any more.
func (r *runner) expire() {
	r.c.mu.Lock()
	if r.e.ctx.Err() != nil || r.e.problem == nil {
		r.c.mu.Unlock()
		return
	}
	r.e.expired = true
	r.c.publish()
	problem := r.e.problem
	r.c.mu.Unlock()
	r.measure()
	r.becameUnavailable(problem)
}

// schedule sets when the next load is due; a negative delay is never.
func (r *runner) schedule(now time.Time, delay time.Duration) {
	next := time.Time{}
	if delay < 0 {
		r.due.Stop()
	} else {
		r.due.Reset(delay)
		next = now.Add(delay)
	}
	r.c.mu.Lock()
	r.e.next = next
	r.c.mu.Unlock()
}

// end leaves nothing behind. A load that is still under way was cancelled with
// the context of the entry, and nothing waits for its result.
func (r *runner) end() {
	for _, t := range []*time.Timer{r.due, r.forgive, r.abandon} {
		t.Stop()
	}
	if a := r.load; a != nil {
		a.cancel()
		a.release()
		if !a.ended {
			r.endedLoad(a, outcomeDropped, nil, time.Now())
		}
	}
	r.c.mu.Lock()
	removed, key := r.e.removed, r.e.cfg.Key
	waiting, flying := r.e.waiting, r.e.flying
	r.e.waiting, r.e.flying = nil, nil
	r.c.mu.Unlock()

	err := ErrClosed
	if removed {
		err = &UnknownSourceError{Key: key}
		r.sourceRemoved()
	}
	waiting.land(err)
	flying.land(err)
	r.c.mu.Lock()
	if r.c.leaving[key] == r.e.done {
		delete(r.c.leaving, key)
	}
	r.c.mu.Unlock()
	close(r.e.done)
}
