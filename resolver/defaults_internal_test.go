package resolver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/internal/budget"
)

// What is not set has its default; a limit that is lifted stays lifted.
func TestLimitsHaveDefaults(t *testing.T) {
	require.Equal(t, budget.Limits{Solves: 100_000, Bundles: 2_000_000, CELCost: 1_000_000_000}, New().config.Limits)
	set := Limits{Solves: -1, Bundles: 7, CELCost: -1}
	require.Equal(t, budget.Limits(set), New(WithLimits(set)).config.Limits)
}
