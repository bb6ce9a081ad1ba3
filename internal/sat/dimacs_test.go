package sat

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
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

// problem is what a Solver was given, kept in the words of the caller, and
// answered by trying every assignment. It knows nothing of encodings.
type problem struct {
	vars    int
	clauses [][]Lit
	groups  []group
}

type group struct {
	lits  []Lit
	guard Lit
}

// add gives the same clause to the problem and to s.
func (p *problem) add(s *Solver, lits ...Lit) {
	p.clauses = append(p.clauses, lits)
	s.Add(lits...)
}

// atMostOne gives the same group to the problem and to s.
func (p *problem) atMostOne(s *Solver, lits []Lit, guard Lit) {
	p.groups = append(p.groups, group{lits, guard})
	s.AtMostOne(lits, guard)
}

// allows reports whether everything in p holds under an assignment.
func (p *problem) allows(value func(Lit) bool) bool {
	for _, c := range p.clauses {
		if !slices.ContainsFunc(c, value) {
			return false
		}
	}
	for _, g := range p.groups {
		if g.guard != 0 && !value(g.guard) {
			continue
		}
		held := map[Lit]bool{}
		for _, l := range g.lits {
			if value(l) {
				held[l] = true
			}
		}
		if len(held) > 1 {
			return false
		}
	}
	return true
}

// satisfiable tries every assignment of p's variables.
func (p *problem) satisfiable(assumptions ...Lit) bool {
	for bits := range uint64(1) << p.vars {
		value := func(l Lit) bool { return bits>>(l.Var()-1)&1 == 1 == (l > 0) }
		if !slices.ContainsFunc(assumptions, func(l Lit) bool { return !value(l) }) && p.allows(value) {
			return true
		}
	}
	return false
}

// minimalCore drops literals from the end as long as the rest is unsatisfiable.
func (p *problem) minimalCore(core []Lit) []Lit {
	core = slices.Clone(core)
	for i := len(core) - 1; i >= 0; i-- {
		without := slices.Delete(slices.Clone(core), i, i+1)
		if !p.satisfiable(without...) {
			core = without
		}
	}
	return core
}

// newProblem returns an empty problem of n variables and a solver that knows the same ones
// and, unless it is quick, asks the solver underneath from the start.
func newProblem(n int, quick bool) (*problem, *Solver) {
	s := New(Options{})
	if !quick {
		s.backend = newBackend(n, 0)
	}
	for range n {
		s.NewVar()
	}
	return &problem{vars: n}, s
}

// randomLits returns so many literals of distinct variables, each as likely negated as not.
func (p *problem) randomLits(r *rand.Rand, count int) (out []Lit) {
	for _, v := range r.Perm(p.vars)[:count] {
		out = append(out, Lit(v+1)*Lit(1-2*r.IntN(2)))
	}
	return out
}

// randomClauses adds count clauses of width distinct variables each.
func (p *problem) randomClauses(s *Solver, r *rand.Rand, count, width int) {
	for range count {
		p.add(s, p.randomLits(r, width)...)
	}
}

// border returns a problem that hardly any assignment solves, and literals of all its variables.
func border(seed, stream uint64) (*problem, *Solver, []Lit) {
	r := rand.New(rand.NewPCG(seed, stream))
	p, s := newProblem(10, false)
	p.randomClauses(s, r, 28, 3)
	return p, s, p.randomLits(r, p.vars)
}

// lits draws literals over the variables 1 to n.
func lits(n, atLeast, atMost int) *rapid.Generator[[]Lit] {
	lit := rapid.Custom(func(t *rapid.T) Lit {
		l := Lit(rapid.IntRange(1, n).Draw(t, "var"))
		if rapid.Bool().Draw(t, "negative") {
			return l.Not()
		}
		return l
	})
	return rapid.SliceOfN(lit, atLeast, atMost)
}
