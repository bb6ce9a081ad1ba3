package growth_test

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// looking counts the looks at a context.
type looking struct {
	context.Context
	looks atomic.Int64
}

func (l *looking) Err() error {
	l.looks.Add(1)
	return l.Context.Err()
}

// startEach are subscriptions to one package, each of which starts with another bundle of it.
func startEach(t *testing.T, n int) resolver.Request {
	req := growth.New(t, growth.Shapes["long channel"], n).Request
	req.Subscriptions = nil
	for i := range n {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: fmt.Sprintf("s%d", i), Package: "p", StartingCSV: fmt.Sprintf("p.v%d", i)})
	}
	return req
}

// TestStartOfEachSubscription: the bundle that a subscription starts with is looked up, in
// the resolution and in what explains why there is none, and not looked for among all of
// its channel.
func TestStartOfEachSubscription(t *testing.T) {
	looks := func(n int) float64 {
		ctx := &looking{Context: t.Context()}
		_, err := resolver.New().Resolve(ctx, startEach(t, n))
		c := testkit.As[*resolver.Conflict](t, err)
		require.Len(t, c.All(), 1+50, "the first one and the further ones")
		return float64(ctx.looks.Load())
	}
	const small, large = 250, 2000
	most := large * math.Log(large) / (small * math.Log(small))
	few, many := looks(small), looks(large)
	t.Logf("%v and %v looks", few, many)
	require.LessOrEqual(t, many, most*few+64)
}

// TestTriesOfLargeRequests: the more subscriptions a request has, the fewer sets of changes
// are tried for its conflicts.
func TestTriesOfLargeRequests(t *testing.T) {
	testkit.OnlyLong(t, "takes some seconds")
	const n, most = 4000, 500_000 / 4000
	req := startEach(t, n)
	r := resolver.New()
	_, err := r.Resolve(t.Context(), req)
	c := testkit.As[*resolver.Conflict](t, err)
	tries := 0
	require.NoError(t, whatif.FindCorrections(t.Context(), r, req, c, whatif.FindOptions{
		Tried: func([]resolver.Change, *resolver.Solution, error) { tries++ },
	}))
	require.Positive(t, tries)
	require.LessOrEqual(t, tries, most+len(c.All()), "one more for each conflict that gets to its bound")
}
