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
	r.log(slog.LevelDebug, "loading catalog", slog.String("cause", a.cause))
}

// endedLoad reports that a load ended, once for each: failures as warnings, the rest for
// debugging, because changes are logged by themselves.
func (r *runner) endedLoad(a *attempt, outcome string, err error, now time.Time) {
	if a.ended {
		if err != nil {
			r.log(slog.LevelDebug, "load returned at last", slog.Any("error", err))
		}
		r.measure()
		return
	}
	a.ended = true
	took, cause, how := now.Sub(a.began), slog.String("cause", a.cause), slog.String("outcome", outcome)
	r.c.metrics.Count(r.ctx, metricLoads, 1, r.catalog, cause, how)
	r.c.metrics.Observe(r.ctx, metricLoadSeconds, took.Seconds(), r.catalog, cause, how)
	if outcome != outcomeDropped {
		r.measure()
	}
	level, message := slog.LevelDebug, "loaded catalog"
	attrs := []slog.Attr{cause, how, slog.Duration("duration", took)}
	if err != nil {
		level, message = slog.LevelWarn, "cannot load catalog"
		attrs = append(attrs, slog.Any("error", err), slog.Int("failures", r.e.failures))
	}
	if !r.e.next.IsZero() {
		attrs = append(attrs, slog.Time("next", r.e.next))
	}
	r.log(level, message, attrs...)
}

// contentChanged reports that readers see other content.
func (r *runner) contentChanged(version uint64, before string) {
	now := r.e.served
	r.log(slog.LevelInfo, "catalog changed",
		slog.String("digest", now.Digest), slog.String("before", before), slog.Uint64("version", version),
		slog.Int("packages", len(now.Catalog.packages)), slog.Int("bundles", len(now.Catalog.bundles)), slog.Int("problems", len(now.Catalog.problems)))
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
