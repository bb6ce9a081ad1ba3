package sat

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
)

func TestSolveAnswersAgainAndAgain(t *testing.T) {
	s := New(Options{})
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	require.Equal(t, []Lit{1, 2, 3}, []Lit{a, b, c})

	checkStatus(t, s, Satisfiable)

	s.Add(a.Not(), b)
	s.Add(b.Not(), c)
	checkStatus(t, s, Satisfiable, a)
	require.True(t, s.Value(a) && s.Value(b) && s.Value(c))
	require.False(t, s.Value(c.Not()))

	checkStatus(t, s, Unsatisfiable, b.Not(), a, c)
	require.Equal(t, []Lit{b.Not(), a}, s.Failed(), "in the order given, without the irrelevant one")
	require.True(t, s.Value(a), "the previous model stays readable")

	s.Add(b.Not())
	require.True(t, s.Value(b), "clauses added later do not change the model")
	checkStatus(t, s, Satisfiable, b.Not())
	require.Nil(t, s.Failed())
	require.False(t, s.Value(a))

	require.Equal(t, 3, s.Vars())
	require.Equal(t, 3, s.Clauses())
	require.Equal(t, 4, s.Solves())
}

func TestUnsatisfiableClausesStayUnsatisfiable(t *testing.T) {
	tests := map[string]func(s *Solver, a, b Lit){
		"by the empty clause": func(s *Solver, a, b Lit) { s.Add() },
		"by opposite units":   func(s *Solver, a, b Lit) { s.Add(a); s.Add(a.Not()) },
		"by unit propagation": func(s *Solver, a, b Lit) { s.Add(a); s.Add(-a, b); s.Add(-a, -b) },
		// After the assumption a failed, its consequences violate the clauses
		// by propagation alone, which the backend must notice.
		"only by a case split": func(s *Solver, a, b Lit) { s.Add(a, b); s.Add(a, -b); s.Add(-a, b); s.Add(-a, -b) },
	}
	for name, build := range tests {
		t.Run(name, func(t *testing.T) {
			s := New(Options{})
			a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
			build(s, a, b)
			for _, assumptions := range [][]Lit{{a, c}, {}, {c}, {b.Not()}} {
				checkStatus(t, s, Unsatisfiable, assumptions...)
				s.Add(c) // must not make the clauses satisfiable again
			}
			require.Empty(t, s.Failed())
		})
	}
}

func TestAssumptionsAtOddsWithEachOther(t *testing.T) {
	s := New(Options{})
	a, b := s.NewVar(), s.NewVar()
	checkStatus(t, s, Unsatisfiable, b, a, b, a.Not(), b)
	require.Equal(t, []Lit{a, a.Not()}, s.Failed())

	checkStatus(t, s, Unsatisfiable, a, 0)
	require.Equal(t, []Lit{0}, s.Failed(), "zero is the constant false")
}

func TestVariablesNeverUsedAndNeverMade(t *testing.T) {
	s := New(Options{})
	for range 1000 {
		s.NewVar()
	}
	s.Add(3)
	s.Add(0, 2000)
	require.Equal(t, 2000, s.Vars())
	status := testkit.Must(s.Solve(t.Context(), -500, 3000))(t)
	require.Equal(t, 3000, s.Vars(), "an assumption adds its variable")
	require.Equal(t, Satisfiable, status)
	require.True(t, s.Value(3) && s.Value(2000) && s.Value(3000) && !s.Value(500))
	require.False(t, s.Value(s.NewVar()), "newer than the model")
	require.False(t, s.Value(0))
}

func TestBudgetOfSolves(t *testing.T) {
	s := New(Options{MaxSolves: 2})
	a := s.NewVar()
	for range 2 {
		_, err := s.Solve(t.Context(), a)
		require.NoError(t, err)
	}
	status, err := s.Solve(t.Context(), a)
	require.Equal(t, Unknown, status)
	budget := testkit.As[*BudgetError](t, err)
	require.Equal(t, BudgetError{Limit: 2, Solves: 2}, *budget)
	require.EqualError(t, err, "stopped after 2 solver calls: the budget allows 2")
}

