package cache

import (
	"context"
	"log/slog"
)

// Metrics is what a [Cache] counts and measures with. A small adapter satisfies
// it with Prometheus, OpenTelemetry or expvar. It is safe for concurrent use,
// and does not block.
//
// The constants named Metric… are the names that a Cache uses. Each series has
// the attribute "catalog" (namespace/name of the key); those of loads also have
// "cause" (a [Cause]) and "outcome" (an [Outcome]).
type Metrics interface {
	// Count adds n, which is not negative, to a counter that only grows.
	Count(ctx context.Context, name string, n int64, attrs ...slog.Attr)
	// Gauge sets a current value. NaN says that there is no value any more: the
	// adapter may forget the series.
	Gauge(ctx context.Context, name string, v float64, attrs ...slog.Attr)
	// Observe adds a value to a histogram, in base units: seconds, bytes.
	Observe(ctx context.Context, name string, v float64, attrs ...slog.Attr)
}

const (
	// MetricLoads counts loads that ended, by catalog, cause and outcome.
	MetricLoads = "resolute_cache_loads_total"
	// MetricLoadSeconds is a histogram of how long loads took, in seconds, by
	// catalog, cause and outcome.
	MetricLoadSeconds = "resolute_cache_load_duration_seconds"
	// MetricAvailable is a gauge by catalog: 1 if snapshots serve it without an
	// error, else 0.
	MetricAvailable = "resolute_cache_catalog_available"
	// MetricFailures is a gauge by catalog: how many loads failed in a row.
	MetricFailures = "resolute_cache_catalog_failures"
	// MetricLastSuccess is a gauge by catalog: when a load last succeeded, in
	// seconds since 1970. It is not there before the first success.
	MetricLastSuccess = "resolute_cache_catalog_last_success_timestamp_seconds"
	// MetricBundles is a gauge by catalog: how many bundles its content has.
	MetricBundles = "resolute_cache_catalog_bundles"
	// MetricProblems is a gauge by catalog: how many problems its content has.
	MetricProblems = "resolute_cache_catalog_problems"
)

// noMetrics is what counts where no metrics are wanted.
type noMetrics struct{}

func (noMetrics) Count(context.Context, string, int64, ...slog.Attr)     {}
func (noMetrics) Gauge(context.Context, string, float64, ...slog.Attr)   {}
func (noMetrics) Observe(context.Context, string, float64, ...slog.Attr) {}
