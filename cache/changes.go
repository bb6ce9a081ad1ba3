package cache

import (
	"context"
	"sync"
)

// Changes returns a channel that gets a value after each new version of the
// [Snapshot] from now on; several may share one value. It is closed when
// ctx ends or the cache is closed. A reader that first calls Changes, then
// Snapshot, misses nothing.
func (c *Cache) Changes(ctx context.Context) <-chan struct{} {
	c.view() // the zero Cache gets its first version
	return c.listeners.add(ctx)
}

// listeners are channels that get a value after a change. The zero value has no channels.
type listeners struct {
	mu     sync.Mutex
	all    map[chan struct{}]func() bool // what stops waiting for the context of each
	closed bool
}

// add adds a channel, which is closed when ctx ends.
func (l *listeners) add(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		close(ch)
		return ch
	}
	if l.all == nil {
		l.all = map[chan struct{}]func() bool{}
	}
	l.all[ch] = context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.remove(ch)
	})
	return ch
}

// remove closes a channel, once. l.mu is held.
func (l *listeners) remove(ch chan struct{}) {
	if stop, ok := l.all[ch]; ok {
		delete(l.all, ch)
		close(ch)
		stop()
	}
}

// tell leaves a value in each channel, unless there is one.
func (l *listeners) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ch := range l.all {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// close closes all channels, and those that are added from now on.
func (l *listeners) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for ch := range l.all {
		l.remove(ch)
	}
}
