package cache

import "sync"

// lazy is a value computed on first use. It is safe for concurrent use.
type lazy[T any] struct {
	once  sync.Once
	value T
}

// get returns the value, computing it the first time.
func (l *lazy[T]) get(compute func() T) T {
	l.once.Do(func() { l.value = compute() })
	return l.value
}
