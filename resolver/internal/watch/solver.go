package watch

import (
	"time"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/budget"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Solver is a [formula.Observer] that calls hooks. The work has the context.
type Solver struct {
	Hooks Hooks
	Work  *budget.Work
}

// Encoded implements [formula.Observer].
func (w Solver) Encoded(f *formula.Formula, took time.Duration) {
	e := trace.Formula{Purpose: f.Purpose, Variables: f.Variables(), Clauses: f.Clauses(), Bundles: f.Bundles(), Took: trace.Duration(took)}
	for _, h := range w.Hooks {
		call(w.Work.Context(), h.Formula, e)
	}
}

// Solved implements [formula.Observer].
func (w Solver) Solved(f *formula.Formula, status sat.Status, assumptions int, took time.Duration) {
	e := trace.Solve{Purpose: f.Purpose, Calls: 1, Assumptions: assumptions,
		Variables: f.Variables(), Clauses: f.Clauses(), Took: trace.Duration(took)}
	switch status {
	case sat.Satisfiable:
		e.Satisfiable = 1
	case sat.Unsatisfiable:
		e.Unsatisfiable = 1
	default:
		e.Stopped = 1
	}
	for _, h := range w.Hooks {
		call(w.Work.Context(), h.Solve, e)
	}
}
