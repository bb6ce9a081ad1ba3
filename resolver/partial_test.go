package resolver_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// TestLeftOutIsExplainedAlone: what is left out is explained without what has no bearing on
// it, however much the request asks for, and with all that has.
func TestLeftOutIsExplainedAlone(t *testing.T) {
	tests := []struct {
		name, universe string
		most           int // bundles of the formula that explains s
	}{
		{"nothing in common", "s/stable s.v1 needs=nowhere@>=1.0.0\nsubscribe s", 1},
		{"the same package is missing elsewhere", "p0/stable p0.v1 p0.v2\nbundle p0.v2 needs=nowhere@>=1.0.0\ns/stable s.v1 needs=nowhere@>=1.0.0\nsubscribe s", 1},
		{"a rival for an API", "rival/stable rival.v1 provides=K\ns/stable s.v1 provides=K\nsubscribe rival\nsubscribe s", 2},
		{"another version of a package", "db/stable db.v1 db.v2\nrival/stable rival.v1 needs=db@<2.0.0\ns/stable s.v1 needs=db@>=2.0.0\nsubscribe rival\nsubscribe s", 4},
		{"an installed bundle", "db/stable db.v1 db.v2\ninstalled db.v1\ns/stable s.v1 needs=db@>=2.0.0\nsubscribe s", 3},
		{"a prohibition", "rival/stable rival.v1\nrequire rival.v1 not(s@>=1.0.0)\ns/stable s.v1\nsubscribe rival\nsubscribe s", 2},
		{"two versions of an API", "rival/stable rival.v1 provides=a.com/v1/K\ns/stable s.v1 provides=a.com/v2/K needs=nowhere@>=1.0.0\nsubscribe rival\nsubscribe s", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			alone := universe.Request(t, test.universe)
			alone.Policy.Failures = resolver.FailuresPartial
			bundles := 0
			r := resolver.New(resolver.WithHooks(trace.Hooks{Solver: func(_ context.Context, e trace.Event) {
				if e.Formula != nil && e.Formula.Purpose == trace.PurposeExplain {
					bundles = max(bundles, e.Formula.Bundles)
				}
			}}))
			want, err := r.Resolve(t.Context(), alone)
			require.NoError(t, err)
			require.Len(t, want.Unresolved, 1)

			among := universe.Request(t, test.universe+"\n"+each(100, "o%[1]d/stable o%[1]d.v1 needs=lacking%[1]d@>=1.0.0\nok%[1]d/stable ok%[1]d.v1\nsubscribe o%[1]d\nsubscribe ok%[1]d\n"))
			among.Policy.Failures, bundles = resolver.FailuresPartial, 0
			got, err := r.Resolve(t.Context(), among)
			require.NoError(t, err)
			require.Len(t, got.Unresolved, 101)
			require.LessOrEqual(t, bundles, test.most)
			require.Equal(t, want.Unresolved[0].Subscription, got.Unresolved[0].Subscription)
			require.Equal(t, fmt.Sprint(want.Unresolved[0].Conflict.Facts), fmt.Sprint(got.Unresolved[0].Conflict.Facts))
		})
	}
}
