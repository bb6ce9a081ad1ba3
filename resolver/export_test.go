package resolver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
)

// WithDeadEnds sets how many dead ends in a row may lead no deeper before the
// solver is asked: 0 is the default, -1 asks it at once.
func WithDeadEnds(n int) Option { return option(func(s *settings.Settings) { s.DeadEnds = n }) }

// WithLook sets how many levels of requirements are followed to refute an option: 0 is the
// default, -1 follows none.
func WithLook(n int) Option { return option(func(s *settings.Settings) { s.Look = n }) }

// WithLarge sets how many facts of a conflict are so many that it is trimmed first.
func WithLarge(facts int) Option { return option(func(s *settings.Settings) { s.Large = facts }) }

// Place identifies what is installed and who owns it.
func Place(req *Request) string { return req.state() }

// What is not set has its default; a limit that is lifted stays lifted.
func TestLimitsHaveDefaults(t *testing.T) {
	require.Equal(t, problem.Limits{Solves: 100_000, Steps: 50_000_000, Bundles: 2_000_000, CELCost: 1_000_000_000}, New().config.Limits)
	set := Limits{Solves: -1, Steps: -1, Bundles: 7, CELCost: -1}
	require.Equal(t, problem.Limits(set), New(WithLimits(set)).config.Limits)
}
