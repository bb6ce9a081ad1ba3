package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// pigeons is a problem without a solution that takes a solver exponentially long:
// n+1 subscriptions that each need one of n APIs, which only one of them can have.
func pigeons(t testing.TB, n int) resolver.Request {
	t.Helper()
	return universe.Request(t, each(n+1, "subscribe p%[1]d\n"+versions("p%%[1]d", n, "provides=g%[1]d.example.com/v1/Hole")))
}

// A context that ends stops even a solve that would take years, and says what is known by then.
func TestContextStopsALongSolve(t *testing.T) {
	req := pigeons(t, 40)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := resolver.New().Resolve(ctx, req)
	require.Less(t, time.Since(start), 2*time.Second, "far beyond what a loaded machine adds to 50 ms")
	incomplete := testkit.As[*resolver.IncompleteError](t, err)
	require.Equal(t, resolver.LimitContext, incomplete.Limit)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "; allow more time or narrow the request")
	require.Positive(t, incomplete.Progress.Stats.Reached)
	require.False(t, incomplete.Unsatisfiable, "forty pigeons are still being counted")

	_, err = resolver.New().Resolve(testkit.Ended(), req)
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, err.Error(), "more time", "it was the user's own wish")
	testkit.As[*resolver.IncompleteError](t, err)
}

// What has a solution that takes more solver calls than allowed has no answer.
func TestSolverCallsAreLimited(t *testing.T) {
	req := pigeons(t, 4)
	req.Policy.Failures = resolver.FailuresPartial
	_, err := resolver.New(resolver.WithLimits(resolver.Limits{Solves: 1})).Resolve(context.Background(), req)
	incomplete := testkit.As[*resolver.IncompleteError](t, err)
	require.Equal(t, resolver.LimitSolves, incomplete.Limit)
	require.EqualValues(t, 1, incomplete.Allowed)
	require.Contains(t, err.Error(), "solver calls")
}

// When the time runs out before any reason is found, the error still says that there is
// no solution.
func TestKnownToHaveNoSolution(t *testing.T) {
	ended := resolver.WithHooks(trace.Hooks{Resolution: func(_ context.Context, e trace.Event) context.Context {
		if e.Explain != nil {
			return testkit.Ended()
		}
		return nil
	}})
	_, err := resolver.New(ended).Resolve(context.Background(), pigeons(t, 4))
	require.True(t, testkit.As[*resolver.IncompleteError](t, err).Unsatisfiable)
	require.ErrorContains(t, err, "there is no solution, but the search for the reasons stopped: ")
}

// TestExplainedAsFarAsItGot: with ever more solver calls, a conflict has ever fewer facts,
// says that it is not minimal until it is, and then has the same bytes as without limit.
func TestExplainedAsFarAsItGot(t *testing.T) {
	req := pigeons(t, 6)
	req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: "again", Package: "p0"})
	whole := universe.Conflict(t, req)
	require.True(t, whole.Minimal)
	require.NotContains(t, whole.Text(), "stopped early")
	var last *resolver.Conflict
	for solves := 1; last == nil || !last.Minimal; solves++ {
		conflict := universe.Conflict(t, req, resolver.WithLimits(resolver.Limits{Solves: solves}))
		if !conflict.Minimal {
			require.Contains(t, conflict.Text(), "stopped early, at its deadline or its limit on solver calls.\n")
			require.Contains(t, conflict.Argument().HTML(), "stopped early")
		} else {
			require.Greater(t, solves, 4)
		}
		if last != nil {
			require.LessOrEqual(t, len(conflict.Facts), len(last.Facts))
		}
		last = conflict
	}
	require.Equal(t, whole.Facts, last.Facts)
	require.Contains(t, string(testkit.Must(json.Marshal(last))(t)), `"minimal":true`)
}

