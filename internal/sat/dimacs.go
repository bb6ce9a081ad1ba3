package sat

import (
	"iter"
	"slices"
)

// Unsolved lists the clauses that the solver underneath was not given yet, in the order in
// which they were added: before the first Solve, all of them. An empty clause among them
// comes first, once. The slices are only valid until the next one is asked for.
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
