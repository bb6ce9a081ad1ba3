package cache

import (
	"context"
	"time"
)

// entry is what a cache knows of one source. The fields below the blank line
// are guarded by Cache.mu.
type entry struct {
	cfg    SourceConfig
	ctx    context.Context // ends when the source is removed or the cache closed
	cancel context.CancelFunc
	kick   chan struct{} // informs the runner that there is a flight waiting
	done   chan struct{} // closed when the runner ended

	priority int
	removed  bool
	settled  bool // it was read, warmed or failed once
	loading  bool

	last    *Content  // what the last load returned, for the next
	served  *Content  // what readers see: the first of several with one digest
	loaded  time.Time // when served came
	warm    bool      // served is from a Warmer and no load has confirmed it
	success time.Time // when the last load succeeded

	failures int          // in a row
	problem  *SourceError // the failure that readers learn of; nil if failures is 0
	expired  bool         // failures are not forgiven any more
	lastErr  error        // kept after a success
	failedAt time.Time

	next    time.Time // when the next load is due
	waiting *flight   // of those who wait for a load that has not begun
	flying  *flight   // of those who wait for the load under way
}

// flight is a load that callers of Refresh share.
type flight struct {
	done chan struct{}
	err  error // set before done is closed
}

// newFlight returns a flight that nobody waits for yet.
func newFlight() *flight { return &flight{done: make(chan struct{})} }

// land informs all who wait how the load ended. On a nil flight nothing waits.
func (f *flight) land(err error) {
	if f == nil {
		return
	}
	f.err = err
	close(f.done)
}

// take puts new content in place and reports whether readers see a difference.
func (e *entry) take(content *Content, now time.Time) (changed bool) {
	e.last = content
	changed = e.served == nil || e.served.Digest != content.Digest
	if changed {
		e.served, e.loaded = content, now
	}
	if e.problem != nil { // what is served beside it is other now
		p := *e.problem
		p.Loaded = e.loaded
		e.problem = &p
	}
	e.settled = true
	return changed
}

// succeed notes a load that succeeded.
func (e *entry) succeed(content *Content, now time.Time) (changed bool) {
	changed = e.take(content, now)
	e.warm, e.success = false, now
	e.failures, e.problem, e.expired = 0, nil, false
	return changed
}

func (e *entry) fail(err error, now time.Time) {
	since := now
	if e.problem != nil {
		since = e.problem.Since
	}
	e.settled = true
	e.failures++
	e.lastErr, e.failedAt = err, now
	e.problem = &SourceError{Key: e.cfg.Key, Since: since, Failures: e.failures, Err: err, Loaded: e.loaded}
	e.expired = e.cfg.MaxStale >= 0 && now.Sub(since) >= e.cfg.MaxStale
}

// forgivenUntil returns when failures will not be forgiven any more; zero if
// there is no such time ahead.
func (e *entry) forgivenUntil() time.Time {
	if e.problem == nil || e.expired || e.served == nil || e.cfg.MaxStale < 0 {
		return time.Time{}
	}
	return e.problem.Since.Add(e.cfg.MaxStale)
}

// available reports whether readers get the catalog without an error.
func (e *entry) available() bool {
	return e.settled && e.served != nil && (e.problem == nil || !e.expired)
}

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
