// Package heap sets how much the heap of a program that ends soon may grow.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Between two collections the heap may grow by what is live, but at least and
// at most by so many bytes: a catalog of a usual size is read with hardly any
// collection, and one of a million bundles does not take twice what it needs.
const (
	leastRoom = 256 << 20
	mostRoom  = 384 << 20
)

// Pace sets how much the heap may grow, now and after each collection, until stop is
// called. Where GOGC or GOMEMLIMIT is set it does nothing. It is for a program that ends
// soon, not for a server.
func Pace(getenv func(string) string) (stop func()) {
	var stopped atomic.Bool
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	var pace func()
	pace = func() {
		if stopped.Load() {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(percent(live[0].Value.Uint64()))
		// Garbage from the start, so that the next collection comes back here.
		runtime.SetFinalizer(new([16]byte), func(*[16]byte) { pace() })
	}
	pace()
	return func() { stopped.Store(true) }
}

// percent returns the percentage of the live heap that it may grow by.
func percent(live uint64) int {
	live = max(live, 4<<20) // Go collects no heap that is smaller
	room := min(max(live, leastRoom), mostRoom)
	return int(room * 100 / live)
}
