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

// Cause says why a source is loaded.
type Cause string

const (
	// CauseWarm: the source is asked for what an earlier process had.
	CauseWarm Cause = "warm"
	// CauseStart: the source is new.
	CauseStart Cause = "start"
	// CauseSchedule: [SourceConfig.Refresh] is over.
	CauseSchedule Cause = "schedule"
	// CauseRetry: the load before failed, and [SourceConfig.Backoff] is over.
	CauseRetry Cause = "retry"
	// CauseSignal: [SourceConfig.Signal] or the [Notifier] asked for it.
	CauseSignal Cause = "signal"
	// CauseDemand: [Cache.Refresh] asked for it.
	CauseDemand Cause = "demand"
)

// Outcome says how a load ended.
type Outcome string

const (
	// OutcomeChanged: there is new content.
	OutcomeChanged Outcome = "changed"
	// OutcomeUnchanged: the content is that of before; of a [Warmer]: there
	// was nothing.
	OutcomeUnchanged Outcome = "unchanged"
	// OutcomeFailed: there was an error.
	OutcomeFailed Outcome = "failed"
	// OutcomeDropped: the source was removed or the cache closed meanwhile.
	OutcomeDropped Outcome = "dropped"
)

// LoadBegan reports that a load begins.
type LoadBegan struct {
	// Key names the catalog.
	Key Key
	// Cause says why.
	Cause Cause
	// Failures is how many loads failed in a row before this one.
	Failures int
}

// LoadEnded reports that a load ended.
type LoadEnded struct {
	// Key names the catalog.
	Key Key
	// Cause is that of the LoadBegan.
	Cause Cause
	// Outcome says how it ended.
	Outcome Outcome
	// Err says what went wrong, nil unless Outcome is OutcomeFailed.
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
