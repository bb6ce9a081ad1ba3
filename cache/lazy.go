package cache

import (
	"sync"
	"sync/atomic"
)

// lazy is a part of an immutable value that is made when it is first wanted. It is
// safe for concurrent use.
type lazy[T any] struct {
	mu    sync.Mutex
	made  atomic.Bool
	value T // once it is made
}

// get returns the part, making it the first time.
func (l *lazy[T]) get(compute func() T) T {
	if l.made.Load() {
		return l.value
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.made.Load() {
		l.value = compute()
		l.made.Store(true)
	}
	return l.value
}
