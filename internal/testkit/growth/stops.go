package growth

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// looking is a counting context that is looked at by Done, too.
type looking struct{ *counting }

// Done counts a look.
func (l looking) Done() <-chan struct{} {
	_ = l.Err()
	return l.counting.Done()
}

// StopsAnywhere runs some work with contexts that end ever later, until it is done: each
// that ended is the error.
func StopsAnywhere(t testing.TB, work func(ctx context.Context) error) {
	t.Helper()
	for looks := 0; ; looks += 1 + looks/20 {
		ctx := looking{newCounting(looks + 1)}
		err := work(ctx)
		ctx.end()
		if err == nil {
			require.Positive(t, looks)
			return
		}
		require.ErrorIs(t, err, context.Canceled, "after %d looks", looks)
	}
}
