package problem

import (
	"context"
	"errors"

	"github.com/seed109e2655/resolute/constraints"
)

// The resources of which the work on one answer may use so much, in words.
const (
	SpentTime    = "context"
	SpentSolves  = "solver calls"
	SpentBundles = "candidate bundles" // that are reached
	SpentCELCost = "CEL cost"          // of rules
)

// DefaultCELCost is what the rules may cost for one answer if nobody says otherwise.
const DefaultCELCost = 1_000_000_000

// Limits bound the work on one answer; a negative value stands for no limit.
type Limits struct {
	Solves, Bundles int
	CELCost         int64
}

// SpentError says that a resource ran out before there was an answer.
type SpentError struct {
	Resource string
	Allowed  uint64 // how much there was, 0 for a context
	Err      error  // of the context
}

// Error says no more than that: those who know what the work was for say which limit.
func (e *SpentError) Error() string { return "a limit of the work was reached" }

// Work is the work on one answer, which all stages share: its context, how much it may
// cost and has cost so far, and what ended it. It lives as long as the answer is being
// looked for, and is used by one goroutine. Whatever grows with a request or a catalog
// calls Tick as it goes, and leaves off once Stopped reports true: a loop that does
// neither is either short or a mistake. The context is kept for that: every loop of every
// stage would have to be given it otherwise.
type Work struct {
	// Limits bound it.
	Limits Limits

	ctx   context.Context
	err   error
	ticks uint32

	// What was done so far: solver calls, and the size of the latest formula.
	Solves, Variables, Clauses int
}

// Begin begins the work on an answer.
func Begin(ctx context.Context, l Limits) Work { return Work{ctx: ctx, Limits: l} }

// Context is the context of the work.
func (w *Work) Context() context.Context { return w.ctx }

// Within has the work go on in another context made from its own.
func (w *Work) Within(ctx context.Context) { w.ctx = ctx }

// Return has the work go on in a context of which a part of it had a share only, although
// that part used up its share of the time, or the solver calls.
func (w *Work) Return(to context.Context) {
	var spent *SpentError
	if w.ctx = to; errors.As(w.err, &spent) && (spent.Resource == SpentTime || spent.Resource == SpentSolves) {
		w.err = nil
		w.Look()
	}
}

// Late reports whether the work ended because its time was over. A context that was
// cancelled is another matter: nobody waits for what was found by then.
func (w *Work) Late() bool { return w.err != nil && errors.Is(w.ctx.Err(), context.DeadlineExceeded) }

// Err is what ended the work, a *SpentError or what a callee returned; nil while it
// goes on.
func (w *Work) Err() error { return w.err }

// Stopped reports whether the work has ended early.
func (w *Work) Stopped() bool { return w.err != nil }

// Tick looks at the context once in a while, and reports whether the work has ended: what
// calls it takes well under a microsecond between two looks' worth of calls.
func (w *Work) Tick() bool {
	if w.ticks++; w.ticks%1024 == 0 {
		w.Look()
	}
	return w.err != nil
}

// Look ends the work if its context has ended: for what takes longer than that.
func (w *Work) Look() {
	if err := w.ctx.Err(); err != nil && w.err == nil {
		w.err = &SpentError{Resource: SpentTime, Err: err}
	}
}

// Exceed ends the work because a resource ran out.
func (w *Work) Exceed(r string, allowed uint64) {
	if w.err == nil {
		w.err = &SpentError{Resource: r, Allowed: allowed}
	}
}

// Fail ends the work with what a callee returned, if that is an error.
func (w *Work) Fail(err error) {
	if w.err != nil || err == nil {
		return
	}
	var cost *constraints.BudgetError
	switch {
	case errors.As(err, &cost):
		w.Exceed(SpentCELCost, uint64(w.Limits.CELCost))
	case w.ctx.Err() != nil:
		w.Look()
	default:
		w.err = err
	}
}
