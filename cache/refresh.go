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
	waits, err := c.board(keys)
	if err != nil {
		return err
	}
	late := &WaitError{}
	var errs []error
	for _, w := range waits {
		select {
		case <-w.flight.done:
		case <-ctx.Done():
			late.Err = ctx.Err()
		}
		select {
		case <-w.flight.done:
			errs = append(errs, w.flight.err)
		default:
			late.Keys = append(late.Keys, w.key)
		}
	}
	if slices.Contains(errs, ErrClosed) {
		return ErrClosed
	}
	if len(late.Keys) > 0 {
		errs = append(errs, late)
	}
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// wait is a flight that a caller waits for.
type wait struct {
	key    Key
	flight *flight
}

// board books a flight for each of the keys, in order, or for all sources if no key is
// given. That of a key that is not known has ended.
func (c *Cache) board(keys []Key) ([]wait, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if len(keys) == 0 {
		for _, e := range c.order {
			keys = append(keys, e.cfg.Key)
		}
	}
	keys = slices.Compact(slices.SortedFunc(slices.Values(keys), Key.Compare))
	waits := make([]wait, len(keys))
	for i, key := range keys {
		e := c.entries[key]
		if e == nil {
			unknown := newFlight()
			unknown.land(&UnknownSourceError{Key: key})
			waits[i] = wait{key, unknown}
			continue
		}
		if e.waiting == nil {
			e.waiting = newFlight()
		}
		waits[i] = wait{key, e.waiting}
		select {
		case e.kick <- struct{}{}:
		default: // the runner has not seen the one before yet
		}
	}
	return waits, nil
}
