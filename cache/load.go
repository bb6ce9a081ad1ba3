package cache

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
	"time"
)

// attempt is one call of Load or Warm.
type attempt struct {
	cause   string
	began   time.Time
	cancel  context.CancelFunc
	results chan result // gets one value; sending never blocks
	release func()      // frees the slot, once
	ended   bool        // its end was reported; if it is still running, it was abandoned
}

// warm reports whether it is a call of Warm.
func (a *attempt) warm() bool { return a.cause == causeWarm }

// result is the result of a call. Both fields are nil if a Warmer has nothing.
type result struct {
	content *Content
	err     error
}

// begin starts a load. The caller has acquired a slot.
func (e *entry) begin() {
	c := e.c
	a := &attempt{cause: e.want, results: make(chan result, 1), release: sync.OnceFunc(func() { <-c.slots })}
	if !e.lock() {
		a.release()
		return
	}
	e.want, e.load, e.next = "", a, time.Time{}
	if !a.warm() {
		e.flying, e.waiting = e.waiting, nil
	}
	ctx, cancel := context.WithTimeout(e.ctx, e.cfg.Timeout)
	a.began, a.cancel = time.Now(), cancel
	c.mu.Unlock()
	e.log(slog.LevelDebug, "loading catalog", slog.String("cause", a.cause))

	last := e.last
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[e] = struct{}{}
	c.spawn(func() {
		var res result
		defer func() {
			c.mu.Lock()
			delete(c.running, e)
			c.mu.Unlock()
			a.release()
			a.results <- res
		}()
		res.err = errGoexit
		defer func() {
			if v := recover(); v != nil {
				res = result{err: &PanicError{Value: v, Stack: debug.Stack()}}
			}
			if res.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
				res.err = &TimeoutError{Limit: e.cfg.Timeout, Err: res.err}
			}
		}()
		res = call(ctx, e.cfg.Source, last, a.warm())
	})
}

// call calls the source and checks its result.
func call(ctx context.Context, s Source, last *Content, warm bool) (res result) {
	if warm {
		res.content, res.err = s.(Warmer).Warm(ctx)
	} else {
		res.content, res.err = s.Load(ctx, last)
	}
	switch c := res.content; {
	case res.err != nil, c == nil && warm:
	case c == nil:
		res.err = errNoContent
	case c.Catalog == nil:
		res.err = errNoCatalog
	case c.Digest == "":
		res.err = errNoDigest
	default:
		return res
	}
	return result{err: res.err}
}

// finish handles the result of the load in progress. If the source was removed, end reports
// the load.
func (e *entry) finish(res result) {
	a := e.load
	a.cancel()
	switch {
	case res.content != nil:
		e.succeeded(a, res.content)
	case a.warm() || a.ended: // nothing to report
		if !e.lock() {
			return
		}
		e.load = nil
		e.c.mu.Unlock()
		outcome := outcomeUnchanged
		if res.err != nil {
			outcome = outcomeFailed
		}
		e.report(a, outcome, res.err)
	default:
		e.failed(a, res.err, false)
	}
	if a.warm() && e.want == "" {
		e.want = causeStart
	}
}

// abandon counts a load that does not return as failed and frees its slot. Its result is still
// used if it arrives.
func (e *entry) abandon() {
	e.load.release()
	e.failed(e.load, &TimeoutError{Limit: e.cfg.Timeout, Grace: e.c.grace}, true)
}

// succeeded records and publishes content.
func (e *entry) succeeded(a *attempt, content *Content) {
	now, delay := time.Now(), e.cfg.refreshDelay()
	if !e.lock() {
		return
	}
	before, available, problem := e.served, e.available(), e.problem
	e.load = nil
	e.succeed(content, a.warm(), now)
	changed, version := e.served != before, uint64(0)
	if changed || available != e.available() {
		version = e.c.publish()
	}
	if !a.warm() {
		if e.next = now.Add(delay); delay < 0 {
			e.next = time.Time{}
		}
		if e.want == causeRetry { // an abandoned load succeeded before its retry
			e.want = ""
		}
	}
	flying := e.flying
	e.flying = nil
	e.c.mu.Unlock()

	if problem != nil && !a.warm() {
		e.log(slog.LevelInfo, "catalog can be read again", slog.Time("failingSince", problem.Since), slog.Int("failures", problem.Failures))
	}
	outcome := outcomeUnchanged
	if changed {
		digest, c := "", e.served.Catalog
		if before != nil {
			digest = before.Digest
		}
		e.log(slog.LevelInfo, "catalog changed", slog.String("digest", e.served.Digest), slog.String("before", digest), slog.Uint64("version", version),
			slog.Int("packages", len(c.packages)), slog.Int("bundles", len(c.bundles)), slog.Int("problems", len(c.problems)))
		outcome = outcomeChanged
	}
	e.report(a, outcome, nil)
	flying.complete(nil)
}

