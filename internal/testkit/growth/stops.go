package growth

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// doneCounting is a counting context that also counts calls of Done.
type doneCounting struct{ *counting }

// Done counts a check.
func (l doneCounting) Done() <-chan struct{} {
	_ = l.Err()
	return l.counting.Done()
}

// StopsAnywhere cancels some work at ever later checks until it completes.
// Each cancelled run must return the error of the context.
func StopsAnywhere(t testing.TB, work func(ctx context.Context) error) {
	t.Helper()
	for checks := 0; ; checks += 1 + checks/20 {
		ctx := doneCounting{newCounting(checks + 1)}
		err := work(ctx)
		ctx.end()
		if err == nil {
			require.Positive(t, checks)
			return
		}
		require.ErrorIs(t, err, context.Canceled, "after %d checks", checks)
	}
}
