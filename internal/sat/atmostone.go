package sat

import (
	"math"
	"slices"
)

// pairwiseUpTo is the size up to which a clause for each pair is the smallest
// encoding: 10 clauses for 5 literals, where the product encoding takes 14 and
// four variables more.
const pairwiseUpTo = 5

// AtMostOne adds that at most one of lits holds; with a guard, only while the
// guard holds. Guard 0 means always. A literal that is listed twice counts once.
//
// The clauses make unit propagation complete: once one of lits holds (and the
// guard does), all others are false. There are about 2n + 4√n of them for n
// literals, over some 2√n variables of their own, or one for each pair when
// n is small. lits is not kept.
func (s *Solver) AtMostOne(lits []Lit, guard Lit) {
	group := distinct(lits)
	for _, l := range group {
		s.know(l) // before new variables are numbered
	}
	if guard != 0 {
		s.know(guard)
		guard = guard.Not() // the literal that switches a clause off
	}
	s.atMostOne(group, guard)
}

// atMostOne places the literals in a grid (the product encoding of Chen, 2010).
// A literal that holds makes its row and its column hold; at most one row and
// at most one column may. Rows and columns that nothing holds in may be
// anything, so only the innermost clauses need to be switched off.
func (s *Solver) atMostOne(lits []Lit, off Lit) {
	if len(lits) <= pairwiseUpTo {
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

// distinct returns lits without the constant and without repetitions, in order.
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
