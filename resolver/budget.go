package resolver

import (
	"context"
	"errors"

	"github.com/seed109e2655/resolute/constraints"
)

// resource is something of which the work on one answer may use so much.
type resource uint8

// The resources.
const (
	resourceTime    resource = iota // the context
	resourceSolves                  // calls of the solver
	resourceBundles                 // bundles that are reached
	resourceCELCost                 // the cost of rules
)

// limits bound the work on one answer; a negative value stands for no limit.
type limits struct {
	Solves, Bundles int
	CELCost         int64
}

// spentError says that a resource ran out before there was an answer.
type spentError struct {
	Resource resource
	Allowed  uint64 // how much there was, 0 for a context
	Err      error  // of the context
}

func (e *spentError) Error() string { return "a limit of the work was reached" }

// work is the work on one answer: its context, how much it may cost and has cost
// so far, and what ended it. It lives as long as the answer is being looked for,
// and is used by one goroutine. Whatever grows with a request or a catalog calls
// tick as it goes, and leaves off once stopped reports true.
type work struct {
	ctx    context.Context
	limits limits
	err    error
	ticks  uint32

	// What was done so far: solver calls, and the size of the latest formula.
	Solves, Variables, Clauses int
}

// newWork begins the work on an answer.
func newWork(ctx context.Context, l limits) work { return work{ctx: ctx, limits: l} }

// Context is the context of the work.
func (w *work) Context() context.Context { return w.ctx }

// Within has the work go on in another context made from its own.
func (w *work) Within(ctx context.Context) { w.ctx = ctx }

// Limits are the bounds of the work.
func (w *work) Limits() limits { return w.limits }

// Err is what ended the work, a *spentError or what a callee returned; nil while it
// goes on.
func (w *work) Err() error { return w.err }

// stopped reports whether the work has ended early.
func (w *work) stopped() bool { return w.err != nil }

// tick looks at the context once in a while: what calls it takes well under a
// microsecond between two looks' worth of calls.
func (w *work) tick() {
	if w.ticks++; w.ticks%1024 == 0 {
		w.look()
	}
}

// look ends the work if its context has ended.
func (w *work) look() {
	if err := w.ctx.Err(); err != nil && w.err == nil {
		w.err = &spentError{Resource: resourceTime, Err: err}
	}
}

// exceed ends the work because a resource ran out.
func (w *work) exceed(r resource, allowed uint64) {
	if w.err == nil {
		w.err = &spentError{Resource: r, Allowed: allowed}
	}
}

// fail ends the work with what a callee returned, if that is an error.
func (w *work) fail(err error) {
	if w.err != nil || err == nil {
		return
	}
	var cost *constraints.BudgetError
	switch {
	case errors.As(err, &cost):
		w.exceed(resourceCELCost, uint64(w.limits.CELCost))
	case w.ctx.Err() != nil:
		w.look()
	default:
		w.err = err
	}
}
