package cache

import "context"

// subscriber is one channel of Changes.
type subscriber struct {
	ch   chan struct{} // holds one value
	stop func() bool   // stops waiting for the context
}

// tell leaves a value, unless there is one.
func (s *subscriber) tell() {
	select {
	case s.ch <- struct{}{}:
	default:
	}
}

// Changes returns a channel that gets a value after each new version of the
// [Snapshot] from now on; several may share one value. It is closed when
// ctx ends or the cache is closed. A reader that first calls Changes, then
// Snapshot, misses nothing.
func (c *Cache) Changes(ctx context.Context) <-chan struct{} {
	c.lock()
	defer c.mu.Unlock()
	s := &subscriber{ch: make(chan struct{}, 1)}
	if c.closed {
		close(s.ch)
		return s.ch
	}
	c.subs[s] = struct{}{}
	s.stop = context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.unsubscribe(s)
	})
	return s.ch
}

// unsubscribe closes the channel, once. c.mu is held.
func (c *Cache) unsubscribe(s *subscriber) {
	if _, ok := c.subs[s]; !ok {
		return
	}
	delete(c.subs, s)
	close(s.ch)
	s.stop()
}
