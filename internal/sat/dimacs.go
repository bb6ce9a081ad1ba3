package sat

import (
	"iter"
	"slices"
)

// Unsolved yields the clauses that the backend has not received, in the order
// added: before the first Solve, all of them. An empty clause comes first,
// once. Each slice is valid only until the next iteration.
func (s *Solver) Unsolved() iter.Seq[[]Lit] {
	return func(yield func([]Lit) bool) {
		if s.broken && !yield(nil) {
			return
		}
		for rest := s.pending; len(rest) > 0; {
			end := slices.Index(rest, 0)
			if !yield(rest[:end:end]) {
				return
			}
			rest = rest[end+1:]
		}
	}
}
