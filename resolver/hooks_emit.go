package resolver

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// watched reports whether anybody wants to hear what a problem's resolution does.
func (p *resolution) watched() bool { return len(p.config.hooks) > 0 }

// followed reports whether anybody wants to be told of the decisions. A session then
// resolves each answer from the start, so that what is told is one whole search.
func (c *config) followed() bool {
	return slices.ContainsFunc(c.hooks, func(h *Hooks) bool {
		return h.SearchBegan != nil || h.Decide != nil || h.Candidate != nil || h.Decided != nil || h.Back != nil
	})
}

// measured reports whether solver calls are to be timed.
func (p *resolution) measured() bool { return p.watched() || p.config.metrics != nil }

// watch follows one resolution from its start to its end.
type watch struct {
	config *config
	op     Operation
	req    *Request
	start  time.Time
}

// start tells that a resolution begins, and returns the context it goes on with.
func (c *config) start(ctx context.Context, op Operation, req *Request) (context.Context, watch) {
	w := watch{config: c, op: op, req: req}
	if c.operation != "" {
		w.op = c.operation
	}
	w.start = time.Now()
	for _, h := range c.hooks {
		if h.ResolveBegan == nil {
			continue
		}
		if next := h.ResolveBegan(ctx, ResolveBegan{Operation: w.op, Request: req}); next != nil {
			ctx = next
		}
	}
	return ctx, w
}

// done tells that a resolution is over. The problem is nil where it did not even
// come to be one.
func (w watch) done(ctx context.Context, p *resolution, sol *Solution, err error) {
	e := ResolveEnded{Operation: w.op, Request: w.req, Outcome: outcomeOf(err), Solution: sol, Err: err, Took: time.Since(w.start)}
	e.Stats = statsOf(p, sol, err)
	w.config.log(ctx, &e)
	w.config.measure(ctx, &e)
	for _, h := range w.config.hooks {
		if h.ResolveEnded != nil {
			h.ResolveEnded(ctx, e)
		}
	}
}

// outcomeOf says what an error of a resolution means.
func outcomeOf(err error) Outcome {
	if err == nil {
		return OutcomeResolved
	}
	var invalid *RequestError
	var incomplete *IncompleteError
	switch {
	case conflictOf(err) != nil:
		return OutcomeUnsatisfiable
	case errors.As(err, &invalid):
		return OutcomeInvalid
	case errors.As(err, &incomplete):
		return OutcomeIncomplete
	default:
		return OutcomeFailed
	}
}

// statsOf finds the counts of a resolution, whatever its outcome is.
func statsOf(p *resolution, sol *Solution, err error) Stats {
	if sol != nil {
		return sol.Stats
	}
	var incomplete *IncompleteError
	conflict := conflictOf(err)
	switch {
	case conflict != nil:
		return conflict.Stats
	case errors.As(err, &incomplete):
		return incomplete.Progress.Stats
	case p != nil:
		return p.stats()
	default:
		return Stats{}
	}
}

// conflictOf is the conflict that an error is, or nil.
func conflictOf(err error) *Conflict {
	if err == nil {
		return nil
	}
	var conflict *Conflict
	errors.As(err, &conflict)
	return conflict
}

// solverWatch tells hooks and metrics of formulas and solver calls.
type solverWatch struct{ p *resolution }

// solverObserver is who is told of solver calls, nil if nobody wants to know.
func (p *resolution) solverObserver() formula.Observer {
	if p.measured() {
		return solverWatch{p}
	}
	return nil
}

// purposes are the public codes of what solver calls are for.
var purposes = [...]SolvePurpose{formula.PurposeFeasible: SolveFeasible, formula.PurposeLocate: SolveLocate, formula.PurposeAdmit: SolveAdmit,
	formula.PurposeExplain: SolveExplain, formula.PurposeMinimize: SolveMinimize, formula.PurposeFewest: SolveFewest}

// Encoded tells that a formula was written down.
func (w solverWatch) Encoded(f *formula.Formula, took time.Duration) {
	ctx, c := w.p.Context(), w.p.config
	e := Encoded{Purpose: purposes[f.Purpose()], Variables: f.Variables(), Clauses: f.Clauses(), Bundles: f.Bundles(), Took: took}
	c.measureFormula(ctx, &e)
	for _, h := range c.hooks {
		if h.Encoded != nil {
			h.Encoded(ctx, e)
		}
	}
}

// Solved tells of a solver call.
func (w solverWatch) Solved(f *formula.Formula, status sat.Status, assumptions int, took time.Duration) {
	ctx, config := w.p.Context(), w.p.config
	c := SolveCall{Purpose: purposes[f.Purpose()], Assumptions: assumptions,
		Variables: f.Variables(), Clauses: f.Clauses(), Took: took}
	switch status {
	case sat.Satisfiable:
		c.Result = OutcomeResolved
	case sat.Unsatisfiable:
		c.Result = OutcomeUnsatisfiable
	default:
		c.Result = OutcomeIncomplete
	}
	config.measureSolve(ctx, &c)
	for _, h := range config.hooks {
		if h.Solve != nil {
			h.Solve(ctx, c)
		}
	}
}

// explainBegan tells that an explanation begins.
func (p *resolution) explainBegan() time.Time {
	for _, h := range p.config.hooks {
		if h.ExplainBegan == nil {
			continue
		}
		if next := h.ExplainBegan(p.Context()); next != nil {
			p.Within(next)
		}
	}
	return time.Now()
}

// errPossible says that the facts considered for an explanation do not make one.
var errPossible = errors.New("the facts considered can hold together")

// explainEnded tells what an explanation came to.
func (p *resolution) explainEnded(facts int, err error, start time.Time) {
	d := ExplainEnded{Facts: facts, Took: time.Since(start)}
	if d.Conflict = conflictOf(err); d.Conflict == nil {
		d.Err = err
	}
	if errors.Is(err, search.ErrDisagree) {
		d.Err = errPossible
	}
	for _, h := range p.config.hooks {
		if h.ExplainEnded != nil {
			h.ExplainEnded(p.Context(), d)
		}
	}
}

// sawLeftOut tells that a subscription is left out, or an installed bundle broken.
func (p *resolution) sawLeftOut(u Unresolved) {
	p.config.logLeftOut(p.Context(), u)
	for _, h := range p.config.hooks {
		if h.LeftOut != nil {
			h.LeftOut(p.Context(), u)
		}
	}
}
