package cache

import (
	"context"
	"log/slog"
)

// Metrics is what a [Cache] counts and measures with. A small adapter satisfies
// it with Prometheus, OpenTelemetry or expvar. It is safe for concurrent use,
// and does not block.
//
// A Cache uses these names. Each series has the attribute "catalog" (namespace/name of the
// key); those of loads also have "cause" and "outcome".
//   - resolute_cache_loads_total counts loads that ended.
//   - resolute_cache_load_duration_seconds is a histogram of how long loads took.
//   - resolute_cache_catalog_available is 1 if snapshots serve the catalog without an error,
//     else 0.
//   - resolute_cache_catalog_failures is how many loads failed in a row.
//   - resolute_cache_catalog_last_success_timestamp_seconds is when a load last succeeded, in
//     seconds since 1970. It is not there before the first success.
//   - resolute_cache_catalog_bundles and resolute_cache_catalog_problems are how many the
//     content has.
//
// The cause of a load is one of
//   - warm: the source is asked for what an earlier process had
//   - start: the source is new
//   - schedule: [SourceConfig.Refresh] is over
//   - retry: the load before failed, and [SourceConfig.Backoff] is over
//   - signal: [SourceConfig.Signal] or the [Notifier] asked for it
//   - demand: somebody called [Cache.Refresh]
//
// and its outcome is one of
//   - changed: there is new content
//   - unchanged: the content is that of before; of a [Warmer]: there was nothing
//   - failed: there was an error
//   - dropped: the source was removed or the cache closed meanwhile
type Metrics interface {
	// Count adds n, which is not negative, to a counter that only grows.
	Count(ctx context.Context, name string, n int64, attrs ...slog.Attr)
	// Gauge sets a current value. NaN says that there is no value any more: the
	// adapter may forget the series.
	Gauge(ctx context.Context, name string, v float64, attrs ...slog.Attr)
	// Observe adds a value to a histogram, in base units: seconds, bytes.
	Observe(ctx context.Context, name string, v float64, attrs ...slog.Attr)
}

// Why a source is loaded, and how that ended.
const (
	causeWarm     = "warm"
	causeStart    = "start"
	causeSchedule = "schedule"
	causeRetry    = "retry"
	causeSignal   = "signal"
	causeDemand   = "demand"

	outcomeChanged   = "changed"
	outcomeUnchanged = "unchanged"
	outcomeFailed    = "failed"
	outcomeDropped   = "dropped"
)

const (
	metricLoads       = "resolute_cache_loads_total"
	metricLoadSeconds = "resolute_cache_load_duration_seconds"
	metricAvailable   = "resolute_cache_catalog_available"
	metricFailures    = "resolute_cache_catalog_failures"
	metricLastSuccess = "resolute_cache_catalog_last_success_timestamp_seconds"
	metricBundles     = "resolute_cache_catalog_bundles"
	metricProblems    = "resolute_cache_catalog_problems"
)

// noMetrics is what counts where no metrics are wanted.
type noMetrics struct{}

func (noMetrics) Count(context.Context, string, int64, ...slog.Attr)     {}
func (noMetrics) Gauge(context.Context, string, float64, ...slog.Attr)   {}
func (noMetrics) Observe(context.Context, string, float64, ...slog.Attr) {}
