package resolver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// generated is the request of a preset that was changed.
func generated(t testing.TB, preset string, change func(*synthetic.Config)) resolver.Request {
	config, known := synthetic.Preset(preset)
	require.True(t, known, preset)
	change(&config)
	return testkit.Must(testkit.Must(synthetic.New(config))(t).Request(context.Background()))(t)
}

// A resolver that has answered other requests, some at the same time, answers as
// a new one does, and what it answered before stays as it is.
func TestMemoryIsUsedAgain(t *testing.T) {
	var requests []resolver.Request
	seeds, packages := testkit.Times(uint64(1), 3), testkit.Times(100, 200)
	for seed := range seeds {
		for _, preset := range []string{"random", "diamond", "cel-heavy", "fleet", "wide-any"} {
			requests = append(requests, generated(t, preset, func(c *synthetic.Config) { c.Seed, c.Packages = seed, packages }))
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
		all.Go(func() {
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
		})
	}
	all.Wait()
}

// A zero Resolver answers everything as one that New returns.
func TestZeroResolver(t *testing.T) {
	ctx, req := context.Background(), request("tracing")
	var zero resolver.Resolver
	want := universe.Solution(t, req)
	got := testkit.Must(zero.Resolve(ctx, req))(t)
	require.Equal(t, want, got)

	s := testkit.Must(zero.Session(ctx, req))(t)
	got = testkit.Must(s.Resolve(ctx))(t)
	require.Equal(t, want.Steps, got.Steps)
	_, err := s.WhyNot(ctx, resolver.BundleRef{Name: "collector.v2"})
	require.NoError(t, err)
	path := testkit.Must(zero.Converge(ctx, req, resolver.ConvergeOptions{}))(t)
	require.Equal(t, want.Set(), path.Set())
	require.NoError(t, zero.WriteDIMACS(ctx, io.Discard, req))
	got = testkit.Must(zero.With(resolver.WithLimits(resolver.Limits{})).Resolve(ctx, req))(t)
	require.Equal(t, want, got)

	req.Subscriptions[0].Package = "nobody"
	var conflict *resolver.Conflict
	_, err = zero.Resolve(ctx, req)
	require.ErrorAs(t, err, &conflict)
	require.NoError(t, whatif.FindCorrections(ctx, &zero, req, conflict, whatif.FindOptions{}))
}

// Each answer of a session has counts of its own, and so limits: what was found out for
// an earlier one is not counted again.
func TestSessionCountsForEachAnswer(t *testing.T) {
	ctx := context.Background()
	req := generated(t, "cel-heavy", func(c *synthetic.Config) { c.Packages = 100 })
	whole := universe.Solution(t, req)
	require.Positive(t, whole.Stats.CELCost)

	s, err := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: whole.Stats.Reached, CELCost: int64(whole.Stats.CELCost)})).Session(ctx, req)
	require.NoError(t, err)
	first := testkit.Must(s.Resolve(ctx))(t)
	require.Positive(t, first.Stats.CELCost)
	require.Equal(t, whole.Set(), first.Set())
	for range 3 {
		again := testkit.Must(s.Resolve(ctx))(t)
		require.Zero(t, again.Stats.CELCost)
		require.Zero(t, again.Stats.Reached)
		require.Equal(t, whole.Set(), again.Set())
	}
}
