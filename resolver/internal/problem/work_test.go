package problem_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Work goes on until its context ends, and sees that within 1,024 ticks.
func TestContextEndsWork(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w := problem.Begin(ctx, problem.Limits{})
	for range 5000 {
		w.Tick()
	}
	require.False(t, w.Stopped())
	require.NoError(t, w.Err())
	cancel()
	for range 1024 {
		w.Tick()
	}
	require.True(t, w.Stopped())
	var spent *problem.SpentError
	require.ErrorAs(t, w.Err(), &spent)
	require.Equal(t, problem.SpentError{Resource: problem.SpentTime, Err: context.Canceled}, *spent)
}

// What ended the work first is what is told.
func TestFirstEndCounts(t *testing.T) {
	w := problem.Begin(context.Background(), problem.Limits{CELCost: 7})
	w.Fail(nil)
	require.False(t, w.Stopped())
	w.Fail(&constraints.BudgetError{})
	w.Exceed(problem.SpentBundles, 3)
	w.Fail(errors.New("late"))
	var spent *problem.SpentError
	require.ErrorAs(t, w.Err(), &spent)
	require.Equal(t, problem.SpentError{Resource: problem.SpentCELCost, Allowed: 7}, *spent)

	w = problem.Begin(context.Background(), problem.Limits{})
	broken := errors.New("broken")
	w.Fail(broken)
	require.Equal(t, broken, w.Err())
}

// An error that comes with the end of the context is that end.
func TestEndOfContextExplainsErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w := problem.Begin(ctx, problem.Limits{})
	cancel()
	w.Fail(errors.New("interrupted"))
	var spent *problem.SpentError
	require.ErrorAs(t, w.Err(), &spent)
	require.ErrorIs(t, spent.Err, context.Canceled)
}
