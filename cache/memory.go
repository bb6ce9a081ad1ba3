package cache

import (
	"context"
	"errors"
	"sync"
)

// Memory is a source whose catalog the program sets. It is a [Notifier]: a [Cache] reloads it
// soon after [Memory.Set]. It is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	content *Content
	changed listeners
}

// NewMemory returns a source with that catalog; nil means no catalog yet.
func NewMemory(c *Catalog) *Memory {
	m := &Memory{}
	m.Set(c)
	return m
}

// Set replaces the catalog. With nil, loads fail until the next Set.
func (m *Memory) Set(c *Catalog) {
	var content *Content
	if c != nil {
		content = NewContent(c)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.content = content
	m.changed.notify()
}

// Load returns the current content.
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

// Changed returns a channel that receives a value after each Set. It is closed when ctx ends.
func (m *Memory) Changed(ctx context.Context) <-chan struct{} { return m.changed.add(ctx) }
