package resolver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// Who finds the way out of a dead end makes no difference: the search itself, or
// the solver that is asked once the search has led no deeper for too long.
func TestPropertySolverFindsTheSame(t *testing.T) {
	for _, most := range []int{0, 1} {
		usual, hasty, c := resolver.New(), resolver.New(resolver.WithDeadEnds(most)), newConverter()
		var asked atomic.Int64
		checkProperty(t, 0.5, func(p *oracle.Problem) error {
			req := c.request(p)
			want := steps(usual.Resolve(context.Background(), req))
			sol, err := hasty.Resolve(context.Background(), req)
			if sol != nil && sol.Stats.Solves > 0 {
				asked.Add(1)
			}
			if got := steps(sol, err); got != want {
				return fmt.Errorf("with %d dead ends allowed, the answer is\n%s\ninstead of\n%s", most, got, want)
			}
			return nil
		})
		if testkit.Long() { // few problems may all be plain
			require.Positive(t, asked.Load(), "the solver is never asked")
		}
	}
}

// The same for larger problems, where it takes many choices to a dead end.
func TestSolverFindsTheSameFarDown(t *testing.T) {
	asked := 0
	for _, preset := range []string{"random", "deep-conflict", "phase-transition", "gvk-contention"} {
		config, known := synthetic.Preset(preset)
		require.True(t, known, preset)
		for seed := range uint64(6) {
			config.Seed = seed
			if preset == "random" {
				config.ConflictDensity = 0.1
			}
			g := testkit.Must(synthetic.New(config.Sized(200)))(t)
			req := testkit.Must(g.Request(context.Background()))(t)
			want := steps(resolver.New().Resolve(context.Background(), req))
			for _, most := range []int{0, 3} {
				sol, err := resolver.New(resolver.WithDeadEnds(most)).Resolve(context.Background(), req)
				require.Equal(t, want, steps(sol, err), "%s %d", preset, seed)
				if sol != nil {
					asked += sol.Stats.Solves
				}
			}
		}
	}
	require.Positive(t, asked)
}

// steps is an answer without what it took to find it.
func steps(sol *resolver.Solution, err error) string {
	if sol == nil {
		if _, conflict := err.(*resolver.Conflict); conflict {
			return "conflict"
		}
		return err.Error()
	}
	text, err := json.Marshal(sol.Steps)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
