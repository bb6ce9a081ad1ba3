package sat

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// follows reports whether a clause follows from others by unit propagation, in
// the order of its uses. It is deliberately simple.
func follows(t *testing.T, clauses [][]Lit, d Derived, assumptions []Lit) {
	t.Helper()
	value := make(map[int]bool)
	set := func(l Lit) { value[l.Var()] = l > 0 }
	for _, l := range assumptions {
		set(l)
	}
	for _, l := range d.Literals {
		set(l.Not())
	}
	for _, u := range d.Uses {
		require.Less(t, u, len(clauses))
		var open []Lit
		for _, l := range clauses[u] {
			if v, ok := value[l.Var()]; !ok || v == (l > 0) {
				open = append(open, l)
			}
		}
		if len(open) == 0 {
			return
		}
		if len(open) == 1 {
			set(open[0])
		}
	}
	require.Fail(t, "does not follow", "%v by %v", d.Literals, d.Uses)
}

func verify(t *testing.T, s *Solver, proof []Derived, assumptions []Lit) {
	t.Helper()
	var clauses [][]Lit
	for c := range s.Unsolved() {
		clauses = append(clauses, append([]Lit(nil), c...))
	}
	for _, d := range proof {
		follows(t, clauses, d, assumptions)
		clauses = append(clauses, d.Literals)
	}
	require.NotEmpty(t, proof)
	require.Empty(t, proof[len(proof)-1].Literals)
}

func TestProveAgainstTheSolver(t *testing.T) {
	proven := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		newSolver := func() *Solver {
			r := rand.New(rand.NewPCG(seed, 2))
			s := New(Options{})
			n := 3 + r.IntN(12)
			for range n {
				s.NewVar()
			}
			for range int(float64(n) * (3 + 2*r.Float64())) {
				var c []Lit
				for range 1 + r.IntN(3) + r.IntN(2) {
					l := Lit(1 + r.IntN(n))
					if r.IntN(2) == 0 {
						l = -l
					}
					c = append(c, l)
				}
				s.Add(c...)
			}
			return s
		}
		s := newSolver()
		var assumptions []Lit
		if r.IntN(2) == 0 {
			assumptions = []Lit{1, -2}
		}
		proof, err := s.Prove(context.Background(), assumptions, nil)
		status, solveErr := newSolver().Solve(context.Background(), assumptions...)
		require.NoError(t, solveErr)
		if status == Satisfiable {
			require.ErrorIs(t, err, ErrSatisfiable, "seed %d", seed)
			continue
		}
		require.NoError(t, err, "seed %d", seed)
		verify(t, s, proof, assumptions)
		proven++
	}
	require.Greater(t, proven, 500)
}

// The pigeonhole problem needs many clauses, all over the decided variables.
func TestProveOverSomeVariables(t *testing.T) {
	s := New(Options{})
	const holes = 6
	var in [holes + 1][holes]Lit
	about := []Lit{}
	for p := range in {
		free := s.NewVar() // not a decision variable
		clause := []Lit{free.Not()}
		for h := range in[p] {
			in[p][h] = s.NewVar()
			clause, about = append(clause, in[p][h]), append(about, in[p][h])
		}
		s.Add(free)
		s.Add(clause...)
	}
	for h := range holes {
		var group []Lit
		for p := range in {
			group = append(group, in[p][h])
		}
		s.AtMostOne(group, 0)
	}
	proof, err := s.Prove(context.Background(), nil, about)
	require.NoError(t, err)
	verify(t, s, proof, nil)
	of := make(map[int]bool)
	for _, l := range about {
		of[l.Var()] = true
	}
	for _, d := range proof {
		for _, l := range d.Literals {
			require.True(t, of[l.Var()])
		}
	}
	again, err := s.Prove(context.Background(), nil, about)
	require.NoError(t, err)
	require.Equal(t, proof, again)
}

func TestProveStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := New(Options{})
	a, b := s.NewVar(), s.NewVar()
	s.Add(a, b)
	_, err := s.Prove(ctx, nil, nil)
	require.ErrorIs(t, err, context.Canceled)
}
