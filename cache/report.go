package cache

import (
	"log/slog"
	"math"
	"time"
)

// log logs something about the source.
func (r *runner) log(level slog.Level, message string, attrs ...slog.Attr) {
	r.c.log.LogAttrs(r.ctx, level, message, append([]slog.Attr{r.catalog}, attrs...)...)
}

func (r *runner) beganLoad(a *attempt) {
	if hook := r.c.hooks.LoadBegan; hook != nil {
		hook(r.ctx, LoadBegan{Key: r.e.cfg.Key, Cause: a.cause, Failures: r.e.failures})
	}
	r.log(slog.LevelDebug, "loading catalog", slog.String("cause", string(a.cause)))
}

// endedLoad reports that a load ended, once for each.
func (r *runner) endedLoad(a *attempt, outcome string, err error, now time.Time) {
	if a.ended {
		if err != nil {
			r.log(slog.LevelDebug, "load returned at last", slog.Any("error", err))
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
	r.c.metrics.Count(r.ctx, metricLoads, 1, r.catalog, cause, how)
	r.c.metrics.Observe(r.ctx, metricLoadSeconds, ended.Duration.Seconds(), r.catalog, cause, how)
	if outcome != outcomeDropped {
		r.measure()
	}
	r.logEnd(&ended)
	if hook := r.c.hooks.LoadEnded; hook != nil {
		hook(r.ctx, ended)
	}
}

// logEnd logs the end of a load: failures as warnings, the rest for debugging,
// because changes are logged by themselves.
func (r *runner) logEnd(e *LoadEnded) {
	level, message := slog.LevelDebug, "loaded catalog"
	attrs := []slog.Attr{
		slog.String("cause", e.Cause), slog.String("outcome", e.Outcome), slog.Duration("duration", e.Duration),
	}
	if e.Err != nil {
		level, message = slog.LevelWarn, "cannot load catalog"
		attrs = append(attrs, slog.Any("error", e.Err), slog.Int("failures", e.Failures))
	}
	if !e.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", e.Next))
	}
	r.log(level, message, attrs...)
}

// contentChanged reports that readers see other content.
func (r *runner) contentChanged(e Changed) {
	catalog := r.e.served.Catalog
	r.log(slog.LevelInfo, "catalog changed",
		slog.String("digest", e.After), slog.String("before", e.Before), slog.Uint64("version", e.Version),
		slog.Int("packages", len(catalog.packages)), slog.Int("bundles", len(catalog.bundles)), slog.Int("problems", len(catalog.problems)))
	if hook := r.c.hooks.Changed; hook != nil {
		hook(r.ctx, e)
	}
}

// becameUnavailable reports that failures are not forgiven any more.
func (r *runner) becameUnavailable(problem *SourceError) {
	r.log(slog.LevelError, "catalog is unavailable", slog.Time("since", problem.Since), slog.Int("failures", problem.Failures), slog.Any("error", problem.Err))
}

// recovered reports that a source that had failed was read again.
func (r *runner) recovered(problem *SourceError) {
	r.log(slog.LevelInfo, "catalog can be read again", slog.Time("failingSince", problem.Since), slog.Int("failures", problem.Failures))
}

// sourceRemoved reports that the source is gone. Its gauges have no value any
// more: zero would look like a catalog that is down.
func (r *runner) sourceRemoved() {
	for _, name := range []string{metricAvailable, metricFailures, metricLastSuccess, metricBundles, metricProblems} {
		r.gauge(name, math.NaN())
	}
	r.log(slog.LevelInfo, "catalog removed")
	if hook := r.c.hooks.Removed; hook != nil {
		hook(r.ctx, r.e.cfg.Key)
	}
}

func (r *runner) gauge(name string, v float64) { r.c.metrics.Gauge(r.ctx, name, v, r.catalog) }

// measure sets the gauges. What it reads is written by this goroutine alone.
func (r *runner) measure() {
	available, e := 0.0, r.e
	if e.available() {
		available = 1
	}
	r.gauge(metricAvailable, available)
	r.gauge(metricFailures, float64(e.failures))
	if !e.success.IsZero() {
		r.gauge(metricLastSuccess, float64(e.success.UnixMilli())/1e3)
	}
	if e.served != nil {
		r.gauge(metricBundles, float64(e.served.Catalog.Len()))
		r.gauge(metricProblems, float64(len(e.served.Catalog.problems)))
	}
}
