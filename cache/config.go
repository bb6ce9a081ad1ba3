package cache

import (
	"log/slog"
	"time"
)

// What a zero value in [Config] and [SourceConfig] stands for.
const (
	defaultRefresh    = 10 * time.Minute
	defaultJitter     = 0.1
	defaultTimeout    = 2 * time.Minute
	defaultBackoffMin = time.Second
	defaultBackoffMax = 5 * time.Minute
	defaultParallel   = 4
	defaultGrace      = 5 * time.Second
)

// maxRetryAfter is the longest time for which a [RetryAfterer] keeps a [Cache]
// from asking again.
const maxRetryAfter = 24 * time.Hour

// Config is what [New] makes a [Cache] of. The zero value is a Cache without
// sources.
type Config struct {
	// Sources are the first sources; see [Cache.Add] for more.
	Sources []SourceConfig
	// Logger gets loads (for debugging), changes, failures (as warnings) and catalogs
	// that become unavailable (as errors), those of one source in order; nil logs
	// nothing. Logger and Metrics are called while no lock is held, and may call methods
	// of the Cache; but one that blocks holds up its source, and one that calls
	// [Cache.Close] waits for itself.
	Logger *slog.Logger
	// Metrics counts and measures; nil: nothing does.
	Metrics Metrics
	// Parallel is how many sources are loaded at the same time; 0 stands for
	// 4.
	Parallel int
	// Grace is how long a Load is waited for after its context ended; 0 stands
	// for 5 seconds. One that was stopped by its Timeout and does not
	// return within Grace has failed, and no other is begun until it returns;
	// its content still counts if it comes at last. [Cache.Close] does not
	// wait longer than Grace either, and returns a [*HangingError].
	Grace time.Duration
}

// SourceConfig says how a [Cache] treats one source.
type SourceConfig struct {
	// Key names the catalog, unique in the cache. Both parts have to be set.
	Key Key
	// Priority orders catalogs; higher is better (section 4 of the semantics).
	Priority int
	// Source reads the catalog. It must not be nil.
	Source Source
	// Refresh is the time from the end of one load to the begin of the next;
	// 0 stands for 10 minutes. If it is negative the source is loaded
	// once, and again only on demand or on a signal. A load that failed is
	// retried after Backoff whatever Refresh says.
	Refresh time.Duration
	// Jitter is the share of Refresh, between 0 and 1, by which a refresh may
	// come earlier or later, so that many sources do not load in step; 0
	// stands for 0.1, a negative value for none.
	Jitter float64
	// Timeout is how long one load may take; 0 stands for 2 minutes.
	Timeout time.Duration
	// Backoff is how long to wait after failures.
	Backoff Backoff
	// MaxStale is how long failures are forgiven, counted from the first of
	// several in a row, before a [Snapshot] says that the catalog is
	// unavailable: 0 not at all, negative without end. Until then, and after, the
	// last good content is served. A source that was never read at all is
	// unavailable whatever MaxStale says.
	MaxStale time.Duration
	// Signal asks for a refresh with each value. Values that come while a load
	// is under way are met by one load after it; those that come while the
	// source waits after a failure bring the retry forward. It may be closed.
	Signal <-chan struct{}
}

// Backoff is how long a [Cache] waits after a failure: between Min and twice Min
// after the first, twice as long after each further one in a row, Max at most,
// drawn by chance so that many caches do not ask in step; longer if the error
// asks for it, see [RetryAfterer]. A signal brings the retry forward, to Min
// after the failure at the earliest.
type Backoff struct {
	// Min and Max are the bounds; 0 stands for a second and
	// 5 minutes, or for the other one where that is beyond it.
	Min, Max time.Duration
}
