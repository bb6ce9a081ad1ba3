package impact_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/impact"
)

// endsAfter is a context that ends once it has been looked at so often.
type endsAfter struct {
	context.Context
	left   atomic.Int64
	cancel context.CancelFunc
}

func newEndsAfter(looks int64) *endsAfter {
	ctx, cancel := context.WithCancel(context.Background())
	e := &endsAfter{Context: ctx, cancel: cancel}
	e.left.Store(looks)
	return e
}

// look counts.
func (e *endsAfter) look() {
	if e.left.Add(-1) < 0 {
		e.cancel()
	}
}

// Err implements context.Context.
func (e *endsAfter) Err() error { e.look(); return e.Context.Err() }

// Done implements context.Context.
func (e *endsAfter) Done() <-chan struct{} { e.look(); return e.Context.Done() }

// stopsAnywhere runs some work with contexts that end ever later, until it is done: each
// that ended is the error.
func stopsAnywhere(t *testing.T, work func(ctx context.Context) error) {
	t.Helper()
	for looks := int64(0); ; looks += 1 + looks/20 {
		ctx := newEndsAfter(looks)
		err := work(ctx)
		if err == nil {
			require.Positive(t, looks)
			ctx.cancel()
			return
		}
		require.ErrorIs(t, err, context.Canceled, "after %d looks", looks)
	}
}

// TestStops: wherever the context ends, that is the error, and never half an answer.
func TestStops(t *testing.T) {
	req := running(t, "db", "mail", "stats", "web")
	stopsAnywhere(t, func(ctx context.Context) error {
		_, err := impact.Upgrade(ctx, resolver.New(), req, []impact.Target{{Subscription: "stats"}, {Subscription: "db", Version: "2.0.0"}})
		return err
	})
	stopsAnywhere(t, func(ctx context.Context) error {
		g, err := impact.Needs(ctx, resolver.New(), req)
		if err == nil {
			_, err = g.Drop(ctx, resolver.New(), "web")
		}
		return err
	})
}
