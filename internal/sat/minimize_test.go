package sat

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// checkMinimize compares Minimize with dropping literals one by one by
// exhaustive search.
func checkMinimize(t require.TestingT, p *problem, s *Solver, core []Lit) {
	got, err := Minimize(context.Background(), s, core, MinimizeOptions{})
	if p.satisfiable(core...) {
		require.ErrorIs(t, err, ErrSatisfiable)
		require.Nil(t, got)
		return
	}
	require.NoError(t, err)
	require.Equal(t, append([]Lit{}, p.minimalCore(distinct(core))...), got)
}

func TestMinimizeOnRandom3SAT(t *testing.T) {
	sizes := map[int]bool{}
	for seed := range uint64(60) {
		p, s, all := border(seed, 5)
		checkMinimize(t, p, s, all)
		sizes[len(p.minimalCore(all))] = true
	}
	require.Greater(t, len(sizes), 3, "cores of many sizes must occur")
}

// A chain of implications among many irrelevant literals.
func TestMinimizeIsFrugal(t *testing.T) {
	const n, k = 2000, 5
	s := New(Options{})
	all := s.newVars(n)
	var clash []Lit
	for i := range k {
		clash = append(clash, all[(i+1)*n/(k+1)].Not())
	}
	s.Add(clash...)

	got := testkit.Must(Minimize(t.Context(), s, all, MinimizeOptions{}))(t)
	require.Len(t, got, k)
	require.LessOrEqual(t, s.Solves(), k+1, "the first core was minimal already")

	// Every one of the last half is a core.
	for _, l := range all[n/2:] {
		s.Add(l.Not())
	}
	before := s.Solves()
	got = testkit.Must(Minimize(t.Context(), s, all, MinimizeOptions{}))(t)
	require.Equal(t, []Lit{all[n/2]}, got)
	require.LessOrEqual(t, s.Solves()-before, 40)
}

func TestMinimizeStopsWithWhatItHas(t *testing.T) {
	clashing := func(o Options) (*Solver, []Lit) {
		s := New(o)
		all := s.newVars(40)
		var clash []Lit
		for _, l := range all[10:30] {
			clash = append(clash, l.Not())
		}
		s.Add(clash...)
		return s, all
	}
	s, all := clashing(Options{MaxSolves: 3})
	got, err := Minimize(t.Context(), s, all, MinimizeOptions{})
	budget := testkit.As[*BudgetError](t, err)
	require.Equal(t, BudgetError{Limit: 3, Solves: 3}, *budget)
	require.Equal(t, all[10:30], got)
	s, _ = clashing(Options{})
	checkStatus(t, s, Unsatisfiable, got...)

	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the user disconnected")
	cancel(reason)
	got, err = Minimize(ctx, s, all, MinimizeOptions{})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, reason)
	require.Nil(t, got)
}

// knows returns a function that finds every share-th necessary literal. It
// checks its arguments.
func knows(t *testing.T, p *problem, share int) func(needed Lit, others []Lit) []Lit {
	return func(needed Lit, others []Lit) (out []Lit) {
		require.True(t, p.satisfiable(others...), "the others are satisfiable")
		for i, l := range others {
			rest := append(slices.Delete(slices.Clone(others), i, i+1), needed)
			if i%share == 0 && p.satisfiable(rest...) {
				out = append(out, l)
			}
		}
		return out
	}
}

// Also saves solves without changing the result: here it finds all necessary
// literals, or some of them.
func TestMinimizeAlso(t *testing.T) {
	saved := 0
	for seed := range uint64(40) {
		p, s, all := border(seed, 9)
		if p.satisfiable(all...) {
			continue
		}
		before := s.Solves()
		want := testkit.Must(Minimize(t.Context(), s, all, MinimizeOptions{}))(t)
		plain := s.Solves() - before
		for share := 1; share <= 3; share++ {
			calls, also := 0, knows(t, p, share)
			before = s.Solves()
			got := testkit.Must(Minimize(t.Context(), s, all, MinimizeOptions{Also: func(needed Lit, others []Lit) []Lit {
				calls++
				require.False(t, p.satisfiable(append(slices.Clone(others), needed)...), "unsatisfiable with the needed one")
				return also(needed, others)
			}}))(t)
			require.Equal(t, want, got)
			require.LessOrEqual(t, s.Solves()-before, plain+2, "a different bisection may take one more step")
			require.LessOrEqual(t, calls, len(want))
			saved += plain - (s.Solves() - before)
		}
	}
	require.Greater(t, saved, 50)
}

// With Any, the result is also a minimal core, if not always the same one, and
// takes at most one solve per literal.
func TestMinimizeAny(t *testing.T) {
	other, cores := 0, 0
	for seed := range uint64(200) {
		p, s, all := border(seed, 11)
		if p.satisfiable(all...) {
			continue
		}
		want := testkit.Must(Minimize(t.Context(), s, all, MinimizeOptions{}))(t)
		before := s.Solves()
		got := testkit.Must(Minimize(t.Context(), s, all, MinimizeOptions{Any: true, Also: knows(t, p, 2)}))(t)
		require.LessOrEqual(t, s.Solves()-before, len(all)+1)
		require.False(t, p.satisfiable(got...))
		for i := range got {
			require.True(t, p.satisfiable(slices.Delete(slices.Clone(got), i, i+1)...))
		}
		if cores++; !slices.Equal(want, got) {
			other++
		}
	}
	require.Positive(t, other)
	require.Less(t, other, cores)
}
