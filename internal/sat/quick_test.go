package sat

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// reversed has a chain of implications, each guarded by an assumption, in an order in which
// one pass over the clauses finds a single link, and returns the guards: all of them together
// cannot hold.
func reversed(s *Solver, links int) []Lit {
	first := s.NewVar()
	at, guards := first, make([]Lit, links)
	var clauses [][]Lit
	for i := range guards {
		next := s.NewVar()
		guards[i] = s.NewVar()
		clauses = append(clauses, []Lit{-guards[i], -at, next})
		at = next
	}
	s.Add(-at)
	for i := range clauses {
		s.Add(clauses[len(clauses)-1-i]...)
	}
	s.Add(first)
	return guards
}

// A solve without a backend gives up after a bounded amount of work, and a backend answers.
func TestQuickGivesUp(t *testing.T) {
	for links, quickly := range map[int]bool{10: true, 500: false} {
		s := New(Options{})
		guards := reversed(s, links)
		status := testkit.Must(s.Solve(context.Background(), guards...))(t)
		require.Equal(t, Unsatisfiable, status)
		require.ElementsMatch(t, guards, s.Failed())
		require.Equal(t, quickly, s.backend == nil)
		require.Greater(t, s.quick.left, -quickMost, "no more than the last pass")
	}
}

func BenchmarkQuickGivesUp(b *testing.B) {
	for b.Loop() {
		s := New(Options{})
		guards := reversed(s, 500)
		require.Equal(b, Unknown, s.quickly(guards))
	}
}
