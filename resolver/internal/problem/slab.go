package problem

import "slices"

// Slab allocates zeroed values of a type in chunks. They live as long as the problem.
type Slab[T any] struct {
	free []T
	next int   // the size of the next chunk
	full [][]T // the chunks of the largest size
	used int   // how many chunks of full are in use
}

// The sizes of the first chunk of a slab, small for small requests, and of the largest.
const (
	slabMin = 4
	slabMax = 128
)

// Take returns the next value.
func (s *Slab[T]) Take() *T {
	if len(s.free) == 0 {
		s.refill()
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

// List returns an empty list with capacity n. A list larger than the largest chunk is allocated
// separately.
func (s *Slab[T]) List(n int) []T {
	if n > slabMax {
		return make([]T, 0, n)
	}
	for len(s.free) < n {
		s.refill()
	}
	list := s.free[:0:n]
	s.free = s.free[n:]
	return list
}

// refill starts the next chunk.
func (s *Slab[T]) refill() {
	if s.used < len(s.full) {
		s.free = s.full[s.used]
		s.used++
		return
	}
	s.next = min(max(2*s.next, slabMin), slabMax)
	s.free = make([]T, s.next)
	if s.next == slabMax {
		s.full = append(s.full, s.free)
		s.used++
	}
}

// Reset frees all values. They must not be used afterwards.
func (s *Slab[T]) Reset() {
	for _, chunk := range s.full[:s.used] {
		clear(chunk)
	}
	s.free, s.used = nil, 0
}

// Push appends to a list that may grow large. It doubles the capacity where append adds a quarter,
// so that fewer reallocations leave less garbage.
func Push[T any](list []T, v T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 4))
	}
	return append(list, v)
}

// Reset returns an empty list with the same capacity, and clears references to the old items.
func Reset[T any](list []T) []T {
	clear(list[:cap(list)])
	return list[:0]
}
