package growth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
)

// TestListsOfCandidatesAreBounded: subscriptions that each have a list of their own end
// at the limit of bundles before they take all memory, and those that share one do not.
func TestListsOfCandidatesAreBounded(t *testing.T) {
	r := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 2000}))
	_, err := r.Resolve(t.Context(), growth.New(t, growth.Shapes["a range for each subscription"], 1500).Request)
	stopped := testkit.As[*resolver.IncompleteError](t, err)
	require.Equal(t, "candidate bundles", stopped.Limit)
	_, err = r.Resolve(t.Context(), growth.New(t, growth.Shapes["many subscriptions to one package"], 1500).Request)
	require.NoError(t, err)
}
