package growth

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
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

// StopsAnywhere runs some work with contexts that end ever later, until it is done: each
// that ended is the error.
func StopsAnywhere(t testing.TB, work func(ctx context.Context) error) {
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
