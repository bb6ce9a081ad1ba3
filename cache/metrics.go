package cache

import (
	"context"
	"log/slog"
)

// Metrics receives the metrics of a [Cache]. A small adapter implements it with Prometheus,
// OpenTelemetry or expvar. It must be safe for concurrent use and must not block.
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
//   - resolute_cache_catalog_bundles and resolute_cache_catalog_problems are the numbers of
//     bundles and problems in the content.
//
// The cause of a load is one of
//   - warm: [Warmer.Warm] of a new source
//   - start: first load of a new source
//   - schedule: [SourceConfig.Refresh] is over
//   - retry: the load before failed, and [SourceConfig.Backoff] is over
//   - signal: [SourceConfig.Signal] or the [Notifier] requested it
//   - demand: a caller of [Cache.Refresh] requested it
//
// and its outcome is one of
//   - changed: there is new content
//   - unchanged: the content is that of before; of a [Warmer]: there was nothing
//   - failed: there was an error
//   - dropped: the source was removed or the cache closed meanwhile
type Metrics interface {
	// Count adds n, which is not negative, to a counter that only grows.
	Count(ctx context.Context, name string, n int64, attrs ...slog.Attr)
	// Gauge sets a current value. NaN means that the series has ended: the adapter may delete
	// it.
	Gauge(ctx context.Context, name string, v float64, attrs ...slog.Attr)
	// Observe adds a value to a histogram, in base units: seconds, bytes.
	Observe(ctx context.Context, name string, v float64, attrs ...slog.Attr)
}

// Causes and outcomes of loads.
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

// noMetrics discards metrics.
type noMetrics struct{}

func (noMetrics) Count(context.Context, string, int64, ...slog.Attr)     {}
func (noMetrics) Gauge(context.Context, string, float64, ...slog.Attr)   {}
func (noMetrics) Observe(context.Context, string, float64, ...slog.Attr) {}
