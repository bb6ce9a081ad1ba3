package cache

import (
	"context"
	"errors"
	"sync"
)

// Static returns a source that always has the same catalog.
func Static(c *Catalog) Source { return NewMemory(c) }

// Memory is a source whose catalog is set by the program. It is a [Notifier]:
// a [Cache] loads it again soon after [Memory.Set]. It is safe for concurrent
// use.
type Memory struct {
	mu      sync.Mutex
	content *Content
	changed map[chan struct{}]struct{}
}

// NewMemory returns a source that has that catalog; nil is no catalog yet.
func NewMemory(c *Catalog) *Memory {
	m := &Memory{}
	m.Set(c)
	return m
}

// Set replaces the catalog. With nil there is no catalog any more, and loads fail.
func (m *Memory) Set(c *Catalog) {
	var content *Content
	if c != nil {
		content = NewContent(c)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.content = content
	for ch := range m.changed {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// Load returns the content that was set last.
func (m *Memory) Load(_ context.Context, last *Content) (*Content, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.content == nil:
		return nil, errors.New("no catalog was set")
	case last != nil && last.Digest == m.content.Digest:
		return last, nil
	}
	return m.content, nil
}

// Changed returns a channel that gets a value after each Set. It is closed
// when ctx ends.
func (m *Memory) Changed(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changed == nil {
		m.changed = map[chan struct{}]struct{}{}
	}
	m.changed[ch] = struct{}{}
	context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.changed, ch)
		close(ch)
	})
	return ch
}
