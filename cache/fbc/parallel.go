package fbc

import (
	"context"
	"sync"
	"sync/atomic"
)

// forEach calls fn for 0 to n-1 from so many goroutines, and returns when all
// calls did. The first error ends the context that the calls are given and is
// returned; if the context itself ended, it is that of the context.
func forEach(ctx context.Context, n, workers int, fn func(context.Context, int) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		next  atomic.Int64
		group sync.WaitGroup
		once  sync.Once
		first error
	)
	// Each goroutine takes several numbers in a row if there are many: results that two goroutines write
	// next to each other would slow both down.
	row := min(max(1, n/max(1, workers)/8), 32)
	work := func() {
		for inner.Err() == nil {
			to := int(next.Add(int64(row)))
			for i := to - row; i < min(to, n) && inner.Err() == nil; i++ {
				if err := fn(inner, i); err != nil {
					once.Do(func() { first = err })
					cancel()
					return
				}
			}
			if to >= n {
				return
			}
		}
	}
	for range min(workers, n) - 1 {
		group.Add(1)
		go func() {
			defer group.Done()
			work()
		}()
	}
	work()
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return first
}
