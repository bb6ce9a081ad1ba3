package cache

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/internal/text"
)

var (
	// ErrClosed is returned after [Cache.Close].
	ErrClosed = errors.New("the cache is closed: it serves no more snapshots and loads nothing")
	// ErrNotLoaded means that the first load of a source has not ended. [Cache.Snapshot] waits
	// for it.
	ErrNotLoaded = errors.New("it has not been loaded yet")
	// errNoContent means that a [Source] returned neither content nor an error.
	errNoContent = errors.New("the source returned neither content nor an error: Load must return one of them")
)

var (
	errNoCatalog = errors.New("the source returned content without a catalog: set Content.Catalog, if only to an empty catalog")
	errNoDigest  = errors.New("the source returned content without a digest: use NewContent, or set Content.Digest")
	errGoexit    = errors.New("the source ended its goroutine (runtime.Goexit) instead of returning")
)

// SourceError means that the catalog of a source cannot be read. It is the Unavailable of a
// [SnapshotCatalog].
type SourceError struct {
	// Key names the catalog.
	Key Key
	// Since is when the first of the consecutive failed loads ended; zero if none has.
	Since time.Time
	// Failures is the number of consecutive failed loads; 0 if none has ended yet.
	Failures int
	// Err is the last failure.
	Err error
	// Loaded is when the content still served was loaded; zero if there is none.
	Loaded time.Time
}

// Error returns the failure, since when, and what is served meanwhile.
func (e *SourceError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "catalog %s cannot be read", e.Key)
	if e.Failures > 0 {
		fmt.Fprintf(&b, " since %s (%s)", e.Since.UTC().Format(time.RFC3339), text.Count(e.Failures, "attempt", "attempts"))
	}
	fmt.Fprintf(&b, ": %v; ", e.Err)
	if e.Loaded.IsZero() {
		b.WriteString("no earlier content is available")
	} else {
		fmt.Fprintf(&b, "still serving the content of %s", e.Loaded.UTC().Format(time.RFC3339))
	}
	return b.String()
}

// Unwrap returns the last failure.
func (e *SourceError) Unwrap() error { return e.Err }

// UnknownSourceError means that a [Cache] has no source with a key: it was never added, or it
// was removed, perhaps during the call.
type UnknownSourceError struct {
	// Key is the key.
	Key Key
}

// Error names the key.
func (e *UnknownSourceError) Error() string {
	return fmt.Sprintf("the cache has no source %s: it was never added, or it was removed", e.Key)
}

// WaitError means that a caller's context ended before catalogs were loaded.
type WaitError struct {
	// Keys name the catalogs, sorted; empty means all.
	Keys []Key
	// Err is the error of the context.
	Err error
}

// Error names the catalogs that were not loaded in time.
func (e *WaitError) Error() string {
	if len(e.Keys) == 0 {
		return fmt.Sprintf("gave up waiting for catalogs to be read: %v", e.Err)
	}
	return fmt.Sprintf("gave up waiting for %s to be read: %v", enumerated(e.Keys), e.Err)
}

// Unwrap returns the error of the context.
func (e *WaitError) Unwrap() error { return e.Err }

// PanicError means that a [Source] panicked. The panic counts as a failed load.
type PanicError struct {
	// Value is the value of the panic.
	Value any
	// Stack is the stack of the goroutine, for debugging the source.
	Stack []byte
}

// Error describes the value without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("the source panicked: %v", e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// HangingError is returned by [Cache.Close] if goroutines did not end in time. They end when
// the calls they wait for return.
type HangingError struct {
	// Keys name the catalogs of the sources whose Load or Warm has not returned, sorted. If it
	// is empty, a call of Logger or Metrics has not returned.
	Keys []Key
	// Grace is how long Close waited.
	Grace time.Duration
}

// Error names the sources that did not return.
func (e *HangingError) Error() string {
	if len(e.Keys) == 0 {
		return fmt.Sprintf("the cache is closed, but a call of its Logger or Metrics did not return within %s: its goroutine is still running", e.Grace)
	}
	return fmt.Sprintf("the cache is closed, but loading %s did not end within %s of being cancelled: "+
		"its goroutines are still running", enumerated(e.Keys), e.Grace)
}

// ConfigError is one mistake in a [Config] or [SourceConfig].
type ConfigError struct {
	// Index is the index of the source in Config.Sources; -1 if the mistake is in none of them.
	Index int
	// Key is the key of the source; zero if the mistake is in none.
	Key Key
	// Field is the name of the invalid field.
	Field string
	// Reason is the mistake and how to fix it.
	Reason string
}

// alone is the index of a source that is not in a list.
const alone = -1

// Error names the source, the field and the reason.
func (e *ConfigError) Error() string {
	switch {
	case e.Index >= 0:
		return fmt.Sprintf("source %s (number %d): %s: %s", e.Key, e.Index+1, e.Field, e.Reason)
	case !e.Key.IsZero():
		return fmt.Sprintf("source %s: %s: %s", e.Key, e.Field, e.Reason)
	}
	return fmt.Sprintf("cache: %s: %s", e.Field, e.Reason)
}

// enumerated joins keys with commas and "and".
func enumerated(keys []Key) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.String()
	}
	return text.And(names)
}
