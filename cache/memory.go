package cache

import (
	"context"
	"errors"
	"sync"
)

// Memory is a source whose catalog is set by the program. It is a [Notifier]:
// a [Cache] loads it again soon after [Memory.Set]. It is safe for concurrent
// use.
type Memory struct {
	mu      sync.Mutex
	content *Content
	changed listeners
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
	m.changed.tell()
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
func (m *Memory) Changed(ctx context.Context) <-chan struct{} { return m.changed.add(ctx) }
