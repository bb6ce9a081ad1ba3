package cache

import (
	"context"
	"time"
)

// Hooks are functions that a [Cache] calls as things happen; each may be nil.
// Those of one source are called one at a time, in order, and not while any
// lock is held: they may call methods of the Cache, but a hook that blocks
// holds up its source, and one that calls [Cache.Close] or waits for its own
// source in [Cache.Refresh] waits for itself. Those of several sources are
// called concurrently.
type Hooks struct {
	// LoadBegan is called before each load. For each there is one LoadEnded.
	LoadBegan func(ctx context.Context, e LoadBegan)
	// LoadEnded is called after each load, when readers can see its result.
	LoadEnded func(ctx context.Context, e LoadEnded)
	// Changed is called when readers can see other content of a source.
	Changed func(ctx context.Context, e Changed)
	// Removed is the last call for a source that was removed.
	Removed func(ctx context.Context, key Key)
}

// Why a source is loaded, see [LoadBegan].
const (
	causeWarm     = "warm"
	causeStart    = "start"
	causeSchedule = "schedule"
	causeRetry    = "retry"
	causeSignal   = "signal"
	causeDemand   = "demand"
)

// How a load ended, see [LoadEnded].
const (
	outcomeChanged   = "changed"
	outcomeUnchanged = "unchanged"
	outcomeFailed    = "failed"
	outcomeDropped   = "dropped"
)

// LoadBegan reports that a load begins.
type LoadBegan struct {
	// Key names the catalog.
	Key Key
	// Cause says why:
	//   - warm: the source is asked for what an earlier process had
	//   - start: the source is new
	//   - schedule: [SourceConfig.Refresh] is over
	//   - retry: the load before failed, and [SourceConfig.Backoff] is over
	//   - signal: [SourceConfig.Signal] or the [Notifier] asked for it
	//   - demand: [Cache.Refresh] asked for it
	Cause string
	// Failures is how many loads failed in a row before this one.
	Failures int
}

// LoadEnded reports that a load ended.
type LoadEnded struct {
	// Key names the catalog.
	Key Key
	// Cause is that of the LoadBegan.
	Cause string
	// Outcome says how it ended:
	//   - changed: there is new content
	//   - unchanged: the content is that of before; of a [Warmer]: there was nothing
	//   - failed: there was an error
	//   - dropped: the source was removed or the cache closed meanwhile
	Outcome string
	// Err says what went wrong, nil unless Outcome is "failed".
	Err error
	// Duration is how long it took.
	Duration time.Duration
	// Failures is how many loads failed in a row, this one included.
	Failures int
	// Next is when the next load is due, zero if none is.
	Next time.Time
}

// Changed reports that readers see other content.
type Changed struct {
	// Key names the catalog.
	Key Key
	// Version is that of the first [Snapshot] with the content.
	Version uint64
	// Before and After are the digests of the contents; Before is empty if
	// there was none.
	Before, After string
}
