package lazy

import (
	"context"
	"errors"
	"sync"
)

// Each calls fetch for each key, at most limit at once (1 if limit is less), and returns the results
// in the order of the keys. The first error cancels the other calls. The error is the first in the
// order of the keys that is not a consequence of that; it names the package of a key that is a
// string or a [Ref]. Each waits for all calls to return.
func Each[K, V any](ctx context.Context, limit int, keys []K, fetch func(context.Context, K) (V, error)) ([]V, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, errs := make([]V, len(keys)), make([]error, len(keys))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(max(limit, 1), len(keys)) {
		wg.Go(func() {
			for i := range next {
				if errs[i] = protect(func() (err error) { out[i], err = fetch(ctx, keys[i]); return err }); errs[i] != nil {
					cancel()
				}
			}
		})
	}
	for i := range keys {
		if errs[i] = ctx.Err(); errs[i] != nil {
			continue
		}
		select {
		case next <- i:
		case <-ctx.Done():
			errs[i] = ctx.Err()
		}
	}
	close(next)
	wg.Wait()
	if at := firstCause(errs); at >= 0 {
		return nil, about(keys[at], errs[at])
	}
	return out, nil
}

// firstCause returns the index of the first error that is not a cancellation, else of the first,
// or -1.
func firstCause(errs []error) int {
	first := -1
	for i, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return i
		}
		if err != nil && first < 0 {
			first = i
		}
	}
	return first
}

// about adds the package and the version of a key to an error.
func about(key any, err error) error {
	switch key := key.(type) {
	case string:
		return &ProviderError{Package: key, Err: err}
	case Ref:
		return &ProviderError{Package: key.Package, Version: key.Name, Err: err}
	}
	return err
}
