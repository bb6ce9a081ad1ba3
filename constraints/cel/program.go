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
	limit   uint64 // of the cost of one evaluation
	program interpreter.InterpretableV2
	needs   constraints.Needs
}

// Rule returns the text of the rule.
func (p *Program) Rule() string { return p.rule }

// Needs returns a condition that every bundle fulfils that matches the rule.
func (p *Program) Needs() constraints.Needs { return p.needs }

// Eval evaluates the rule for a bundle and a cluster with these properties,
// and reports whether the bundle matches and what finding that out cost.
//
// There are two kinds of error. When ctx ends, which takes effect within
// milliseconds, the error wraps its cause and says nothing about the bundle.
// Otherwise it is an [*EvalError]: the rule failed on this bundle, which then
// does not match. In both cases match is false and cost is what was spent, the
// limit at most.
func (p *Program) Eval(ctx context.Context, bundle, cluster properties.Set) (match bool, cost uint64, err error) {
	if ctx.Err() != nil {
		return false, 0, context.Cause(ctx)
	}
	// One unit is for the evaluation as such, so that no number of them is free.
	a := &activation{meter: meter{ctx: ctx, limit: p.limit, spent: 1, look: lookEvery}, properties: bundle, cluster: cluster}
	out, err := p.run(a)
	cost = a.meter.spent
	if ctx.Err() != nil {
		// Whatever came out, an interruption may have had a part in it.
		return false, cost, context.Cause(ctx)
	}
	if err != nil {
		return false, cost, evalError(err)
	}
	return out == types.True, cost, nil
}

// run evaluates the rule. A panic, with which the meter ends evaluations, becomes the error.
func (p *Program) run(a *activation) (out ref.Val, err error) {
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
