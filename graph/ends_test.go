package graph_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/sample"
)

// Comparing and looking for dead ends end with their context, and say why.
func TestUpdateGraphEndsWithItsContext(t *testing.T) {
	old, now := sample.Written(t, "op/c op.v1.0.0 op.v1.1.0"), sample.Written(t, "op/c op.v1.1.0")
	cause := errors.New("no time")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	_, err := graph.Compare(ctx, old, now)
	require.ErrorIs(t, err, cause)
	_, err = graph.CompareCatalogs(ctx, slices.Values([]*graph.Package{old}), slices.Values([]*graph.Package{now}))
	require.ErrorIs(t, err, cause)
	_, err = old.Updates().DeadEnds(ctx)
	require.ErrorIs(t, err, cause)
}
