package cache

import (
	"context"
	"errors"
	"slices"
)

// Refresh loads sources now, all of them if no key is given, and waits until
// that is done. It does not wait for a Backoff to be over, so call it for a
// reason, not in a loop. When it returns nil, a [Snapshot] shows each source as
// it was after the call.
//
// Each source is loaded once at a time, and callers share a load: those who
// come before it begins wait for that one, and all who come while it is under
// way wait for the one after it, because they may know of a change that the
// first did not see. So however many call, it is two loads at most. A load that
// has begun goes on when those who wait for it give up: its result is as good
// as that of any other.
//
// The error joins, by key, a [*SourceError] for each source that failed and an
// [*UnknownSourceError] for each key that there is no source of, which may have
// been removed during the call; a [*WaitError] if ctx ended first; or it is
// [ErrClosed].
func (c *Cache) Refresh(ctx context.Context, keys ...Key) error {
	if err := ctx.Err(); err != nil {
		return &WaitError{Keys: keys, Err: err}
	}
	waits, errs, err := c.board(keys)
	if err != nil {
		return err
	}
	late := &WaitError{}
	for _, w := range waits {
		select {
		case <-w.flight.done:
		case <-ctx.Done():
			late.Err = ctx.Err()
		}
		select {
		case <-w.flight.done:
			errs = append(errs, keyed{w.key, w.flight.err})
		default:
			late.Keys = append(late.Keys, w.key)
		}
	}
	slices.SortStableFunc(errs, func(a, b keyed) int { return a.key.Compare(b.key) })
	var list []error
	for _, k := range errs {
		if errors.Is(k.err, ErrClosed) {
			return ErrClosed
		}
		list = append(list, k.err)
	}
	if len(late.Keys) > 0 {
		list = append(list, late)
	}
	return join(list)
}

// wait is a flight that a caller waits for.
type wait struct {
	key    Key
	flight *flight
}

// keyed is how it went with one key.
type keyed struct {
	key Key
	err error
}

// board books a flight for each of the keys, all if there are none.
func (c *Cache) board(keys []Key) (waits []wait, unknown []keyed, err error) {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, Key.Compare)
	keys = slices.Compact(keys)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, ErrClosed
	}
	if len(keys) == 0 {
		for _, e := range c.order {
			keys = append(keys, e.cfg.Key)
		}
	}
	for _, key := range keys {
		e := c.entries[key]
		if e == nil {
			unknown = append(unknown, keyed{key, &UnknownSourceError{Key: key}})
			continue
		}
		if e.waiting == nil {
			e.waiting = &flight{done: make(chan struct{})}
		}
		waits = append(waits, wait{key, e.waiting})
		select {
		case e.kick <- struct{}{}:
		default: // the runner has not seen the one before yet
		}
	}
	return waits, unknown, nil
}

// join returns the only error as it is, several of them joined, or nil.
func join(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}
