package event

import (
	"context"
	"log/slog"
	"time"

	"github.com/seed109e2655/resolute/cache"
)

// The names of what [Measure] measures. The values of the attribute "operation" are
// those of [Operation], of "outcome" and "result" those of [Outcome], and of "purpose"
// those of [Purpose]: a small, fixed set each. No attribute comes from a request or a
// catalog.
const (
	// MetricResolutions counts resolutions that ended, by operation and outcome.
	MetricResolutions = "resolute_resolver_resolutions_total"
	// MetricResolutionSeconds is a histogram of how long they took, in seconds, by
	// operation and outcome.
	MetricResolutionSeconds = "resolute_resolver_resolution_duration_seconds"
	// MetricReached is a histogram of how many bundles they looked at, by
	// operation and outcome.
	MetricReached = "resolute_resolver_reached_bundles"
	// MetricCELCost counts what rules cost to evaluate, in units of CEL, by
	// operation.
	MetricCELCost = "resolute_resolver_cel_cost_total"
	// MetricConflictFacts is a histogram of how many facts a conflict has, by
	// operation.
	MetricConflictFacts = "resolute_resolver_conflict_facts"
	// MetricLeftOut counts subscriptions that policy Partial left out, by operation.
	MetricLeftOut = "resolute_resolver_left_out_total"
	// MetricVariables and MetricClauses are histograms of the size of formulas for
	// the solver, by purpose.
	MetricVariables = "resolute_resolver_formula_variables"
	MetricClauses   = "resolute_resolver_formula_clauses"
	// MetricSolves counts solver calls, by purpose and result.
	MetricSolves = "resolute_resolver_solves_total"
	// MetricSolveSeconds is a histogram of how long they took, in seconds, by
	// purpose and result.
	MetricSolveSeconds = "resolute_resolver_solve_duration_seconds"
)

// Measure returns hooks that measure resolutions, by the interface that a
// [cache.Cache] measures with too, so that one adapter to Prometheus or OpenTelemetry
// serves both. It is called in the goroutine of the resolution, and has to be safe for
// concurrent use if the Resolver is used so.
func Measure(m cache.Metrics) Hooks {
	return Hooks{
		ResolveEnded: func(ctx context.Context, e Ended) { measureEnded(ctx, m, e) },
		Formula: func(ctx context.Context, e Formula) {
			purpose := slog.String("purpose", string(e.Purpose))
			m.Observe(ctx, MetricVariables, float64(e.Variables), purpose)
			m.Observe(ctx, MetricClauses, float64(e.Clauses), purpose)
		},
		Solve: func(ctx context.Context, e Solve) {
			purpose, result := slog.String("purpose", string(e.Purpose)), slog.String("result", string(e.Outcome()))
			m.Count(ctx, MetricSolves, 1, purpose, result)
			m.Observe(ctx, MetricSolveSeconds, time.Duration(e.Took).Seconds(), purpose, result)
		},
	}
}

func measureEnded(ctx context.Context, m cache.Metrics, e Ended) {
	operation := slog.String("operation", string(e.Operation))
	outcome := slog.String("outcome", string(e.Outcome))
	m.Count(ctx, MetricResolutions, 1, operation, outcome)
	m.Observe(ctx, MetricResolutionSeconds, time.Duration(e.Took).Seconds(), operation, outcome)
	m.Observe(ctx, MetricReached, float64(e.Stats.Reached), operation, outcome)
	if cost := e.Stats.CELCost; cost > 0 {
		m.Count(ctx, MetricCELCost, int64(cost), operation)
	}
	if e.Outcome == OutcomeUnsatisfiable {
		m.Observe(ctx, MetricConflictFacts, float64(e.Facts), operation)
	}
	if e.LeftOut > 0 {
		m.Count(ctx, MetricLeftOut, int64(e.LeftOut), operation)
	}
}
