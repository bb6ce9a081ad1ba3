package sat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// For groups too large for exhaustive search (see
// TestSolverAgainstEveryAssignment), every pair must conflict and every single
// literal must be satisfiable.
func TestAtMostOneOfMany(t *testing.T) {
	for _, n := range []int{26, 37, 200} {
		s := New(Options{})
		lits := s.newVars(n)
		s.AtMostOne(lits, 0)
		for i, l := range lits {
			checkStatus(t, s, Satisfiable, l)
			for _, m := range lits {
				require.Equal(t, m == l, s.Value(m))
			}
			for _, m := range lits[:i] {
				checkStatus(t, s, Unsatisfiable, l, m)
				require.Equal(t, []Lit{l, m}, s.Failed())
			}
		}
	}
}

func TestAtMostOneTakesRepetitionsAndConstants(t *testing.T) {
	s := New(Options{})
	a, b := s.NewVar(), s.NewVar()
	s.AtMostOne([]Lit{a, 0, a, b, a, a, a, a, a, a}, 0)
	require.Equal(t, 1, s.Clauses(), "two different literals are one pair")
	checkStatus(t, s, Satisfiable, a)
	checkStatus(t, s, Unsatisfiable, a, b)
}

func TestAtMostOneIsCompact(t *testing.T) {
	for _, n := range []int{100, 1000, 10000} {
		s := New(Options{})
		s.AtMostOne(s.newVars(n), 0)
		root := ceilSqrt(n)
		require.LessOrEqual(t, s.Clauses(), 2*n+7*root)
		require.LessOrEqual(t, s.Vars()-n, 4*root)
	}
}

func checkStatus(t *testing.T, s *Solver, want Status, assumptions ...Lit) {
	t.Helper()
	status := testkit.Must(s.Solve(t.Context(), assumptions...))(t)
	require.Equal(t, want, status, "assuming %v", assumptions)
}