// TestWhyNotAsFarAsItGot: what choosing a bundle would break is marked where finding the
// facts was cut short, and so is the conflict of a request that has no solution.
func TestWhyNotAsFarAsItGot(t *testing.T) {
	for want := range 2 { // subscriptions too many
		req := pigeons(t, 4)
		req.Subscriptions = req.Subscriptions[:4+want]
		s, err := resolver.New(resolver.WithLimits(resolver.Limits{Solves: 1})).Session(context.Background(), req)
		require.NoError(t, err)
		why, err := s.WhyNot(context.Background(), resolver.BundleRef{Name: "p4.v0"})
		var conflict *resolver.Conflict
		if want == 0 {
			require.NoError(t, err)
			require.False(t, why.In)
			require.Contains(t, why.Text(), "p4.v0 is not in the result, and cannot be.")
			require.Contains(t, why.Text(), "stopped early")
			conflict = why.Conflict
		} else {
			require.ErrorAs(t, err, &conflict)
		}
		require.False(t, conflict.Minimal)
	}
}

// TestPathEndsAsFarAsItGot: a path that ends in a conflict ends in it as well where its
// explanation is cut short, behind the same rounds.
func TestPathEndsAsFarAsItGot(t *testing.T) {
	req := pigeons(t, 4)
	for _, solves := range []int{0, 1} {
		r := resolver.New(resolver.WithLimits(resolver.Limits{Solves: solves}))
		path, err := r.Converge(context.Background(), req, resolver.ConvergeOptions{})
		conflict := testkit.As[*resolver.Conflict](t, err)
		require.Equal(t, solves == 0, conflict.Minimal)
		require.Empty(t, path.Rounds)
		require.Nil(t, path.Last)
	}
}

// No clause is written once the work was stopped.
func TestNothingIsWrittenAfterALimit(t *testing.T) {
	r := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 10}))
	err := r.WriteDIMACS(context.Background(), io.Discard, pigeons(t, 4))
	incomplete := testkit.As[*resolver.IncompleteError](t, err)
	require.Equal(t, resolver.LimitBundles, incomplete.Limit)
	require.GreaterOrEqual(t, incomplete.Progress.Stats.Reached, 10)
	require.Zero(t, incomplete.Progress.Stats.Clauses)
}

// A malformed request is refused as a whole, with everything that is wrong.
func TestMalformedRequests(t *testing.T) {
	key := cache.Key{Namespace: "ns", Name: "c"}
	req := resolver.Request{
		Catalogs: []resolver.Catalog{{Key: key, Unavailable: errors.New("connection refused")}, {Key: key}, {}},
		Installed: []resolver.Installed{{Name: "a"}, {Name: "a"}, {}, {Name: "x", ReplacedBy: "y"}, {Name: "y", ReplacedBy: "x"},
			{Name: "z", Subscription: "nobody"}},
		Subscriptions: []resolver.Subscription{{}, {Name: "s", Package: "p"}, {Name: "s", Package: "p"}},
		Forbid:        []resolver.Forbidden{{}},
		Force:         []resolver.BundleRef{{}},
		Constraints:   []resolver.BundleConstraint{{}},
		Relax:         []resolver.BundleConstraint{{}},
		Policy:        resolver.Policy{Goal: "Best"},
	}
	_, err := resolver.New().Resolve(context.Background(), req)
	invalid := testkit.As[*resolver.RequestError](t, err)
	var fields []string
	for _, p := range invalid.Problems {
		require.NotEmpty(t, p.Message)
		fields = append(fields, p.Field)
	}
	require.Equal(t, []string{"catalogs[0]", "catalogs[1].key", "catalogs[1]", "catalogs[2].key", "catalogs[2]",
		"installed[1].name", "installed[2].name", "installed[5].subscription", "installed[3].replacedBy", "installed[4].replacedBy",
		"subscriptions[0].name", "subscriptions[0].package", "subscriptions[2].name",
		"forbid[0].bundle", "force[0]", "constraints[0].bundle", "constraints[0].constraint", "relax[0].bundle", "policy.goal"}, fields)
	require.Contains(t, err.Error(), "connection refused")
}
