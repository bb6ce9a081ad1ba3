package cel

import (
	"context"
	"errors"
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Program is a compiled rule. It is immutable and safe for concurrent use.
type Program struct {
	rule    string
	program cel.Program
	needs   Needs
}

// Rule returns the text of the rule.
func (p *Program) Rule() string { return p.rule }

// Needs returns a condition that every bundle fulfils that matches the rule.
func (p *Program) Needs() Needs { return p.needs }

// Eval evaluates the rule for a bundle and a cluster with these properties,
// and tells whether the bundle matches and what finding that out cost.
//
// There are two kinds of error. When ctx ends, which takes effect within
// milliseconds, the error wraps its cause and says nothing about the bundle.
// Otherwise it is an [*EvalError]: the rule failed on this bundle, which then
// does not match. In both cases match is false and cost is what was spent.
func (p *Program) Eval(ctx context.Context, properties, cluster Value) (match bool, cost uint64, err error) {
	if ctx.Err() != nil {
		return false, 0, context.Cause(ctx)
	}
	out, details, err := p.program.ContextEval(ctx, &activation{properties: properties.list(), cluster: cluster.list()})
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if ctx.Err() != nil {
		// Whatever came out, an interruption may have had a part in it.
		return false, cost, context.Cause(ctx)
	}
	if err != nil {
		return false, cost, evalError(err)
	}
	return out == types.True, cost, nil
}

// evalError classifies an error of the library.
func evalError(err error) *EvalError {
	var cancelled interpreter.EvalCancelledError
	over := errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded || errors.Is(err, errTooLarge)
	return &EvalError{Reason: inert(err.Error()), OverLimit: over}
}

// activation gives a rule its two variables.
type activation struct{ properties, cluster ref.Val }

// ResolveName implements [interpreter.Activation].
func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case varProperties:
		return a.properties, true
	case varCluster:
		return a.cluster, true
	}
	return nil, false
}

// Parent implements [interpreter.Activation].
func (a *activation) Parent() interpreter.Activation { return nil }

// costs prices the function that the library does not know.
type costs struct{}

// CallCost implements [interpreter.ActualCostEstimator].
func (costs) CallCost(_, overloadID string, args []ref.Val, _ ref.Val) *uint64 {
	if overloadID != "semver_compare_string_string" {
		return nil
	}
	cost := uint64(1)
	for _, a := range args {
		if s, ok := a.(types.String); ok {
			cost += uint64(math.Ceil(float64(len(s)) / 10))
		}
	}
	return &cost
}
