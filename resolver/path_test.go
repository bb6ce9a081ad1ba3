package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// stairs is a request with three upgrades to come, from a.v1 to a.v4 one by one.
func stairs(t testing.TB) resolver.Request {
	t.Helper()
	return universe.Request(t, `
		a/one a.v1
		a/one a.v2 replaces=a.v1
		a/one a.v3 replaces=a.v2
		a/one a.v4 replaces=a.v3
		installed a.v1 package=a
		subscribe a in=one at=a.v1`)
}

// Who stops to follow a path has it up to there, and can go on with it later.
func TestFollowInParts(t *testing.T) {
	r := resolver.New()
	path := &resolver.Path{Final: stairs(t)}
	for sol, err := range path.Follow(t.Context(), 0, r.Resolve) {
		require.NoError(t, err)
		require.Equal(t, []string{"a.v2"}, sol.Set())
		break
	}
	require.Len(t, path.Rounds, 1)
	require.Equal(t, "a.v2", path.Final.Subscriptions[0].InstalledCSV)
	require.Nil(t, path.Last)
	for _, err := range path.Follow(t.Context(), 0, r.Resolve) {
		require.NoError(t, err)
	}
	require.Len(t, path.Rounds, 3)
	require.Equal(t, []string{"a.v4"}, path.Last.Set())
}

// A path goes where the function takes it, and ends where that says so.
func TestFollowOtherwise(t *testing.T) {
	r := resolver.New()
	path := &resolver.Path{Final: stairs(t)}
	for _, err := range path.Follow(t.Context(), 0, func(ctx context.Context, at resolver.Request) (*resolver.Solution, error) {
		if at.Installed[0].Name == "a.v3" {
			return nil, nil
		}
		return r.Resolve(ctx, at)
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, []string{"a.v3"}, path.Set())
	require.Nil(t, path.Last)
}

// A context that ends ends the path, also where the function does not look at it.
func TestFollowUntilTheContextEnds(t *testing.T) {
	r := resolver.New()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	path := &resolver.Path{Final: stairs(t)}
	var last error
	for _, err := range path.Follow(ctx, 0, func(_ context.Context, at resolver.Request) (*resolver.Solution, error) {
		defer cancel()
		return r.Resolve(t.Context(), at)
	}) {
		last = err
	}
	testkit.As[*resolver.IncompleteError](t, last)
	require.ErrorIs(t, last, context.Canceled)
	require.Len(t, path.Rounds, 1)
}

// Of two branches of a path that meet, the later one knows that a branch was there.
func TestBranchesMeet(t *testing.T) {
	r := resolver.New()
	path := &resolver.Path{Final: stairs(t)}
	sol := testkit.Must(r.Resolve(t.Context(), path.Final))(t)
	one, other := path.Branch(), path.Branch()
	require.True(t, one.Advance(sol))
	require.False(t, other.Advance(sol))
	require.Empty(t, path.Rounds)
	require.Equal(t, one.Set(), other.Set())
}
