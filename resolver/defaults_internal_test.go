package resolver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is not set has its default; a limit that is lifted stays lifted.
func TestLimitsHaveDefaults(t *testing.T) {
	require.Equal(t, Limits{Solves: DefaultSolves, Bundles: DefaultBundles, CELCost: DefaultCELCost}, New().config.limits)
	set := Limits{Solves: -1, Bundles: 7, CELCost: -1}
	require.Equal(t, set, New(WithLimits(set)).config.limits)
}
