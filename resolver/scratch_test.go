package resolver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
)

// A resolver that has answered other requests, some at the same time, answers as
// a new one does, and what it answered before stays as it is.
func TestMemoryIsUsedAgain(t *testing.T) {
	var requests []resolver.Request
	seeds, packages := testkit.Times(uint64(1), 3), testkit.Times(100, 200)
	for seed := range seeds {
		for _, preset := range []string{"random", "diamond", "cel-heavy", "fleet", "wide-any"} {
			config, known := synthetic.Preset(preset)
			require.True(t, known)
			config.Seed, config.Packages = seed, packages
			g := testkit.Must(synthetic.New(config))(t)
			req := testkit.Must(g.Request(context.Background()))(t)
			requests = append(requests, req)
		}
	}
	written := func(sol *resolver.Solution, err error) string {
		text, wrong := json.Marshal(sol)
		assert.NoError(t, wrong)
		return fmt.Sprintf("%s %v", text, err)
	}
	ctx, used := context.Background(), resolver.New()
	want := make([]string, len(requests))
	for i, req := range requests {
		want[i] = written(resolver.New().Resolve(ctx, req))
	}
	var all sync.WaitGroup
	for worker := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			solutions := make([]*resolver.Solution, len(requests))
			for round := range 3 {
				for k := range requests {
					i := (k*(worker+1) + round) % len(requests)
					solutions[i], _ = used.Resolve(ctx, requests[i])
				}
			}
			for i, sol := range solutions {
				if sol == nil {
					_, err := used.Resolve(ctx, requests[i])
					assert.Equal(t, want[i], written(nil, err))
					continue
				}
				assert.Equal(t, want[i], written(sol, nil))
			}
		}()
	}
	all.Wait()
}
