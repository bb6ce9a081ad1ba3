package cache

import (
	"context"
	"sync"
)

// Changes returns a channel that receives a value after each new version of the [Snapshot];
// consecutive versions may share one value. It is closed when ctx ends or the cache is closed.
// A reader that calls Changes before Snapshot misses nothing.
func (c *Cache) Changes(ctx context.Context) <-chan struct{} {
	c.view() // initializes the zero Cache
	return c.listeners.add(ctx)
}

// listeners is a set of channels that receive a value after each change. The zero value is
// empty.
type listeners struct {
	mu     sync.Mutex
	all    map[chan struct{}]func() bool // the stop function of each context.AfterFunc
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

// notify sends to each channel that has no pending value.
func (l *listeners) notify() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ch := range l.all {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// close closes all channels, also those added later.
func (l *listeners) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for ch := range l.all {
		l.remove(ch)
	}
}
