package cache

import (
	"log/slog"
	"time"
)

// Defaults for zero values in [Config] and [SourceConfig].
const (
	defaultRefresh    = 10 * time.Minute
	defaultJitter     = 0.1
	defaultTimeout    = 2 * time.Minute
	defaultBackoffMin = time.Second
	defaultBackoffMax = 5 * time.Minute
	defaultParallel   = 4
	defaultGrace      = 5 * time.Second
)

// maxRetryAfter limits how long a [RetryAfterer] delays the next load.
const maxRetryAfter = 24 * time.Hour

// Config configures a [Cache]. The zero value configures a Cache without sources.
type Config struct {
	// Sources are the initial sources; [Cache.Add] adds more.
	Sources []SourceConfig
	// Logger receives loads (debug), changes (info), failures (warn) and catalogs that become
	// unavailable (error), in order for each source; nil logs nothing. Logger and Metrics are
	// called without locks held, and may call methods of the Cache; a call that blocks delays
	// its source, and a call of [Cache.Close] deadlocks until Grace is over.
	Logger *slog.Logger
	// Metrics records metrics; nil records none.
	Metrics Metrics
	// Parallel limits how many sources are loaded at the same time; 0 means 4.
	Parallel int
	// Grace is how long the cache waits for a cancelled Load to return; 0 means 5 seconds. A
	// Load that exceeds its Timeout and then Grace counts as failed, and the next load begins
	// only after it returns; its content is still used if it arrives. [Cache.Close] waits no
	// longer than Grace, and then returns a [*HangingError].
	Grace time.Duration
}

// SourceConfig configures one source of a [Cache].
type SourceConfig struct {
	// Key names the catalog. It must be unique in the cache, with both parts set.
	Key Key
	// Priority orders catalogs; higher is better (section 4 of the semantics).
	Priority int
	// Source reads the catalog. It must not be nil.
	Source Source
	// Refresh is the time from the end of one load to the start of the next; 0 means 10 minutes.
	// If it is negative, the source is loaded once, and again only on demand or on a signal. A
	// failed load is retried after Backoff regardless of Refresh.
	Refresh time.Duration
	// Jitter is the fraction of Refresh, from 0 to 1, by which a refresh is randomly moved, so
	// that sources do not load in step; 0 means 0.1, and a negative value means none.
	Jitter float64
	// Timeout limits one load; 0 means 2 minutes.
	Timeout time.Duration
	// Backoff is the delay after failures.
	Backoff Backoff
	// MaxStale is how long a failing source keeps its catalog available, counted from the first
	// of consecutive failures: 0 means not at all, negative means forever. The last good content
	// is served during that time and afterwards. A source that has never been read is
	// unavailable regardless of MaxStale.
	MaxStale time.Duration
	// Signal requests a refresh with each value. Values received during a load share one load
	// after it; values received during the backoff bring the retry forward. It may be closed.
	Signal <-chan struct{}
}

// Backoff is the exponential backoff of a [Cache]. The delay is random between Min and 2*Min
// after the first failure and doubles with each consecutive one, up to Max; it is longer if
// the error requests that, see [RetryAfterer]. A signal brings the retry forward, at the
// earliest to Min after the failure.
type Backoff struct {
	// Min and Max are the bounds; 0 means one second and 5 minutes, or the other bound if that
	// default is beyond it.
	Min, Max time.Duration
}
