package cache

import (
	"context"
	"errors"
	"maps"
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
	flights, err := c.board(keys)
	if err != nil {
		return err
	}
	late := &WaitError{}
	var errs []error
	for _, f := range flights {
		select {
		case <-f.done:
		case <-ctx.Done():
			late.Err = ctx.Err()
		}
		select {
		case <-f.done:
			errs = append(errs, f.err)
		default:
			late.Keys = append(late.Keys, f.key)
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

// board books a flight for each of the keys, in order, or for all sources if no key is
// given. That of a key that is not known has ended.
func (c *Cache) board(keys []Key) ([]*flight, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if len(keys) == 0 {
		keys = slices.Collect(maps.Keys(c.entries))
	}
	var flights []*flight
	for _, key := range slices.Compact(slices.SortedFunc(slices.Values(keys), Key.Compare)) {
		e := c.entries[key]
		if e == nil {
			unknown := newFlight(key)
			unknown.land(&UnknownSourceError{Key: key})
			flights = append(flights, unknown)
			continue
		}
		if e.waiting == nil {
			e.waiting = newFlight(key)
		}
		flights = append(flights, e.waiting)
		select {
		case e.kick <- struct{}{}:
		default: // the goroutine has not seen the one before yet
		}
	}
	return flights, nil
}
