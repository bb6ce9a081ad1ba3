package resolver

import "slices"

// slab hands out zeroed values of a type that live as long as the problem, many
// of them from one allocation.
type slab[T any] struct {
	free []T
	next int // the size of the next chunk
}

// The sizes of the first chunk of a slab, small for the sake of small requests,
// and of the largest.
const (
	slabFirst = 4
	slabMost  = 128
)

// take returns the next value.
func (s *slab[T]) take() *T {
	if len(s.free) == 0 {
		s.next = min(max(2*s.next, slabFirst), slabMost)
		s.free = make([]T, s.next)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

// push appends to a list that may grow large. It doubles the room where append adds
// a quarter, and so leaves less behind.
func push[T any](list []T, v T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 4))
	}
	return append(list, v)
}
