package problem

import (
	"context"
	"errors"

	"github.com/seed109e2655/resolute/constraints"
)

// The resources that a budget bounds.
const (
	ResourceTime    = "context"
	ResourceSolves  = "solver calls"
	ResourceBundles = "candidate bundles" // that are reached
	ResourceCELCost = "CEL cost"          // of rules
)

// DefaultCELCost is the default limit of the cost of all rules of one answer.
const DefaultCELCost = 1_000_000_000

// Limits bound the work on one answer; a negative value means no limit.
type Limits struct {
	Solves, Bundles int
	CELCost         int64
}

// ExhaustedError reports that a resource ran out before there was an answer.
type ExhaustedError struct {
	Resource string
	Allowed  uint64 // the limit, 0 for a context
	Err      error  // of the context
}

// Error does not name the limit: the caller knows what the work was for.
func (e *ExhaustedError) Error() string { return "a limit of the work was reached" }

// Budget bounds the work on one answer: its context, its limits, what it has used, and
// what ended it. All stages share it; one goroutine uses it. Whatever grows with a request
// or a catalog calls Step as it goes, and stops once Stopped reports true. The budget keeps
// the context, because every loop of every stage would need it as an argument otherwise.
type Budget struct {
	Limits Limits

	ctx   context.Context
	err   error
	steps uint32

	// Used so far: solver calls, and the size of the latest formula.
	Solves, Variables, Clauses int
}

// NewBudget returns the budget of an answer.
func NewBudget(ctx context.Context, l Limits) Budget { return Budget{ctx: ctx, Limits: l} }

// Context is the context of the work.
func (b *Budget) Context() context.Context { return b.ctx }

// SetContext replaces the context by one derived from it.
func (b *Budget) SetContext(ctx context.Context) { b.ctx = ctx }

// Restore ends a part of the work that had a share of the time: it restores the context of
// the whole. The work goes on if that part exhausted its time or the solver calls.
func (b *Budget) Restore(to context.Context) {
	var exhausted *ExhaustedError
	if b.ctx = to; errors.As(b.err, &exhausted) && (exhausted.Resource == ResourceTime || exhausted.Resource == ResourceSolves) {
		b.err = nil
		b.Check()
	}
}

// DeadlineExceeded reports whether the work ended at its deadline. It is false where the
// context was cancelled: nobody waits for an answer then.
func (b *Budget) DeadlineExceeded() bool {
	return b.err != nil && errors.Is(b.ctx.Err(), context.DeadlineExceeded)
}

// Err is what ended the work, an *ExhaustedError or the error of a callee; nil while it
// goes on.
func (b *Budget) Err() error { return b.err }

// Stopped reports whether the work has ended early.
func (b *Budget) Stopped() bool { return b.err != nil }

// Step checks the context once in 1,024 calls, and reports whether the work has ended. What
// happens between two calls takes well under a microsecond.
func (b *Budget) Step() bool {
	if b.steps++; b.steps%1024 == 0 {
		b.Check()
	}
	return b.err != nil
}

// Check ends the work if its context has ended. It is for steps that take longer.
func (b *Budget) Check() {
	if err := b.ctx.Err(); err != nil && b.err == nil {
		b.err = &ExhaustedError{Resource: ResourceTime, Err: err}
	}
}

// Exhaust ends the work because a resource ran out.
func (b *Budget) Exhaust(resource string, allowed uint64) {
	if b.err == nil {
		b.err = &ExhaustedError{Resource: resource, Allowed: allowed}
	}
}

// Fail ends the work with the error of a callee, unless that is nil.
func (b *Budget) Fail(err error) {
	if b.err != nil || err == nil {
		return
	}
	var cost *constraints.BudgetError
	switch {
	case errors.As(err, &cost):
		b.Exhaust(ResourceCELCost, uint64(b.Limits.CELCost))
	case b.ctx.Err() != nil:
		b.Check()
	default:
		b.err = err
	}
}
