package graph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// Looking for dead ends ends with its context, and says why.
func TestUpdateGraphEndsWithItsContext(t *testing.T) {
	p := universe.Written(t, "op/c op.v1.0.0 op.v1.1.0")
	cause := errors.New("no time")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	_, err := p.Channels[0].DeadEnds(ctx)
	require.ErrorIs(t, err, cause)
}
