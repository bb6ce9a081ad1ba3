package cache

import "sync"

// lazy is a part of an immutable value that is made when it is first wanted. It is
// safe for concurrent use.
type lazy[T any] struct {
	once  sync.Once
	value T
}

// get returns the part, making it the first time.
func (l *lazy[T]) get(compute func() T) T {
	l.once.Do(func() { l.value = compute() })
	return l.value
}
