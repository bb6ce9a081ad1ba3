package trace

import (
	"context"
	"log/slog"
	"time"

	"github.com/seed109e2655/resolute/cache"
)

const (
	metricResolutions       = "resolute_resolver_resolutions_total"
	metricResolutionSeconds = "resolute_resolver_resolution_duration_seconds"
	metricReached           = "resolute_resolver_reached_bundles"
	metricCELCost           = "resolute_resolver_cel_cost_total"
	metricConflictFacts     = "resolute_resolver_conflict_facts"
	metricLeftOut           = "resolute_resolver_left_out_total"
	metricVariables         = "resolute_resolver_formula_variables"
	metricClauses           = "resolute_resolver_formula_clauses"
	metricSolves            = "resolute_resolver_solves_total"
	metricSolveSeconds      = "resolute_resolver_solve_duration_seconds"
)

// Measure returns hooks that measure resolutions, by the interface that a
// [cache.Cache] measures with too, so that one adapter to Prometheus or OpenTelemetry
// serves both. It is called in the goroutine of the resolution, and has to be safe for
// concurrent use if the Resolver is used so.
//
// Counters:
//   - resolute_resolver_resolutions_total: resolutions that ended, by operation and outcome
//   - resolute_resolver_cel_cost_total: the cost of evaluating rules, in units of CEL, by operation
//   - resolute_resolver_left_out_total: subscriptions that policy Partial omitted, by operation
//   - resolute_resolver_solves_total: solver calls, by purpose and result
//
// Histograms:
//   - resolute_resolver_resolution_duration_seconds: their duration, by operation and outcome
//   - resolute_resolver_reached_bundles: the number of bundles that they reached, likewise
//   - resolute_resolver_conflict_facts: the number of facts of a conflict, by operation
//   - resolute_resolver_formula_variables and _clauses: the size of formulas, by purpose
//   - resolute_resolver_solve_duration_seconds: the duration of solver calls, by purpose and result
//
// The values of "operation" are those of [Operation], of "outcome" and "result" those of
// [Outcome], and of "purpose" those of [Purpose]: a small, fixed set each. No attribute
// comes from a request or a catalog.
func Measure(m cache.Metrics) Hooks {
	return Hooks{
		Resolution: func(ctx context.Context, e Event) context.Context {
			if e.Ended != nil {
				measureEnded(ctx, m, e.Ended)
			}
			return nil
		},
		Solver: func(ctx context.Context, e Event) {
			if f := e.Formula; f != nil {
				purpose := slog.String("purpose", string(f.Purpose))
				m.Observe(ctx, metricVariables, float64(f.Variables), purpose)
				m.Observe(ctx, metricClauses, float64(f.Clauses), purpose)
				return
			}
			purpose, result := slog.String("purpose", string(e.Solve.Purpose)), slog.String("result", string(e.Solve.Outcome()))
			m.Count(ctx, metricSolves, 1, purpose, result)
			m.Observe(ctx, metricSolveSeconds, time.Duration(e.Solve.Took).Seconds(), purpose, result)
		},
	}
}

func measureEnded(ctx context.Context, m cache.Metrics, e *Ended) {
	operation := slog.String("operation", string(e.Operation))
	outcome := slog.String("outcome", string(e.Outcome))
	m.Count(ctx, metricResolutions, 1, operation, outcome)
	m.Observe(ctx, metricResolutionSeconds, time.Duration(e.Took).Seconds(), operation, outcome)
	m.Observe(ctx, metricReached, float64(e.Stats.Reached), operation, outcome)
	if cost := e.Stats.CELCost; cost > 0 {
		m.Count(ctx, metricCELCost, int64(cost), operation)
	}
	if e.Outcome == OutcomeUnsatisfiable {
		m.Observe(ctx, metricConflictFacts, float64(e.Facts), operation)
	}
	if e.LeftOut > 0 {
		m.Count(ctx, metricLeftOut, int64(e.LeftOut), operation)
	}
}