// failed records a failure and schedules the retry. hangs means that the load has not
// returned.
func (e *entry) failed(a *attempt, err error, hangs bool) {
	now := time.Now()
	delay, held := e.cfg.retryDelay(e.failures()+1, err)
	if !e.lock() {
		return
	}
	available := e.available()
	e.fail(err, now)
	e.c.publish()
	e.hold, e.next = now.Add(held), now.Add(delay)
	if e.want == causeSignal {
		e.hasten(now)
	}
	if hangs || e.want == causeSignal {
		e.want = ""
	}
	problem, landing := e.problem, []*flight{e.flying}
	if e.flying = nil; hangs {
		landing = append(landing, e.waiting)
		e.waiting = nil
	} else {
		e.load = nil
	}
	e.c.mu.Unlock()

	e.report(a, outcomeFailed, err)
	if available && !e.available() {
		e.becameUnavailable()
	}
	for _, f := range landing {
		f.complete(problem)
	}
}

// end releases the state of a removed source. A load in progress was cancelled with the
// context of the entry, and nothing waits for its result.
func (e *entry) end() {
	if a := e.load; a != nil {
		a.cancel()
		a.release()
		if !a.ended {
			e.report(a, outcomeDropped, nil)
		}
	}
	err := context.Cause(e.ctx)
	if err != ErrClosed {
		// Zero would mean that the catalog is down.
		e.gauges(math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN())
		e.log(slog.LevelInfo, "catalog removed")
	}
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	e.waiting.complete(err)
	e.flying.complete(err)
	if key := e.cfg.Key; e.c.leaving[key] == e.done {
		delete(e.c.leaving, key)
	}
	close(e.done)
}

// log logs a message about the source.
func (e *entry) log(level slog.Level, message string, attrs ...slog.Attr) {
	e.c.log.LogAttrs(context.WithoutCancel(e.ctx), level, message, append([]slog.Attr{e.catalog}, attrs...)...)
}

// becameUnavailable reports that MaxStale is over.
func (e *entry) becameUnavailable() {
	e.log(slog.LevelError, "catalog is unavailable", slog.Time("since", e.problem.Since), slog.Int("failures", e.problem.Failures), slog.Any("error", e.problem.Err))
}

// report reports the end of a load, once per load: failures as warnings, successes for
// debugging, because changes are logged separately.
func (e *entry) report(a *attempt, outcome string, err error) {
	if a.ended {
		if err != nil {
			e.log(slog.LevelDebug, "abandoned load returned", slog.Any("error", err))
		}
		e.measure()
		return
	}
	a.ended = true
	ctx, took, cause, how := context.WithoutCancel(e.ctx), time.Since(a.began), slog.String("cause", a.cause), slog.String("outcome", outcome)
	e.c.metrics.Count(ctx, metricLoads, 1, e.catalog, cause, how)
	e.c.metrics.Observe(ctx, metricLoadSeconds, took.Seconds(), e.catalog, cause, how)
	if outcome != outcomeDropped {
		e.measure()
	}
	level, message := slog.LevelDebug, "loaded catalog"
	attrs := []slog.Attr{cause, how, slog.Duration("duration", took)}
	if err != nil {
		level, message = slog.LevelWarn, "cannot load catalog"
		attrs = append(attrs, slog.Any("error", err), slog.Int("failures", e.failures()))
	}
	if !e.next.IsZero() {
		attrs = append(attrs, slog.Time("next", e.next))
	}
	e.log(level, message, attrs...)
}

// measure sets the gauges.
func (e *entry) measure() {
	available, bundles, problems, success := 0.0, -1.0, -1.0, -1.0
	if e.available() {
		available = 1
	}
	if !e.success.IsZero() {
		success = float64(e.success.UnixMilli()) / 1e3
	}
	if e.served != nil {
		bundles, problems = float64(e.served.Catalog.Len()), float64(len(e.served.Catalog.problems))
	}
	e.gauges(available, float64(e.failures()), success, bundles, problems)
}

// gauges sets the gauges to the values that are not negative.
func (e *entry) gauges(values ...float64) {
	for i, name := range [...]string{metricAvailable, metricFailures, metricLastSuccess, metricBundles, metricProblems} {
		if v := values[i]; v >= 0 || math.IsNaN(v) {
			e.c.metrics.Gauge(context.WithoutCancel(e.ctx), name, v, e.catalog)
		}
	}
}
