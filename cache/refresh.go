package cache

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// Refresh loads the given sources now, or all if no key is given, and waits for the loads. It
// skips a Backoff in progress, so do not call it in a loop. When it returns nil, a [Snapshot]
// shows each source as of a time after the call.
//
// Each source runs one load at a time, and callers share loads: a caller that arrives before a
// load begins waits for that load, and a caller that arrives during a load waits for the next
// one, because it may know of a change that the current load missed. So any number of
// concurrent callers cause at most two loads. A load continues when its callers give up,
// because its result is as good as any other.
//
// The error joins, by key, a [*SourceError] for each source that failed and an
// [*UnknownSourceError] for each key without a source, which may have been removed during the
// call; a [*WaitError] if ctx ended first; or it is [ErrClosed].
func (c *Cache) Refresh(ctx context.Context, keys ...Key) error {
	if err := ctx.Err(); err != nil {
		return &WaitError{Keys: keys, Err: err}
	}
	flights, err := c.join(keys)
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

// join returns the flight to wait for, for each of the keys in order, or for all sources if no
// key is given. The flight of an unknown key is complete.
func (c *Cache) join(keys []Key) ([]*flight, error) {
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
			unknown.complete(&UnknownSourceError{Key: key})
			flights = append(flights, unknown)
			continue
		}
		if e.waiting == nil {
			e.waiting = newFlight(key)
		}
		flights = append(flights, e.waiting)
		select {
		case e.kick <- struct{}{}:
		default: // the goroutine has not received the previous one yet
		}
	}
	return flights, nil
}
