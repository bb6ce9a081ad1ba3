package cache

import (
	"context"
	"log/slog"
	"time"
)

// entry is one source of a cache: what readers see of it, and what the goroutine that runs
// it knows. The package draws its states. What stands below the first blank line is written
// by that goroutine, and by callers of Refresh, while Cache.mu is held; what stands below the
// second is that of the goroutine alone.
type entry struct {
	c       *Cache
	cfg     SourceConfig
	ctx     context.Context         // ends when the source is removed or the cache closed
	cancel  context.CancelCauseFunc // says which of them
	kick    chan struct{}           // informs the goroutine that there is a flight waiting
	done    chan struct{}           // closed when the goroutine ended
	catalog slog.Attr               // names the source

	priority int
	load     *attempt  // the one under way, or nil
	last     *Content  // what the last load returned, for the next
	served   *Content  // what readers see: the first of several with one digest
	loaded   time.Time // when served came
	success  time.Time // when a load last succeeded; zero while served is from a Warmer
	problem  *SourceError
	expired  bool      // the problem is not forgiven any more
	lastErr  error     // kept after a success
	failedAt time.Time // when it was
	next     time.Time // when the next load is due
	waiting  *flight   // of those who wait for a load that has not begun
	flying   *flight   // of those who wait for the load under way

	want string    // why a load has to begin; empty if none has to
	hold time.Time // before which signals do not bring a retry forward
}

// newEntry returns the entry of a source that nothing is known of.
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

// newFlight returns a flight that nobody waits for yet.
func newFlight(key Key) *flight { return &flight{key: key, done: make(chan struct{})} }

// land informs all who wait how the load ended. On a nil flight nothing waits.
func (f *flight) land(err error) {
	if f == nil {
		return
	}
	f.err = err
	close(f.done)
}

// succeed notes what a load or a Warmer returned.
func (e *entry) succeed(content *Content, warm bool, now time.Time) {
	e.last = content
	if e.served == nil || e.served.Digest != content.Digest {
		e.served, e.loaded = content, now
	}
	if !warm {
		e.success, e.problem, e.expired = now, nil, false
	} else if e.problem != nil { // what is served beside it is other now
		p := *e.problem
		p.Loaded = e.loaded
		e.problem = &p
	}
}

// fail notes a failure.
func (e *entry) fail(err error, now time.Time) {
	p := &SourceError{Key: e.cfg.Key, Since: now, Failures: e.failures() + 1, Err: err, Loaded: e.loaded}
	if e.problem != nil {
		p.Since = e.problem.Since
	}
	e.problem, e.lastErr, e.failedAt = p, err, now
	e.expired = e.cfg.MaxStale >= 0 && now.Sub(p.Since) >= e.cfg.MaxStale
}

// failures returns how many loads failed in a row.
func (e *entry) failures() int {
	if e.problem == nil {
		return 0
	}
	return e.problem.Failures
}

// forgivenUntil returns when failures will not be forgiven any more; zero if
// there is no such time ahead.
func (e *entry) forgivenUntil() time.Time {
	if e.problem == nil || e.expired || e.served == nil || e.cfg.MaxStale < 0 {
		return time.Time{}
	}
	return e.problem.Since.Add(e.cfg.MaxStale)
}

// settled reports whether the source was read, warmed or failed once.
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
