package cel

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// Program is a compiled rule. It is immutable and safe for concurrent use.
type Program struct {
	rule    string
	limit   uint64 // maximum cost of one evaluation
	program interpreter.InterpretableV2
	needs   constraints.Needs
}

// Rule returns the text of the rule.
func (p *Program) Rule() string { return p.rule }

// Needs returns a necessary condition for a bundle to match the rule.
func (p *Program) Needs() constraints.Needs { return p.needs }

// Eval evaluates the rule for a bundle and a cluster with these properties, and reports whether
// the bundle matches and the cost of the evaluation.
//
// There are two kinds of errors. If ctx ends, which takes effect within milliseconds, the error
// wraps its cause and the result is unknown. Otherwise it is an [*EvalError]: the rule failed
// for this bundle, which does not match. In both cases match is false and cost is the cost so
// far, at most the limit.
func (p *Program) Eval(ctx context.Context, bundle, cluster properties.Set) (match bool, cost uint64, err error) {
	if ctx.Err() != nil {
		return false, 0, context.Cause(ctx)
	}
	// Each evaluation costs at least one unit.
	a := &activation{meter: meter{ctx: ctx, limit: p.limit, spent: 1, nextCheck: checkInterval}, properties: bundle, cluster: cluster}
	return p.eval(ctx, a, &a.meter)
}

// eval evaluates the rule with the variables of an activation, whose meter is m.
func (p *Program) eval(ctx context.Context, a interpreter.Activation, m *meter) (match bool, cost uint64, err error) {
	out, err := p.run(a)
	cost = m.spent
	if ctx.Err() != nil {
		// The result may be due to the cancellation.
		return false, cost, context.Cause(ctx)
	}
	if err != nil {
		return false, cost, evalError(err)
	}
	return out == types.True, cost, nil
}

// run evaluates the rule. The panic with which the meter ends an evaluation becomes the error.
func (p *Program) run(a interpreter.Activation) (out ref.Val, err error) {
	frame, err := interpreter.NewExecutionFrame(a)
	if err != nil {
		return nil, err
	}
	defer frame.Close()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interpreter.EvalCancelledError:
			err = r
		default:
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	out = p.program.Exec(frame)
	if failed, ok := out.(*types.Err); ok {
		err = failed
	}
	return out, err
}

// evalError classifies an error of the library.
func evalError(err error) *EvalError {
	var cancelled interpreter.EvalCancelledError
	over := errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded || errors.Is(err, errTooLarge)
	return &EvalError{Reason: inert(err.Error()), OverLimit: over}
}
