package cel

import (
	"context"
	"errors"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
)

// Program is a compiled rule. It is immutable and safe for concurrent use.
type Program struct {
	rule  string
	limit uint64 // of the cost of one evaluation

	template *template // what the rule is made of when it is first asked about; nil if it is planned
	once     sync.Once
	planned  *planned
}

// planned is a rule that can be evaluated.
type planned struct {
	program cel.Program
	needs   Needs
	err     error // why it cannot be evaluated after all
}

// ready returns the rule as it can be evaluated.
func (p *Program) ready() *planned {
	if p.template != nil {
		p.once.Do(func() {
			var err error
			if p.planned, err = p.template.plan(p.rule); err != nil {
				p.planned = &planned{err: err, needs: Needs{Never: true}} // cannot be: its shape was planned
			}
		})
	}
	return p.planned
}

// Rule returns the text of the rule.
func (p *Program) Rule() string { return p.rule }

// Needs returns a condition that every bundle fulfils that matches the rule.
func (p *Program) Needs() Needs { return p.ready().needs }

// Eval evaluates the rule for a bundle and a cluster with these properties,
// and reports whether the bundle matches and what finding that out cost.
//
// There are two kinds of error. When ctx ends, which takes effect within
// milliseconds, the error wraps its cause and says nothing about the bundle.
// Otherwise it is an [*EvalError]: the rule failed on this bundle, which then
// does not match. In both cases match is false and cost is what was spent.
func (p *Program) Eval(ctx context.Context, properties, cluster Value) (match bool, cost uint64, err error) {
	if ctx.Err() != nil {
		return false, 0, context.Cause(ctx)
	}
	ready := p.ready()
	if ready.err != nil {
		return false, 1, evalError(ready.err)
	}
	// One unit is for the evaluation as such, so that no number of them is free.
	a := &activation{meter: meter{ctx: ctx, limit: p.limit, spent: 1, look: lookEvery}, properties: properties, cluster: cluster}
	out, _, err := ready.program.Eval(a)
	if ctx.Err() != nil {
		// Whatever came out, an interruption may have had a part in it.
		return false, a.meter.spent, context.Cause(ctx)
	}
	if err != nil {
		return false, a.meter.spent, evalError(err)
	}
	return out == types.True, a.meter.spent, nil
}

// evalError classifies an error of the library.
func evalError(err error) *EvalError {
	var cancelled interpreter.EvalCancelledError
	over := errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded || errors.Is(err, errTooLarge)
	return &EvalError{Reason: inert(err.Error()), OverLimit: over}
}
