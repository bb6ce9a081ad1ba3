package shards

import (
	"context"
	"runtime"
	"sync"
)

// MaxAhead is the number of results each goroutine of [InOrder] may be ahead
// of the receiver, so that results do not pile up.
const MaxAhead = 16

// InOrder processes the numbers from 0 to n-1 in the given number of
// goroutines, by default one per core, and calls each with the results in
// order, on the caller's goroutine. Each worker calls start once and uses the
// returned function for all of its numbers. No goroutine outlives the call.
//
// The error is that of the context, of each, or of the first number that
// failed.
func InOrder[T any](ctx context.Context, n, workers int, start func(context.Context) func(int) (T, error), each func(int, T) error) error {
	type part struct {
		i     int
		value T
		err   error
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	ctx, cancel := context.WithCancel(ctx)
	todo, done := make(chan int), make(chan part)
	var group sync.WaitGroup
	// If a function of the caller panics, no goroutine leaks.
	defer group.Wait()
	defer cancel()
	for range workers {
		group.Go(func() {
			work := start(ctx)
			for {
				var p part
				select {
				case <-ctx.Done():
					return
				case p.i = <-todo:
				}
				p.value, p.err = work(p.i)
				select {
				case <-ctx.Done():
					return
				case done <- p:
				}
			}
		})
	}
	waiting := make(map[int]part)
	for next, out := 0, 0; out < n; {
		offer := todo
		if next == n || next >= out+MaxAhead*workers {
			offer = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case offer <- next:
			next++
		case p := <-done:
			waiting[p.i] = p
			for p, ok := waiting[out]; ok; p, ok = waiting[out] {
				if p.err != nil {
					return p.err
				}
				if err := each(out, p.value); err != nil {
					return err
				}
				delete(waiting, out)
				out++
			}
		}
	}
	return nil
}
