package sat

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// What Also adds saves solves and changes no result: here it knows every literal
// that cannot be dropped, or only some of them.
func TestMinimizeAlso(t *testing.T) {
	saved := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		p, s := newProblem(10, false)
		p.randomClauses(s, r, 28, 3)
		var all []Lit
		for _, v := range r.Perm(p.vars) {
			all = append(all, Lit(v+1)*Lit(1-2*r.IntN(2)))
		}
		if p.satisfiable(all...) {
			continue
		}
		before := s.Solves()
		want := testkit.Must(Minimize(context.Background(), s, all, MinimizeOptions{}))(t)
		plain := s.Solves() - before
		for share := range 3 {
			calls := 0
			before = s.Solves()
			got := testkit.Must(Minimize(context.Background(), s, all, MinimizeOptions{Also: func(needed Lit, others []Lit) []Lit {
				calls++
				require.True(t, p.satisfiable(others...), "the others hold together")
				require.False(t, p.satisfiable(append(slices.Clone(others), needed)...), "and not with the needed one")
				var out []Lit
				for i, l := range others {
					rest := append(slices.Delete(slices.Clone(others), i, i+1), needed)
					if i%(share+1) == 0 && p.satisfiable(rest...) {
						out = append(out, l)
					}
				}
				return out
			}}))(t)
			require.Equal(t, want, got)
			require.LessOrEqual(t, s.Solves()-before, plain+2, "another way of halving may take a step more")
			require.LessOrEqual(t, calls, len(want))
			saved += plain - (s.Solves() - before)
		}
	}
	require.Greater(t, saved, 50)
}

// With Any, the result is a minimal core as well, if not always the same one, and takes
// no more solves than there are literals.
func TestMinimizeAny(t *testing.T) {
	other, cores := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 11))
		p, s := newProblem(10, false)
		p.randomClauses(s, r, 28, 3)
		var all []Lit
		for _, v := range r.Perm(p.vars) {
			all = append(all, Lit(v+1)*Lit(1-2*r.IntN(2)))
		}
		if p.satisfiable(all...) {
			continue
		}
		also := func(needed Lit, others []Lit) (out []Lit) {
			require.True(t, p.satisfiable(others...))
			for i, l := range others {
				if rest := append(slices.Delete(slices.Clone(others), i, i+1), needed); i%2 == 0 && p.satisfiable(rest...) {
					out = append(out, l)
				}
			}
			return out
		}
		want := testkit.Must(Minimize(context.Background(), s, all, MinimizeOptions{}))(t)
		before := s.Solves()
		got := testkit.Must(Minimize(context.Background(), s, all, MinimizeOptions{Any: true, Also: also}))(t)
		require.LessOrEqual(t, s.Solves()-before, len(all)+1)
		require.False(t, p.satisfiable(got...))
		for i := range got {
			require.True(t, p.satisfiable(slices.Delete(slices.Clone(got), i, i+1)...))
		}
		cores++
		if !slices.Equal(want, got) {
			other++
		}
	}
	require.Positive(t, other)
	require.Less(t, other, cores)
}
