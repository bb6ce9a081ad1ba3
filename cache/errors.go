package cache

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/internal/text"
)

var (
	// ErrClosed says that the [Cache] was closed.
	ErrClosed = errors.New("the cache is closed: it serves no more snapshots and loads nothing")
	// ErrNotLoaded says that a source was not read yet and has not failed
	// either. [Cache.Snapshot] waits for it.
	ErrNotLoaded = errors.New("it has not been read for the first time yet")
	// errNoContent says that a [Source] returned neither content nor an error.
	errNoContent = errors.New("the source returned neither content nor an error: its Load has to return one of them")
)

var (
	errNoCatalog = errors.New("the source returned content without a catalog: Content.Catalog has to be set, if only to an empty one")
	errNoDigest  = errors.New("the source returned content without a digest: make it by NewContent, or set Content.Digest")
	errGoexit    = errors.New("the source ended its goroutine (runtime.Goexit) instead of returning")
)

// SourceError says that the catalog of a source cannot be read. It is the
// Unavailable of a [SnapshotCatalog].
type SourceError struct {
	// Key names the catalog.
	Key Key
	// Since is when the first of the failed loads in a row ended; zero if none
	// has.
	Since time.Time
	// Failures is how many loads failed in a row; 0 if none has ended yet.
	Failures int
	// Err is the last failure.
	Err error
	// Loaded is since when the content that is served meanwhile is there; zero
	// if there was no success.
	Loaded time.Time
}

// Error says what, since when, why, and what is served meanwhile.
func (e *SourceError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "catalog %s cannot be read", e.Key)
	if e.Failures > 0 {
		fmt.Fprintf(&b, " since %s (%s)", e.Since.UTC().Format(time.RFC3339), text.Count(e.Failures, "attempt", "attempts"))
	}
	fmt.Fprintf(&b, ": %v; ", e.Err)
	if e.Loaded.IsZero() {
		b.WriteString("nothing is served in its place, because it was never read before")
	} else {
		fmt.Fprintf(&b, "meanwhile the content of %s is served", e.Loaded.UTC().Format(time.RFC3339))
	}
	return b.String()
}

// Unwrap returns the last failure.
func (e *SourceError) Unwrap() error { return e.Err }

// UnknownSourceError says that a [Cache] has no source of a key: there never
// was one, or it was removed, perhaps during the call.
type UnknownSourceError struct {
	// Key is the key.
	Key Key
}

// Error names the key.
func (e *UnknownSourceError) Error() string {
	return fmt.Sprintf("the cache has no source %s: it was never added, or it was removed", e.Key)
}

// WaitError says that a caller's context ended before catalogs were there.
type WaitError struct {
	// Keys name the catalogs, in order; none if all were meant.
	Keys []Key
	// Err is that of the context.
	Err error
}

// Error names the catalogs.
func (e *WaitError) Error() string {
	if len(e.Keys) == 0 {
		return fmt.Sprintf("gave up waiting for catalogs to be read: %v", e.Err)
	}
	return fmt.Sprintf("gave up waiting for %s to be read: %v", enumerated(e.Keys), e.Err)
}

// Unwrap returns the error of the context.
func (e *WaitError) Unwrap() error { return e.Err }

// PanicError says that a [Source] panicked. The panic counts as a failed load.
type PanicError struct {
	// Value is what it panicked with.
	Value any
	// Stack is the stack of the goroutine, for whoever mends the source.
	Stack []byte
}

// Error describes the value, not the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("the source panicked: %v", e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// HangingError is returned by [Cache.Close] when goroutines did not end in
// time. They end when what they hang in returns.
type HangingError struct {
	// Keys name the catalogs of the sources whose Load or Warm has not
	// returned, in order. If the list is empty, a call of Logger or Metrics has not returned.
	Keys []Key
	// Grace is how long they were waited for.
	Grace time.Duration
}

// Error names the sources.
func (e *HangingError) Error() string {
	if len(e.Keys) == 0 {
		return fmt.Sprintf("the cache is closed, but its Logger or Metrics has not returned within %s; its goroutine is left behind", e.Grace)
	}
	return fmt.Sprintf("the cache is closed, but loading %s has not ended within %s, although it was asked to stop; "+
		"what hangs there is left behind", enumerated(e.Keys), e.Grace)
}

// ConfigError says what is wrong with a [Config] or [SourceConfig].
type ConfigError struct {
	// Index is that of the source in Config.Sources; -1 where it does not
	// concern one of them.
	Index int
	// Key is that of the source, zero where it does not concern one.
	Key Key
	// Field is the name of the field that is wrong.
	Field string
	// Reason is what is wrong, and what to do.
	Reason string
}

// alone is the index of a source that is in no list.
const alone = -1

// Error says where, what, and what to do.
func (e *ConfigError) Error() string {
	switch {
	case e.Index >= 0:
		return fmt.Sprintf("source %s (number %d): %s: %s", e.Key, e.Index+1, e.Field, e.Reason)
	case !e.Key.IsZero():
		return fmt.Sprintf("source %s: %s: %s", e.Key, e.Field, e.Reason)
	}
	return fmt.Sprintf("cache: %s: %s", e.Field, e.Reason)
}

// enumerated enumerates keys.
func enumerated(keys []Key) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.String()
	}
	return text.And(names)
}
