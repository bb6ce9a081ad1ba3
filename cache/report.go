package cache

import (
	"context"
	"log/slog"
	"math"
	"time"
)

// outcomeOf names the outcome of a load that succeeded.
func outcomeOf(changed bool) Outcome {
	if changed {
		return OutcomeChanged
	}
	return OutcomeUnchanged
}

// outlasting is the context of hooks, logs and metrics: they learn what
// happened whether or not the load may go on.
func (r *runner) outlasting() context.Context { return context.WithoutCancel(r.e.ctx) }

// catalog is the label that names the source.
func (r *runner) catalog() slog.Attr { return slog.String("catalog", r.e.cfg.Key.String()) }

// beganLoad reports that a load begins.
func (r *runner) beganLoad(a *attempt) {
	if hook := r.c.hooks.LoadBegan; hook != nil {
		hook(r.outlasting(), LoadBegan{Key: r.e.cfg.Key, Cause: a.cause, Failures: r.e.failures})
	}
	r.c.log.LogAttrs(r.outlasting(), slog.LevelDebug, "loading catalog", r.catalog(), slog.String("cause", string(a.cause)))
}

// endedLoad reports that a load ended, once for each.
func (r *runner) endedLoad(a *attempt, outcome Outcome, err error, now time.Time) {
	if a.ended {
		if err != nil {
			r.c.log.LogAttrs(r.outlasting(), slog.LevelDebug, "load returned at last", r.catalog(), slog.Any("error", err))
		}
		r.measure()
		return
	}
	a.ended = true
	ended := LoadEnded{
		Key: r.e.cfg.Key, Cause: a.cause, Outcome: outcome, Err: err,
		Duration: now.Sub(a.began), Failures: r.e.failures, Next: r.e.next,
	}
	cause, how := slog.String("cause", string(a.cause)), slog.String("outcome", string(outcome))
	r.c.metrics.Count(r.outlasting(), MetricLoads, 1, r.catalog(), cause, how)
	r.c.metrics.Observe(r.outlasting(), MetricLoadSeconds, ended.Duration.Seconds(), r.catalog(), cause, how)
	if outcome != OutcomeDropped {
		r.measure()
	}
	r.logEnd(&ended)
	if hook := r.c.hooks.LoadEnded; hook != nil {
		hook(r.outlasting(), ended)
	}
}

// logEnd logs the end of a load: failures as warnings, the rest for debugging,
// because changes are logged by themselves.
func (r *runner) logEnd(e *LoadEnded) {
	level, message := slog.LevelDebug, "loaded catalog"
	attrs := []slog.Attr{
		r.catalog(), slog.String("cause", string(e.Cause)), slog.String("outcome", string(e.Outcome)),
		slog.Duration("duration", e.Duration),
	}
	if e.Err != nil {
		level, message = slog.LevelWarn, "cannot load catalog"
		attrs = append(attrs, slog.Any("error", e.Err), slog.Int("failures", e.Failures))
	}
	if !e.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", e.Next))
	}
	r.c.log.LogAttrs(r.outlasting(), level, message, attrs...)
}

// contentChanged reports that readers see other content.
func (r *runner) contentChanged(e Changed) {
	catalog := r.e.served.Catalog
	r.c.log.LogAttrs(r.outlasting(), slog.LevelInfo, "catalog changed", r.catalog(),
		slog.String("digest", e.After), slog.String("before", e.Before), slog.Uint64("version", e.Version),
		slog.Int("packages", len(catalog.packages)), slog.Int("bundles", len(catalog.bundles)), slog.Int("problems", len(catalog.problems)))
	if hook := r.c.hooks.Changed; hook != nil {
		hook(r.outlasting(), e)
	}
}

// becameUnavailable reports that failures are not forgiven any more.
func (r *runner) becameUnavailable(problem *SourceError) {
	r.c.log.LogAttrs(r.outlasting(), slog.LevelError, "catalog is unavailable", r.catalog(),
		slog.Time("since", problem.Since), slog.Int("failures", problem.Failures), slog.Any("error", problem.Err))
}

// recovered reports that a source that had failed was read again.
func (r *runner) recovered(problem *SourceError) {
	r.c.log.LogAttrs(r.outlasting(), slog.LevelInfo, "catalog can be read again", r.catalog(),
		slog.Time("failingSince", problem.Since), slog.Int("failures", problem.Failures))
}

// sourceRemoved reports that the source is gone. Its gauges have no value any
// more: zero would look like a catalog that is down.
func (r *runner) sourceRemoved() {
	for _, name := range []string{MetricAvailable, MetricFailures, MetricLastSuccess, MetricBundles, MetricProblems} {
		r.c.metrics.Gauge(r.outlasting(), name, math.NaN(), r.catalog())
	}
	r.c.log.LogAttrs(r.outlasting(), slog.LevelInfo, "catalog removed", r.catalog())
	if hook := r.c.hooks.Removed; hook != nil {
		hook(r.outlasting(), r.e.cfg.Key)
	}
}

// measure sets the gauges. What it reads is written by this goroutine alone.
func (r *runner) measure() {
	available, e := 0.0, r.e
	if e.available() {
		available = 1
	}
	r.c.metrics.Gauge(r.outlasting(), MetricAvailable, available, r.catalog())
	r.c.metrics.Gauge(r.outlasting(), MetricFailures, float64(e.failures), r.catalog())
	if !e.success.IsZero() {
		r.c.metrics.Gauge(r.outlasting(), MetricLastSuccess, float64(e.success.UnixMilli())/1e3, r.catalog())
	}
	if e.served != nil {
		r.c.metrics.Gauge(r.outlasting(), MetricBundles, float64(e.served.Catalog.Len()), r.catalog())
		r.c.metrics.Gauge(r.outlasting(), MetricProblems, float64(len(e.served.Catalog.problems)), r.catalog())
	}
}
