package resolver

import (
	"context"
	"log/slog"

	"github.com/seed109e2655/resolute/cache"
)

// Metrics takes the measurements of a resolver. It is the interface that a
// [cache.Cache] measures with too, so that one adapter to Prometheus or
// OpenTelemetry serves both. It is called in the goroutine of the resolution, and
// has to be safe for concurrent use if the Resolver is used so.
//
// The constants named Metric… are the names that a Resolver uses. The values of
// the attribute "operation" are those of [Operation], of "outcome" and "result"
// those of [Outcome], and of "purpose" those of [SolvePurpose]: a small, fixed set
// each. No attribute comes from a request or a catalog.
type Metrics = cache.Metrics

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
	// MetricLeftOut counts subscriptions that policy [FailuresPartial] left out, by
	// operation.
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

// WithMetrics makes a resolver measure its work. Without it nothing is measured.
func WithMetrics(m Metrics) Option { return func(c *config) { c.metrics = m } }

// measure measures one resolution.
func (c *config) measure(ctx context.Context, e *ResolveEnded) {
	if c.metrics == nil {
		return
	}
	operation := slog.String("operation", string(e.Operation))
	outcome := slog.String("outcome", string(e.Outcome))
	c.metrics.Count(ctx, MetricResolutions, 1, operation, outcome)
	c.metrics.Observe(ctx, MetricResolutionSeconds, e.Took.Seconds(), operation, outcome)
	c.metrics.Observe(ctx, MetricReached, float64(e.Stats.Reached), operation, outcome)
	if cost := e.Stats.CELCost; cost > 0 {
		c.metrics.Count(ctx, MetricCELCost, int64(cost), operation)
	}
	if conflict := conflictOf(e.Err); conflict != nil {
		c.metrics.Observe(ctx, MetricConflictFacts, float64(len(conflict.Facts)), operation)
	}
	if e.Solution != nil && len(e.Solution.Unresolved) > 0 {
		c.metrics.Count(ctx, MetricLeftOut, int64(len(e.Solution.Unresolved)), operation)
	}
}

// measureFormula measures one formula.
func (c *config) measureFormula(ctx context.Context, e *Encoded) {
	if c.metrics == nil {
		return
	}
	purpose := slog.String("purpose", string(e.Purpose))
	c.metrics.Observe(ctx, MetricVariables, float64(e.Variables), purpose)
	c.metrics.Observe(ctx, MetricClauses, float64(e.Clauses), purpose)
}

// measureSolve measures one solver call.
func (c *config) measureSolve(ctx context.Context, e *SolveCall) {
	if c.metrics == nil {
		return
	}
	purpose, result := slog.String("purpose", string(e.Purpose)), slog.String("result", string(e.Result))
	c.metrics.Count(ctx, MetricSolves, 1, purpose, result)
	c.metrics.Observe(ctx, MetricSolveSeconds, e.Took.Seconds(), purpose, result)
}