// All operations in any order, compared with exhaustive search.
func solverProperty(t *rapid.T) {
	const n = 7
	p, s := newProblem(n)
	for range rapid.IntRange(1, 25).Draw(t, "steps") {
		switch rapid.SampledFrom([]string{"clause", "clause", "group", "solve", "solve", "minimize"}).Draw(t, "step") {
		case "clause":
			p.add(s, lits(n, 1, 3).Draw(t, "clause")...)
		case "group":
			guard := append(lits(n, 0, 1).Draw(t, "guard"), 0)[0]
			p.atMostOne(s, lits(n, 0, 9).Draw(t, "group"), guard)
		case "solve":
			checkSolve(t, p, s, lits(n, 0, 6).Draw(t, "assumptions"))
		case "minimize":
			core := lits(n, 0, 6).Draw(t, "core")
			checkMinimize(t, p, s, core)
		}
	}
	checkSolve(t, p, s, nil)
}

func TestSolverAgainstEveryAssignment(t *testing.T) { rapid.Check(t, solverProperty) }

func FuzzSolverAgainstEveryAssignment(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(solverProperty))
}

// checkSolve solves and compares status, model and core with p.
func checkSolve(t require.TestingT, p *problem, s *Solver, assumptions []Lit) {
	status := testkit.Must(s.Solve(context.Background(), assumptions...))(t)
	if !p.satisfiable(assumptions...) {
		require.Equal(t, Unsatisfiable, status)
		checkFailed(t, p, s.Failed(), assumptions)
		return
	}
	require.Equal(t, Satisfiable, status)
	require.True(t, p.allows(s.Value), "the model violates a clause or a group")
	for _, l := range assumptions {
		require.True(t, s.Value(l), "the model violates assumption %d", l)
		require.False(t, s.Value(l.Not()))
	}
}

// checkFailed checks that a core is unsatisfiable and in the order of the
// assumptions.
func checkFailed(t require.TestingT, p *problem, failed, assumptions []Lit) {
	require.False(t, p.satisfiable(failed...), "core %v is satisfiable", failed)
	next := 0
	for _, l := range failed {
		i := slices.Index(assumptions[next:], l)
		require.GreaterOrEqual(t, i, 0, "core %v of assumptions %v: unknown, duplicate or out of order", failed, assumptions)
		next += i + 1
	}
}

// Harder than rapid's draws: near the satisfiability threshold, with hundreds
// of conflicts between the solves.
func TestRandom3SATAgainstEveryAssignment(t *testing.T) {
	outcomes := map[bool]int{}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		p, s := newProblem(12)
		for p.randomClauses(s, r, 36, 3); len(p.clauses) < 60; p.randomClauses(s, r, 2, 3) {
			checkSolve(t, p, s, p.randomLits(r, r.IntN(4)))
		}
		outcomes[p.satisfiable()]++
	}
	require.Greater(t, outcomes[true], 3, "the instances must be of both kinds")
	require.Greater(t, outcomes[false], 3, "the instances must be of both kinds")
}

// The same calls give the same models and cores, whether the solve is
// interruptible or not, under any load.
func TestSolveIsDeterministic(t *testing.T) {
	run := func(ctx context.Context) (trace []any) {
		r := rand.New(rand.NewPCG(1, 2))
		p, s := newProblem(150)
		p.randomClauses(s, r, 590, 3)
		for range 30 {
			status := testkit.Must(s.Solve(ctx, p.randomLits(r, 2+r.IntN(4))...))(t)
			trace = append(trace, status, s.Failed(), slices.Clone(s.model))
			p.randomClauses(s, r, 1, 3)
		}
		return trace
	}
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	want := run(context.Background())
	require.Contains(t, want, Satisfiable)
	require.Contains(t, want, Unsatisfiable)
	require.Equal(t, want, run(context.Background()))
	require.Equal(t, want, run(cancellable))
}
