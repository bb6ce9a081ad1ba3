package measure

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// Figure is the cost of an operation.
type Figure struct {
	Seconds float64 `json:"seconds"` // median of all runs
	Runs    int     `json:"runs"`
	Allocs  uint64  `json:"allocs"` // mean per run
	Bytes   uint64  `json:"bytes"`  // mean per run
	Solves  int     `json:"solves"` // solver calls of the last run
	// Count is the number of processed items, if known. Failed is the reason
	// for a missing figure.
	Count  int    `json:"count,omitempty"`
	Failed string `json:"failed,omitempty"`
}

// repeat runs work at least three times and for half a second, at most a
// hundred times, and stops when the context ends.
func repeat(ctx context.Context, work func() error) Figure {
	const minRuns, maxRuns, enough = 3, 100, 500 * time.Millisecond
	if err := work(); err != nil { // warm up caches and pools
		return Figure{Failed: err.Error()}
	}
	runtime.GC()
	var before, after runtime.MemStats
	var times []time.Duration
	runtime.ReadMemStats(&before)
	for began := time.Now(); len(times) < maxRuns && (len(times) < minRuns || time.Since(began) < enough); {
		start := time.Now()
		if err := work(); err != nil {
			return Figure{Failed: err.Error()}
		}
		times = append(times, time.Since(start))
		if ctx.Err() != nil {
			break
		}
	}
	runtime.ReadMemStats(&after)
	n := uint64(len(times))
	return Figure{
		Seconds: Median(times).Seconds(), Runs: len(times),
		Allocs: (after.Mallocs - before.Mallocs) / n, Bytes: (after.TotalAlloc - before.TotalAlloc) / n,
	}
}

// Median returns the median of the times, 0 if there are none.
func Median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(times))[len(times)/2]
}
