package resolver

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/internal/sat"
)

// watched reports whether anybody wants to hear what a problem's resolution does.
func (p *problem) watched() bool { return len(p.config.hooks) > 0 }

// followed reports whether anybody wants to be told of the decisions. A session then
// resolves each answer from the start, so that what is told is one whole search.
func (c *config) followed() bool {
	return slices.ContainsFunc(c.hooks, func(h *Hooks) bool {
		return h.SearchBegan != nil || h.Decide != nil || h.Candidate != nil || h.Decided != nil || h.Back != nil
	})
}

// measured reports whether solver calls are to be timed.
func (p *problem) measured() bool { return p.watched() || p.config.metrics != nil }

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
func (w watch) done(ctx context.Context, p *problem, sol *Solution, err error) {
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
func statsOf(p *problem, sol *Solution, err error) Stats {
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

// encoded tells that a formula was written down.
func (f *formula) encoded(start time.Time) {
	if !f.p.measured() {
		return
	}
	e := Encoded{Purpose: f.purpose, Variables: f.s.Vars(), Clauses: f.s.Clauses(), Bundles: len(f.p.nodes), Took: time.Since(start)}
	f.p.config.measureFormula(f.p.ctx, &e)
	for _, h := range f.p.config.hooks {
		if h.Encoded != nil {
			h.Encoded(f.p.ctx, e)
		}
	}
}

// solved tells of a solver call.
func (f *formula) solved(status sat.Status, assumptions int, took time.Duration) {
	p := f.p
	c := SolveCall{Purpose: f.purpose, Assumptions: assumptions,
		Variables: f.s.Vars(), Clauses: f.s.Clauses(), Took: took}
	switch status {
	case sat.Satisfiable:
		c.Result = OutcomeResolved
	case sat.Unsatisfiable:
		c.Result = OutcomeUnsatisfiable
	default:
		c.Result = OutcomeIncomplete
	}
	p.config.measureSolve(p.ctx, &c)
	for _, h := range p.config.hooks {
		if h.Solve != nil {
			h.Solve(p.ctx, c)
		}
	}
}

// explainBegan tells that an explanation begins.
func (p *problem) explainBegan() time.Time {
	for _, h := range p.config.hooks {
		if h.ExplainBegan == nil {
			continue
		}
		if next := h.ExplainBegan(p.ctx); next != nil {
			p.ctx = next
		}
	}
	return time.Now()
}

// errPossible says that the facts considered for an explanation do not make one.
var errPossible = errors.New("the facts considered can hold together")

// explainEnded tells what an explanation came to.
func (p *problem) explainEnded(e *explainer, err error, start time.Time) {
	d := ExplainEnded{Took: time.Since(start)}
	if e != nil {
		d.Facts = len(e.facts)
	}
	if d.Conflict = conflictOf(err); d.Conflict == nil {
		d.Err = err
	}
	if errors.Is(err, errInternal) {
		d.Err = errPossible
	}
	for _, h := range p.config.hooks {
		if h.ExplainEnded != nil {
			h.ExplainEnded(p.ctx, d)
		}
	}
}

// sawLeftOut tells that a subscription is left out, or an installed bundle broken.
func (p *problem) sawLeftOut(u Unresolved) {
	p.config.logLeftOut(p.ctx, u)
	for _, h := range p.config.hooks {
		if h.LeftOut != nil {
			h.LeftOut(p.ctx, u)
		}
	}
}

// tried tells of an attempt at a correction.
func (s *corrector) tried(changes []Change, o Outcome) {
	for _, h := range s.r.config.hooks {
		if h.CorrectionTried != nil {
			h.CorrectionTried(s.ctx, CorrectionTried{Changes: changes, Outcome: o})
		}
	}
}

// purposeOf is what the first solver calls on a formula are for.
var purposeOf = [...]SolvePurpose{guardNothing: SolveFeasible, guardInstalled: SolveAdmit, guardSubscriptions: SolveAdmit, guardFacts: SolveExplain}

// clock is the time where somebody wants to know how long things take.
func (p *problem) clock() time.Time {
	if !p.measured() {
		return time.Time{}
	}
	return time.Now()
}

// observer hears of the solver calls of a minimisation on a formula; nil where
// nobody does.
func (f *formula) observer() func(sat.Status, int, time.Duration) {
	if !f.p.measured() {
		return nil
	}
	f.purpose = SolveMinimize
	return f.solved
}
