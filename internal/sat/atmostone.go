package sat

import (
	"math"
	"slices"
)

// pairwiseMax is the maximum size for which one clause per pair is the
// smallest encoding: 10 clauses for 5 literals, where the product encoding
// needs 14 and four additional variables.
const pairwiseMax = 5

// AtMostOne adds the constraint that at most one of lits holds. With a guard
// literal, the constraint applies only while the guard holds; guard 0 means
// always. Duplicate literals count once.
//
// The encoding is arc-consistent: once one of lits (and the guard) holds, unit
// propagation falsifies all others. It has about 2n + 4√n clauses for n
// literals and some 2√n auxiliary variables, or one clause per pair for small
// n. lits is not retained.
func (s *Solver) AtMostOne(lits []Lit, guard Lit) {
	group := distinct(lits)
	for _, l := range group {
		s.ensureVar(l) // before new variables are numbered
	}
	if guard != 0 {
		s.ensureVar(guard)
		guard = guard.Not() // the literal that disables a clause
	}
	s.atMostOne(group, guard)
}

// atMostOne places the literals in a grid (the product encoding of Chen,
// 2010). A true literal implies its row and its column, and at most one row
// and one column may hold. Rows and columns without a true literal are
// unconstrained, so only the innermost clauses need the guard.
func (s *Solver) atMostOne(lits []Lit, off Lit) {
	if len(lits) <= pairwiseMax {
		for i, l := range lits {
			for _, m := range lits[:i] {
				s.Add(m.Not(), l.Not(), off)
			}
		}
		return
	}
	columns := ceilSqrt(len(lits))
	rows := (len(lits) + columns - 1) / columns
	row, column := s.newVars(rows), s.newVars(columns)
	for i, l := range lits {
		s.Add(l.Not(), row[i/columns])
		s.Add(l.Not(), column[i%columns])
	}
	s.atMostOne(row, off)
	s.atMostOne(column, off)
}

// distinct returns lits without the constant and duplicates, in order.
func distinct(lits []Lit) []Lit {
	out := make([]Lit, 0, len(lits))
	if len(lits) <= 16 {
		for _, l := range lits {
			if l != 0 && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	} else {
		seen := make(map[Lit]struct{}, len(lits))
		for _, l := range lits {
			if _, again := seen[l]; l != 0 && !again {
				seen[l] = struct{}{}
				out = append(out, l)
			}
		}
	}
	return out
}

func (s *Solver) newVars(n int) []Lit {
	out := make([]Lit, n)
	for i := range out {
		out[i] = s.NewVar()
	}
	return out
}

// ceilSqrt returns the smallest r with r·r ≥ n.
func ceilSqrt(n int) int { return int(math.Ceil(math.Sqrt(float64(n)))) }
