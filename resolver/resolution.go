package resolver

import (
	"cmp"
	"context"
	"errors"

	"github.com/seed109e2655/resolute/resolver/internal/core"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// resolution is one request on its way to an answer: the request translated into a
// problem, with what that knows nothing of.
type resolution struct {
	req      *Request
	config   *config
	budget   problem.Budget
	universe problem.Universe
	demands  problem.Demands
	problem  *problem.Problem // under the assumptions that were found last

	installed inventory
	offering  map[int32]int32 // by installed bundle: the catalog that offers it to the extension that owns it

	warnings []Warning              // that are known so far
	search   *search.State          // the latest, to report how far it got
	ruledOut *formula.Unsatisfiable // proves that there is no solution without a solver; nil otherwise
}

// prepare checks a request and translates it into a problem. The error is a
// *RequestError or an *IncompleteError.
func prepare(ctx context.Context, req *Request, cfg *config) (*resolution, error) {
	if err := ctx.Err(); err != nil {
		return nil, &IncompleteError{Limit: LimitContext, Err: err}
	}
	if err := validate(req, cfg.problems); err != nil {
		return nil, err
	}
	p := &resolution{req: req, config: cfg, budget: problem.NewBudget(ctx, cfg.Limits),
		installed: newInventory(req, usableCatalogs(req))}
	p.warnUnavailable()
	p.translate(false, false, nil)
	return p, p.failed()
}

// settle finds the best result set (section 6). It returns nil if there is none, or
// if the work was stopped.
func (p *resolution) settle() *search.State {
	st, out := p.decide()
	solver := func() search.Solver {
		if d := formula.Propagate(p.problem); len(d.Roots) > 0 {
			p.ruledOut = d
			return nil
		}
		return formula.Encode(p.problem, formula.GuardNone, p.observer(p.config.watch.Solver))
	}
	if st.Finish(out, solver) {
		return st
	}
	return nil
}

// decide takes all decisions without a solver, as far as that leads.
func (p *resolution) decide() (*search.State, search.Outcome) {
	opts := search.Settings{DeadEnds: p.config.DeadEnds, Look: p.config.Look, Memory: p.config.searches, Observer: p.observer(p.config.watch.Search)}
	st, out := search.DecideAll(p.problem, opts)
	p.search = st
	return st, out
}

// maxFurther bounds the independent conflicts that are reported of one request, beside
// the first.
const maxFurther = 50

// part is what is explained of a request: all of it, or a component of it.
type part struct {
	req           *Request
	assumptions   problem.Assumptions // by number in req
	installedOnly bool                // only what is in place counts
	numbering     *problem.Numbering  // of all that it leads to; nil for all of the request
}

// whole is all of the request, under the assumptions that were found last.
func (p *resolution) whole() part { return part{req: p.req, assumptions: p.problem.Assumptions} }

// toExplain translates a part of the request once more, for an explanation: excluded bundles
// are kept as nodes. What is valid stays so, and the whole has the same owners.
func (p *resolution) toExplain(of part) (*resolution, error) {
	ctx := p.budget.Context()
	if err := ctx.Err(); err != nil {
		return nil, &IncompleteError{Limit: LimitContext, Err: err}
	}
	q := &resolution{req: of.req, config: p.config, budget: problem.NewBudget(ctx, p.config.Limits), installed: p.installed}
	if of.req != p.req {
		q.installed = newInventory(of.req, p.installed.cats)
	}
	q.translate(true, of.installedOnly, of.numbering)
	return q, q.failed()
}

// explainer prepares for finding out why there is no solution. It works on a copy of the
// problem in which every fact can be dropped; on the problem itself, if that has a large
// conflict which needs none.
func (p *resolution) explainer(of part) (*resolution, *core.Explainer, error) {
	large := cmp.Or(p.config.Large, core.Large)
	if p.ruledOut != nil && p.req.Policy.Failures != FailuresPartial && p.problem.Unfiltered() {
		if e := core.New(p.problem, p.ruledOut, p.observer(p.config.watch.Solver), large); e.RuledOut() {
			return p, e, nil
		}
	}
	q, err := p.toExplain(of)
	if err != nil {
		return nil, nil, err
	}
	q.problem, q.search, q.budget.Solves = q.under(of.assumptions), p.search, p.budget.Solves
	return q, core.New(q.problem, formula.Propagate(q.problem), q.observer(q.config.watch.Solver), large), nil
}

// under is the problem under assumptions.
func (p *resolution) under(a problem.Assumptions) *problem.Problem {
	return problem.Under(&p.universe, &p.demands, a)
}

// explain finds out why a part of the request has no solution: minimal sets of facts that
// cannot hold together, and of how many facts. The error is a *Conflict, or what stopped
// the search for one.
func (p *resolution) explain(of part) (int, error) {
	q, e, err := p.explainer(of)
	if err != nil {
		return 0, err
	}
	if q.budget.Stopped() {
		return e.Facts(), q.failed()
	}
	sets, more := e.Conflicts(maxFurther+1, p.req.Policy.Failures == FailuresPartial)
	var all []*Conflict
	for _, s := range sets {
		if facts := explain.Facts(q.problem, s.Facts); facts != nil {
			all = append(all, &Conflict{Facts: facts, Minimal: s.Minimal && !q.budget.Stopped()})
		}
	}
	if len(all) == 0 || q.budget.Stopped() && !q.budget.DeadlineExceeded() {
		return e.Facts(), q.failed()
	}
	c := all[0]
	c.Further, c.MoreFurther = all[1:], more || len(all) < len(sets)
	c.Stats = q.stats()
	return e.Facts(), c
}

// failed is the error of a resolution that was stopped: an *IncompleteError, or what
// a callee returned. It is nil while the work goes on.
func (p *resolution) failed() error {
	err := p.budget.Err()
	if err == nil {
		return nil
	}
	var exhausted *problem.ExhaustedError
	if !errors.As(err, &exhausted) {
		return err
	}
	out := &IncompleteError{Limit: Limit(exhausted.Resource), Allowed: exhausted.Allowed, Err: exhausted.Err, Progress: Progress{Stats: p.stats()}}
	if p.search != nil {
		out.Progress.Decided, out.Progress.Pending = p.search.Reached()
	}
	return out
}

func (p *resolution) stats() Stats {
	s := Stats{Reached: p.universe.Reached(), Variables: p.budget.Variables, Clauses: p.budget.Clauses,
		Solves: p.budget.Solves, CELCost: p.universe.CELCost()}
	for _, c := range p.universe.Cats {
		s.Bundles += c.Content.Len()
	}
	return s
}
