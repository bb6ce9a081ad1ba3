package whatif_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// crowded is a request in which five subscriptions each need one of four APIs, and two
// others one that only one of them can have.
func crowded(t testing.TB) resolver.Request {
	t.Helper()
	var b strings.Builder
	for p := range 5 {
		fmt.Fprintf(&b, "subscribe p%d\n", p)
		for h := range 4 {
			fmt.Fprintf(&b, "p%[1]d/c p%[1]d.v%[2]d replaces=p%[1]d.v%[3]d provides=g%[2]d.example.com/v1/Hole\n", p, h, h-1)
		}
	}
	return universe.Request(t, b.String()+`
		x/c x.v1 provides=x.example.com/v1/X
		y/c y.v1 provides=x.example.com/v1/X
		subscribe x
		subscribe y`)
}

// TestOfConflictsThatAreNotMinimal: however early the search for the facts was stopped,
// every correction leads to a solution, and none of its parts does.
func TestOfConflictsThatAreNotMinimal(t *testing.T) {
	ctx, marked, req := t.Context(), 0, crowded(t)
	for solves := 1; ; solves++ {
		r := resolver.New(resolver.WithLimits(resolver.Limits{Solves: solves}))
		_, err := r.Resolve(ctx, req)
		conflict := testkit.As[*resolver.Conflict](t, err)
		require.NoError(t, whatif.FindCorrections(ctx, r, req, conflict, whatif.FindOptions{}))
		for _, one := range conflict.All() {
			require.NotEmpty(t, one.Corrections)
			for _, c := range one.Corrections {
				checkCorrection(t, req, c)
			}
		}
		if conflict.Minimal && !conflict.MoreFurther {
			break
		}
		marked++
	}
	require.Greater(t, marked, 2)
}

// checkCorrection resolves a changed request without limits.
func checkCorrection(t *testing.T, req resolver.Request, c resolver.Correction) {
	t.Helper()
	changed := testkit.Must(req.Apply(c.List()...))(t)
	sol, err := resolver.New().Resolve(t.Context(), changed)
	if c.Remaining == 0 {
		require.NoError(t, err, c.Text)
		require.Equal(t, sol.Set(), c.Result)
		return
	}
	left := testkit.As[*resolver.Conflict](t, err)
	require.Len(t, left.All(), c.Remaining, c.Text)
}

// TestStoppedWithoutACorrection: that nothing was found is only said where everything
// was tried.
func TestStoppedWithoutACorrection(t *testing.T) {
	r, req := resolver.New(), crowded(t)
	_, err := r.Resolve(t.Context(), req)
	conflict := testkit.As[*resolver.Conflict](t, err)
	ctx := testkit.Ended()
	require.ErrorIs(t, whatif.FindCorrections(ctx, r, req, conflict, whatif.FindOptions{}), context.Canceled)
	require.Empty(t, conflict.Corrections)
	require.Zero(t, conflict.Tried)
}
