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
	work := func() {
		for inner.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if err := fn(inner, i); err != nil {
				once.Do(func() { first = err })
				cancel()
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
