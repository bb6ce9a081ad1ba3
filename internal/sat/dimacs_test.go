package sat

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// unsolved collects the clauses that no solve has seen.
func unsolved(s *Solver) [][]Lit {
	var out [][]Lit
	for c := range s.Unsolved() {
		out = append(out, slices.Clone(c))
	}
	return out
}

func TestUnsolved(t *testing.T) {
	s := New(Options{})
	require.Empty(t, unsolved(s))
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	s.Add(a, 0, b.Not())
	s.AtMostOne([]Lit{a, b, c}, 0)
	want := [][]Lit{{1, -2}, {-1, -2}, {-1, -3}, {-2, -3}}
	require.Equal(t, want, unsolved(s))
	require.Len(t, want, s.Clauses())
	for clause := range s.Unsolved() { // leaving early is fine
		require.Equal(t, want[0], clause)
		break
	}

	s.Add(s.newVars(quickMost)...)
	_, err := s.Solve(context.Background())
	require.NoError(t, err)
	require.Empty(t, unsolved(s), "so many go to the solver underneath")
	s.Add(c)
	require.Equal(t, [][]Lit{{3}}, unsolved(s))
}

func TestUnsolvedHasTheEmptyClause(t *testing.T) {
	s := New(Options{})
	a := s.NewVar()
	s.Add(a)
	s.Add(0)
	require.ElementsMatch(t, [][]Lit{nil, {1}}, unsolved(s))
	for clause := range s.Unsolved() {
		require.Empty(t, clause)
		break
	}
}

// TestMinimizeObserve: each solve of a Minimize is reported, and only those that
// were made.
func TestMinimizeObserve(t *testing.T) {
	s := New(Options{})
	var guards []Lit
	x := s.NewVar()
	for i := range 8 {
		g := s.NewVar()
		guards = append(guards, g)
		switch i {
		case 2:
			s.Add(g.Not(), x)
		case 5:
			s.Add(g.Not(), x.Not())
		}
	}
	calls, unsatisfiable := 0, 0
	core := testkit.Must(Minimize(context.Background(), s, guards, MinimizeOptions{Observe: func(status Status, assumptions int, took time.Duration) {
		calls++
		if status == Unsatisfiable {
			unsatisfiable++
		}
		require.LessOrEqual(t, assumptions, len(guards))
		require.GreaterOrEqual(t, took, time.Duration(0))
	}}))(t)
	require.Equal(t, []Lit{guards[2], guards[5]}, core)
	require.Equal(t, s.Solves(), calls)
	require.Positive(t, unsatisfiable)
	require.Less(t, unsatisfiable, calls)

	s.Add() // from now on the clauses alone cannot hold, and nothing is solved
	before := calls
	_, err := Minimize(context.Background(), s, guards, MinimizeOptions{Observe: func(Status, int, time.Duration) { calls++ }})
	require.NoError(t, err)
	require.Equal(t, before, calls)
}
