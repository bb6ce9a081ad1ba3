package watch

import (
	"context"
	"time"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/event"
	"github.com/seed109e2655/resolute/resolver/internal/budget"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
)

// Solver is a [formula.Observer] that calls hooks. The work has the context.
type Solver struct {
	Hooks Hooks
	Work  *budget.Work
}

// purposes are the public codes of what solver calls are for.
var purposes = [...]event.Purpose{formula.PurposeFeasible: event.SolveFeasible, formula.PurposeLocate: event.SolveLocate, formula.PurposeAdmit: event.SolveAdmit,
	formula.PurposeExplain: event.SolveExplain, formula.PurposeMinimize: event.SolveMinimize, formula.PurposeFewest: event.SolveFewest}

// Encoded implements [formula.Observer].
func (w Solver) Encoded(f *formula.Formula, took time.Duration) {
	e := event.Formula{Purpose: purposes[f.Purpose], Variables: f.Variables(), Clauses: f.Clauses(), Bundles: f.Bundles(), Took: event.Duration(took)}
	each(w.Work.Context(), w.Hooks, func(h *event.Hooks) func(context.Context, event.Formula) { return h.Formula }, e)
}

// Solved implements [formula.Observer].
func (w Solver) Solved(f *formula.Formula, status sat.Status, assumptions int, took time.Duration) {
	e := event.Solve{Purpose: purposes[f.Purpose], Calls: 1, Assumptions: assumptions,
		Variables: f.Variables(), Clauses: f.Clauses(), Took: event.Duration(took)}
	switch status {
	case sat.Satisfiable:
		e.Satisfiable = 1
	case sat.Unsatisfiable:
		e.Unsatisfiable = 1
	default:
		e.Stopped = 1
	}
	each(w.Work.Context(), w.Hooks, func(h *event.Hooks) func(context.Context, event.Solve) { return h.Solve }, e)
}
