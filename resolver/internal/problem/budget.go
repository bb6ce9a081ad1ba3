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
	ResourceSteps   = "search steps"      // of one search
	ResourceBundles = "candidate bundles" // reached bundles
	ResourceCELCost = "CEL cost"
)

// DefaultCELCost is the default limit of the CEL cost of one answer.
const DefaultCELCost = 1_000_000_000

// Limits bound the work on one answer; a negative value means no limit.
type Limits struct {
	Solves, Steps, Bundles int
	CELCost                int64
}

// ExhaustedError reports that the budget of a resource was exhausted before there was an answer.
type ExhaustedError struct {
	Resource string
	Allowed  uint64 // the limit, 0 for a context
	Err      error  // of the context
}

// Error does not name the limit: the caller words it for its operation.
func (e *ExhaustedError) Error() string { return "budget exhausted: " + e.Resource }

// Budget bounds the work on one answer. It has the context, the limits, the usage, and the error
// that stopped the work. All stages share it; it must not be used concurrently. A loop that grows
// with a request or a catalog calls Step in each iteration, and stops once Stopped reports true.
// The budget holds the context, because otherwise every loop of every stage would need it as an
// argument.
type Budget struct {
	Limits Limits

	ctx   context.Context
	err   error
	steps uint32

	// The usage so far: solver calls, and the size of the latest formula.
	Solves, Variables, Clauses int
}

// NewBudget returns the budget of an answer.
func NewBudget(ctx context.Context, l Limits) Budget { return Budget{ctx: ctx, Limits: l} }

// Context returns the context of the work.
func (b *Budget) Context() context.Context { return b.ctx }

// SetContext replaces the context by a derived one, to give a part of the work a share of the time.
func (b *Budget) SetContext(ctx context.Context) { b.ctx = ctx }

// Restore ends such a part: it restores the context of the whole. The work continues if the part
// exhausted its time or the solver calls.
func (b *Budget) Restore(to context.Context) {
	var exhausted *ExhaustedError
	if b.ctx = to; errors.As(b.err, &exhausted) && (exhausted.Resource == ResourceTime || exhausted.Resource == ResourceSolves) {
		b.err = nil
		b.Check()
	}
}

// DeadlineExceeded reports whether the work stopped at its deadline. It is false if the context was
// cancelled: then no caller waits for an answer.
func (b *Budget) DeadlineExceeded() bool {
	return b.err != nil && errors.Is(b.ctx.Err(), context.DeadlineExceeded)
}

// Err returns the error that stopped the work, an *ExhaustedError or the error of a callee; nil if
// it was not stopped.
func (b *Budget) Err() error { return b.err }

// Stopped reports whether the work was stopped.
func (b *Budget) Stopped() bool { return b.err != nil }

// Step checks the context once in 1,024 calls, and reports whether the work was stopped. The work
// between two calls should take well under a microsecond.
func (b *Budget) Step() bool {
	if b.steps++; b.steps%1024 == 0 {
		b.Check()
	}
	return b.err != nil
}

// Check stops the work if its context has ended. It is for steps that take longer.
func (b *Budget) Check() {
	if err := b.ctx.Err(); err != nil && b.err == nil {
		b.err = &ExhaustedError{Resource: ResourceTime, Err: err}
	}
}

// Exhaust stops the work because the limit of a resource was reached.
func (b *Budget) Exhaust(resource string, allowed uint64) {
	if b.err == nil {
		b.err = &ExhaustedError{Resource: resource, Allowed: allowed}
	}
}

// Fail stops the work with the error of a callee, unless that is nil.
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
