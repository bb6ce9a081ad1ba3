package measure

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// Figure is what one piece of work costs.
type Figure struct {
	Seconds float64 `json:"seconds"` // the median of all runs
	Runs    int     `json:"runs"`
	Allocs  uint64  `json:"allocs"` // of one run, in the mean
	Bytes   uint64  `json:"bytes"`  // allocated by one run, in the mean
	Solves  int     `json:"solves"` // solver calls of the last run
	// Count is how many things the work was about, where it says; Failed says why
	// there is no figure, empty if there is one.
	Count  int    `json:"count,omitempty"`
	Failed string `json:"failed,omitempty"`
}

// repeat runs work until it has run at least three times and for half a second,
// but at most a hundred times, and ends early with the context.
func repeat(ctx context.Context, work func() error) Figure {
	const least, most, enough = 3, 100, 500 * time.Millisecond
	if err := work(); err != nil { // caches and pools warm up
		return Figure{Failed: err.Error()}
	}
	runtime.GC()
	var before, after runtime.MemStats
	var times []time.Duration
	runtime.ReadMemStats(&before)
	for began := time.Now(); len(times) < most && (len(times) < least || time.Since(began) < enough); {
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

// Median returns the middle of the times, 0 if there are none.
func Median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(times))[len(times)/2]
}
