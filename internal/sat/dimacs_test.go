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

// unsolved collects the unsolved clauses.
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
	for clause := range s.Unsolved() { // early exit is allowed
		require.Equal(t, want[0], clause)
		break
	}

	s.Add(s.newVars(2)...)
	_, err := s.Solve(context.Background())
	require.NoError(t, err)
	require.Empty(t, unsolved(s), "the backend has received them")
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

// TestMinimizeObserve: exactly the solves of a Minimize are reported.
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

	s.Add() // the clauses are now unsatisfiable, and no solve is needed
	before := calls
	_, err := Minimize(context.Background(), s, guards, MinimizeOptions{Observe: func(Status, int, time.Duration) { calls++ }})
	require.NoError(t, err)
	require.Equal(t, before, calls)
}

// problem mirrors the calls to a Solver and solves by trying every assignment.
// It knows no encodings.
type problem struct {
	vars    int
	clauses [][]Lit
	groups  []group
}

type group struct {
	lits  []Lit
	guard Lit
}

// add adds a clause to the problem and to s.
func (p *problem) add(s *Solver, lits ...Lit) {
	p.clauses = append(p.clauses, lits)
	s.Add(lits...)
}

// atMostOne adds a group to the problem and to s.
func (p *problem) atMostOne(s *Solver, lits []Lit, guard Lit) {
	p.groups = append(p.groups, group{lits, guard})
	s.AtMostOne(lits, guard)
}

// allows reports whether an assignment satisfies p.
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

// minimalCore drops literals from the end while the rest stays unsatisfiable.
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

// newProblem returns an empty problem of n variables and a solver with the
// same variables.
func newProblem(n int) (*problem, *Solver) {
	s := New(Options{})
	for range n {
		s.NewVar()
	}
	return &problem{vars: n}, s
}

// randomLits returns count literals of distinct variables with random signs.
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

// border returns a problem near the satisfiability threshold, and literals of
// all its variables.
func border(seed, stream uint64) (*problem, *Solver, []Lit) {
	r := rand.New(rand.NewPCG(seed, stream))
	p, s := newProblem(10)
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
