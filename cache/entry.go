package cache

import (
	"context"
	"log/slog"
	"time"
)

// entry is one source of a cache: its state for readers, and that of the goroutine that runs
// it. The package documentation draws the states. Fields below the first blank line are
// written by that goroutine and by callers of Refresh, with Cache.mu held; fields below the
// second are used by the goroutine alone.
type entry struct {
	c       *Cache
	cfg     SourceConfig
	ctx     context.Context         // ends when the source is removed or the cache is closed
	cancel  context.CancelCauseFunc // its cause is one of the two
	kick    chan struct{}           // signals the goroutine that a flight is waiting
	done    chan struct{}           // closed when the goroutine ends
	catalog slog.Attr               // names the source

	priority int
	load     *attempt  // in progress, or nil
	last     *Content  // result of the last load, passed to the next
	served   *Content  // content that readers see: the first with its digest
	loaded   time.Time // when served was first loaded
	success  time.Time // when a load last succeeded; zero while served comes from a Warmer
	problem  *SourceError
	expired  bool      // MaxStale is over
	lastErr  error     // kept after a success
	failedAt time.Time // when lastErr occurred
	next     time.Time // when the next load is due
	waiting  *flight   // callers that wait for a load that has not begun
	flying   *flight   // callers that wait for the load in progress

	want string    // cause of the load to begin next; empty if none
	hold time.Time // signals do not bring a retry forward before this time
}

// newEntry returns the entry of a source that has not been loaded.
func (c *Cache) newEntry(cfg SourceConfig) *entry {
	e := &entry{c: c, cfg: cfg, priority: cfg.Priority, kick: make(chan struct{}, 1), done: make(chan struct{}),
		catalog: slog.String("catalog", cfg.Key.String()), want: causeStart}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	if _, ok := cfg.Source.(Warmer); ok {
		e.want = causeWarm
	}
	return e
}

// flight is a load that callers of Refresh share.
type flight struct {
	key  Key
	done chan struct{}
	err  error // set before done is closed
}

// newFlight returns a flight without waiting callers.
func newFlight(key Key) *flight { return &flight{key: key, done: make(chan struct{})} }

// complete reports the result of the load to all waiting callers. A nil flight has none.
func (f *flight) complete(err error) {
	if f == nil {
		return
	}
	f.err = err
	close(f.done)
}

// succeed records the result of a load or of a Warmer.
func (e *entry) succeed(content *Content, warm bool, now time.Time) {
	e.last = content
	if e.served == nil || e.served.Digest != content.Digest {
		e.served, e.loaded = content, now
	}
	if !warm {
		e.success, e.problem, e.expired = now, nil, false
	} else if e.problem != nil { // the content beside the failure has changed
		p := *e.problem
		p.Loaded = e.loaded
		e.problem = &p
	}
}

// fail records a failure.
func (e *entry) fail(err error, now time.Time) {
	p := &SourceError{Key: e.cfg.Key, Since: now, Failures: e.failures() + 1, Err: err, Loaded: e.loaded}
	if e.problem != nil {
		p.Since = e.problem.Since
	}
	e.problem, e.lastErr, e.failedAt = p, err, now
	e.expired = e.cfg.MaxStale >= 0 && now.Sub(p.Since) >= e.cfg.MaxStale
}

// failures returns the number of consecutive failures.
func (e *entry) failures() int {
	if e.problem == nil {
		return 0
	}
	return e.problem.Failures
}

// forgivenUntil returns when MaxStale ends; zero if it does not end, has ended or has not
// begun.
func (e *entry) forgivenUntil() time.Time {
	if e.problem == nil || e.expired || e.served == nil || e.cfg.MaxStale < 0 {
		return time.Time{}
	}
	return e.problem.Since.Add(e.cfg.MaxStale)
}

// settled reports whether the source has been read, warmed or has failed at least once.
func (e *entry) settled() bool { return e.served != nil || e.problem != nil }

// available reports whether readers get the catalog without an error.
func (e *entry) available() bool { return e.served != nil && (e.problem == nil || !e.expired) }

// view returns what readers see of the source.
func (e *entry) view() SnapshotCatalog {
	v := SnapshotCatalog{Key: e.cfg.Key, Priority: e.priority}
	if e.served != nil {
		v.Content, v.Digest, v.Loaded = e.served.Catalog, e.served.Digest, e.loaded
	}
	switch {
	case e.available():
	case e.problem != nil:
		v.Unavailable = e.problem
	default:
		v.Unavailable = &SourceError{Key: e.cfg.Key, Err: ErrNotLoaded}
	}
	return v
}
