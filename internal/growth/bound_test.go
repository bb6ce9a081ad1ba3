package growth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/growth"
	"github.com/seed109e2655/resolute/resolver"
)

// TestListsOfCandidatesAreBounded: subscriptions that each have a list of their own end
// at the limit of bundles before they take all memory, and those that share one do not.
func TestListsOfCandidatesAreBounded(t *testing.T) {
	r := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 2000}))
	_, err := r.Resolve(t.Context(), growth.New(t, growth.Shapes["a range for each subscription"], 1500).Request)
	var stopped *resolver.IncompleteError
	require.ErrorAs(t, err, &stopped)
	require.Equal(t, resolver.LimitBundles, stopped.Limit)
	_, err = r.Resolve(t.Context(), growth.New(t, growth.Shapes["many subscriptions to one package"], 1500).Request)
	require.NoError(t, err)
}

// TestChangesNameFewSuccessors: a version that had more successors than a change names
// says how many are left out.
func TestChangesNameFewSuccessors(t *testing.T) {
	const n = 300
	old := growth.New(t, growth.Shapes["skipRange everywhere"], n).Packages[0]
	now := growth.New(t, growth.Shapes["entries without bundles"], n).Packages[0]
	changes, err := graph.Compare(t.Context(), old, now)
	require.NoError(t, err)
	most := 0
	for _, c := range changes {
		require.LessOrEqual(t, max(len(c.Before), len(c.Now), len(c.Lost)), graph.MaxSuccessors)
		most = max(most, c.Omitted)
	}
	require.GreaterOrEqual(t, most, n-1-graph.MaxSuccessors, "the first version led to all others")
}
