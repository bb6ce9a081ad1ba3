package constraints

import "sync"

// memory is a bounded map that computes missing values. Two goroutines that need the
// same missing key share one computation. It is safe for concurrent use.
type memory[K comparable, V any] struct {
	// most limits the number of keys. A full map is emptied, which only costs time.
	most int

	mu sync.Mutex
	m  map[K]*result[V]
}

// result is what was computed for a key, or is being computed.
type result[V any] struct {
	once  sync.Once
	value V
	err   error
}

// get returns what compute returns for a key, which it calls the first time.
func (m *memory[K, V]) get(key K, compute func() (V, error)) (V, error) {
	m.mu.Lock()
	r := m.m[key]
	if r == nil {
		if m.m == nil || len(m.m) >= m.most {
			m.m = map[K]*result[V]{}
		}
		r = &result[V]{}
		m.m[key] = r
	}
	m.mu.Unlock()
	r.once.Do(func() { r.value, r.err = compute() })
	return r.value, r.err
}
