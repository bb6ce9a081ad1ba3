// Package heap tunes garbage collection for short-lived programs.
package heap

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// The limits of heap growth, in bytes. A catalog of 100,000 bundles (100 MB) is read and
// resolved without a collection. After each collection the heap may grow by half of its live
// size, within these limits, so that a catalog of a million bundles uses little more memory
// than it needs.
const (
	firstRoom = 112 << 20
	leastRoom = 96 << 20
	mostRoom  = 128 << 20
	smallest  = 4 << 20 // Go does not collect smaller heaps
)

// Pace controls heap growth until stop is called. It does nothing if GOGC or GOMEMLIMIT is set.
// It is meant for short-lived programs, not for servers.
func Pace(getenv func(string) string) (stop func()) {
	var stopped atomic.Bool
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	var pace func(at int)
	pace = func(at int) {
		if stopped.Load() {
			return
		}
		debug.SetGCPercent(at)
		// This object is garbage from the start, so its finalizer runs after each collection.
		// The next goal is the live heap plus the allowed growth.
		runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			pace(percent(m.NextGC * 100 / uint64(100+at)))
		})
	}
	pace(firstRoom * 100 / smallest)
	return func() { stopped.Store(true) }
}

// percent returns the GC percentage for a live heap size.
func percent(live uint64) int {
	live = max(live, smallest)
	room := min(max(live/2, leastRoom), mostRoom)
	return int(room * 100 / live)
}
