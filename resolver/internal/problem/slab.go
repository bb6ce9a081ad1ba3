package problem

import "slices"

// Slab hands out zeroed values of a type that live as long as the problem, many
// of them from one allocation.
type Slab[T any] struct {
	free []T
	next int   // the size of the next chunk
	full [][]T // the chunks of the largest size
	used int   // how many of them are handed out, wholly or in part
}

// The sizes of the first chunk of a slab, small for the sake of small requests,
// and of the largest.
const (
	slabFirst = 4
	slabMost  = 128
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

// List returns an empty list with room for n values. One that does not fit the largest chunk
// is an allocation of its own.
func (s *Slab[T]) List(n int) []T {
	if n > slabMost {
		return make([]T, 0, n)
	}
	for len(s.free) < n {
		s.refill()
	}
	list := s.free[:0:n]
	s.free = s.free[n:]
	return list
}

// refill provides values that are free.
func (s *Slab[T]) refill() {
	if s.used < len(s.full) {
		s.free = s.full[s.used]
		s.used++
		return
	}
	s.next = min(max(2*s.next, slabFirst), slabMost)
	s.free = make([]T, s.next)
	if s.next == slabMost {
		s.full = append(s.full, s.free)
		s.used++
	}
}

// Reset takes all values back, which nobody may use any more.
func (s *Slab[T]) Reset() {
	for _, chunk := range s.full[:s.used] {
		clear(chunk)
	}
	s.free, s.used = nil, 0
}

// Push appends to a list that may grow large. It doubles the room where append adds
// a quarter, and so leaves less behind.
func Push[T any](list []T, v T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 4))
	}
	return append(list, v)
}

// Reset returns a list without items that holds on to nothing.
func Reset[T any](list []T) []T {
	clear(list[:cap(list)])
	return list[:0]
}
