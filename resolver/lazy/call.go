package lazy

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// grace is how long a call may go on after its context ended before it is abandoned. Its goroutine
// then ends when the provider returns.
const grace = 20 * time.Millisecond

// call calls a method of a provider for a batch of n items, and checks that it returns n results.
// The error is a [*ProviderError] about first, or about the item that the provider names.
func call[T any](ctx context.Context, c *Catalog, n int, first Ref, method func(context.Context) ([]T, error)) ([]T, error) {
	ctx, cancel := context.WithCancel(ctx)
	if c.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
	}
	defer cancel()
	type result struct {
		list []T
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		r.err = protect(func() (err error) { r.list, err = method(ctx); return err })
		done <- r
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		select {
		case r = <-done:
		case <-time.After(grace):
			r.err = ctx.Err()
		}
	}
	switch {
	case r.err != nil:
		return nil, failed(c, first, r.err)
	case len(r.list) != n:
		return nil, failed(c, first, miscounted(len(r.list), n))
	}
	return r.list, nil
}

// miscounted returns the error of a provider that returns another number of results.
func miscounted(got, want int) error {
	return fmt.Errorf("the provider returned %d results for %d items", got, want)
}

// failed returns the error of a call as one about an item of a catalog.
func failed(c *Catalog, first Ref, err error) error {
	var e *ProviderError
	if !errors.As(err, &e) {
		return &ProviderError{Catalog: c.Key, Package: first.Package, Version: first.Name, Err: err}
	}
	own := *e
	own.Catalog = c.Key
	return &own
}
