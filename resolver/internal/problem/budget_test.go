package problem_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// The work goes on until its context ends, which is noticed within 1,024 steps.
func TestContextEndsWork(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := problem.NewBudget(ctx, problem.Limits{})
	for range 5000 {
		b.Step()
	}
	require.False(t, b.Stopped())
	require.NoError(t, b.Err())
	cancel()
	for range 1024 {
		b.Step()
	}
	require.True(t, b.Stopped())
	var exhausted *problem.ExhaustedError
	require.ErrorAs(t, b.Err(), &exhausted)
	require.Equal(t, problem.ExhaustedError{Resource: problem.ResourceTime, Err: context.Canceled}, *exhausted)
}

// The first end is reported.
func TestFirstEndCounts(t *testing.T) {
	b := problem.NewBudget(context.Background(), problem.Limits{CELCost: 7})
	b.Fail(nil)
	require.False(t, b.Stopped())
	b.Fail(&constraints.BudgetError{})
	b.Exhaust(problem.ResourceBundles, 3)
	b.Fail(errors.New("late"))
	var exhausted *problem.ExhaustedError
	require.ErrorAs(t, b.Err(), &exhausted)
	require.Equal(t, problem.ExhaustedError{Resource: problem.ResourceCELCost, Allowed: 7}, *exhausted)

	b = problem.NewBudget(context.Background(), problem.Limits{})
	broken := errors.New("broken")
	b.Fail(broken)
	require.Equal(t, broken, b.Err())
}

// An error after the end of the context is reported as that end.
func TestEndOfContextExplainsErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := problem.NewBudget(ctx, problem.Limits{})
	cancel()
	b.Fail(errors.New("interrupted"))
	var exhausted *problem.ExhaustedError
	require.ErrorAs(t, b.Err(), &exhausted)
	require.ErrorIs(t, exhausted.Err, context.Canceled)
}
