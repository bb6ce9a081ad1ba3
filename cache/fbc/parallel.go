package fbc

import (
	"context"
	"sync"
	"sync/atomic"
)

// forEach calls fn for 0 to n-1 with a number of goroutines, and returns when all calls have. The
// first error cancels the context of the calls and is returned; if the context itself ended, the
// error is that of the context.
func forEach(ctx context.Context, n, workers int, fn func(context.Context, int) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		next  atomic.Int64
		group sync.WaitGroup
		once  sync.Once
		first error
	)
	// Each goroutine takes several numbers in a row if there are many: adjacent results written by
	// two goroutines would share cache lines.
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
