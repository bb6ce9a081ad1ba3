package resolver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// TestSettingsTakeEffect: each value of a setting does something that the others do not, and 0
// is the default. Other tests compare answers under these settings; where one was ignored they
// would compare an engine with itself.
func TestSettingsTakeEffect(t *testing.T) {
	conflict := "a/stable a.v1 needs=b@>=1.0.0\nsubscribe a"
	rule := "a/stable a.v1\n" + each(30, "require a.v1 cel(properties.all(a, properties.all(b, a.type + b.type != 'x%[1]d')))\n") + "subscribe a"
	limits := func(l resolver.Limits) resolver.Option { return resolver.WithLimits(l) }
	tests := []struct {
		name, universe string
		option         resolver.Option
		want           work
	}{
		{"look, default", rule, resolver.WithLook(0), work{look: 1}},
		{"look, none", rule, resolver.WithLook(-1), work{}},
		{"look, 3", rule, resolver.WithLook(3), work{look: 3}},
		{"large, default", conflict, resolver.WithLarge(0), work{look: 1, explained: 1}},
		{"large, 1", conflict, resolver.WithLarge(1), work{look: 1}},
		{"large, 3", conflict, resolver.WithLarge(3), work{look: 1, explained: 1}},
		{"bundles, default", rule, limits(resolver.Limits{}), work{look: 1}},
		{"bundles, none", rule, limits(resolver.Limits{Bundles: -1}), work{look: 1}},
		{"bundles, 1", conflict + "\nb/stable b.v1", limits(resolver.Limits{Bundles: 1}), work{look: 1, limit: resolver.LimitBundles}},
		{"CEL cost, none", rule, limits(resolver.Limits{CELCost: -1}), work{look: 1}},
		{"CEL cost, 1", rule, limits(resolver.Limits{CELCost: 1}), work{look: 1, limit: resolver.LimitCELCost}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, workOf(t, test.universe, test.option)) })
	}
}

// TestDeadEndsTakeEffect: the solver is asked after so many conflicts at the least, which are the
// more the more are allowed; 0 means 200.
func TestDeadEndsTakeEffect(t *testing.T) {
	after := func(deadEnds int) int {
		return workOf(t, crowded(11), resolver.WithDeadEnds(deadEnds), resolver.WithLimits(resolver.Limits{Solves: 1})).conflicts
	}
	require.Zero(t, after(-1))
	before := 0
	for _, n := range []int{1, 7, 50, 100} {
		conflicts := after(n)
		require.GreaterOrEqual(t, conflicts, n)
		require.Greater(t, conflicts, before)
		before = conflicts
	}
	require.Equal(t, after(200), after(0))
	require.Greater(t, after(0), before)
}

// work is what a resolution did.
type work struct {
	look      int            // levels of requirements that refute a candidate
	conflicts int            // before the solver was asked
	explained int            // times that the solver was asked for the reasons
	limit     resolver.Limit // that ended it
}

// workOf resolves a request with options.
func workOf(t *testing.T, text string, options ...resolver.Option) (w work) {
	asked := false
	hooks := resolver.WithHooks(trace.Hooks{
		Search: func(_ context.Context, e trace.Event) {
			if e.Search != nil {
				w.look = e.Search.Look
			}
			if e.Back != nil && !asked {
				w.conflicts++
			}
		},
		Solver: func(_ context.Context, e trace.Event) {
			asked = true
			if e.Solve != nil && e.Solve.Purpose == trace.PurposeExplain {
				w.explained++
			}
		},
	})
	_, err := resolver.New(append(options, hooks)...).Resolve(t.Context(), universe.Request(t, text))
	var stopped *resolver.IncompleteError
	if errors.As(err, &stopped) {
		w.limit = stopped.Limit
	}
	return w
}
