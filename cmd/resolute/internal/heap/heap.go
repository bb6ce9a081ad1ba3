// Package heap sets how much the heap of a program that ends soon may grow.
package heap

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// The heap may grow to so many bytes before the first collection: a catalog of 100,000
// bundles, which take 100 MB, is read and resolved without one. Between two collections it may
// grow by half of what is live, but at least and at most by so many: one of a million does not
// take much more than it needs.
const (
	firstRoom = 112 << 20
	leastRoom = 96 << 20
	mostRoom  = 128 << 20
	smallest  = 4 << 20 // Go collects no heap that is smaller
)

// Pace sets how much the heap may grow, now and after each collection, until stop is
// called. Where GOGC or GOMEMLIMIT is set it does nothing. It is for a program that ends
// soon, not for a server.
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
		// Garbage from the start, so that the next collection comes back here. Its goal is
		// what was live and the room on top.
		runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			pace(percent(m.NextGC * 100 / uint64(100+at)))
		})
	}
	pace(firstRoom * 100 / smallest)
	return func() { stopped.Store(true) }
}

// percent returns the percentage of the live heap that it may grow by.
func percent(live uint64) int {
	live = max(live, smallest)
	room := min(max(live/2, leastRoom), mostRoom)
	return int(room * 100 / live)
}
