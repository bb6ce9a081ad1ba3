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
	req     *Request
	config  *config
	problem problem.Problem
	view    *problem.View // under the terms that were found last

	ranges []*problem.Range // of the extensions

	installed inventory

	warnings []Warning       // that are known so far
	search   *search.State   // the latest, to report how far it got
	doomed   *formula.Doomed // why there is no solution, where no solver was asked
}

// prepare checks a request and translates it into a problem. The error is a
// *RequestError or an *IncompleteError. What is set of the input stays.
func prepare(ctx context.Context, req *Request, cfg *config, in problem.Input) (*resolution, error) {
	if err := ctx.Err(); err != nil {
		return nil, &IncompleteError{Limit: limitContext, Err: err}
	}
	ranges, err := validate(req, cfg.problems)
	if err != nil {
		return nil, err
	}
	p := &resolution{req: req, config: cfg, ranges: ranges}
	p.warnUnavailable()
	p.problem.Cats = usableCatalogs(req)
	p.installed = newInventory(req, p.problem.Cats)
	problem.Init(&p.problem, problem.Begin(ctx, cfg.Limits), p.input(in))
	p.addInstalled()
	p.subscribe()
	return p, p.failed()
}

// settle finds the best result set (section 6). It returns nil if there is none, or
// if the work was stopped.
func (p *resolution) settle() *search.State {
	st, out := p.decide()
	solver := func() search.Solver {
		if d := formula.Doom(p.view); len(d.Roots) > 0 {
			p.doomed = d
			return nil
		}
		return formula.Encode(p.view, formula.Plain, p.observer(p.config.watch.Solver))
	}
	if st.Finish(out, solver) {
		return st
	}
	return nil
}

// decide takes all decisions without a solver, as far as that leads.
func (p *resolution) decide() (*search.State, search.Outcome) {
	opts := search.Settings{DeadEnds: p.config.DeadEnds, Memory: p.config.searches, Observer: p.observer(p.config.watch.Search)}
	st, out := search.DecideAll(p.view, opts)
	p.search = st
	return st, out
}

// maxFurther bounds the independent conflicts that are reported of one request, beside
// the first.
const maxFurther = 50

// explainer prepares for finding out why there is no solution. It works on a copy of the
// problem in which every fact can be dropped; on the problem itself, if that has a large
// conflict which needs none.
func (p *resolution) explainer(v *problem.View, placing bool) (*resolution, *core.Explainer, error) {
	large := cmp.Or(p.config.Large, core.Large)
	if p.doomed != nil && p.req.Policy.Failures != failuresPartial && p.problem.Whole() {
		if e := core.New(v, p.doomed, p.observer(p.config.watch.Solver), large); e.Doomed() {
			return p, e, nil
		}
	}
	q, err := prepare(p.problem.Context(), p.req, p.config, problem.Input{Explaining: true, Placing: placing})
	if err != nil {
		return nil, nil, err
	}
	q.view, q.search, q.problem.Solves = q.problem.Under(v.Terms), p.search, p.problem.Solves
	return q, core.New(q.view, formula.Doom(q.view), q.observer(q.config.watch.Solver), large), nil
}

// explain finds out why the problem has no solution under some terms: minimal sets of facts
// that cannot hold together, and of how many facts. Where only what is in place counts,
// nothing is forced. The error is a *Conflict, or what stopped the search for one.
func (p *resolution) explain(v *problem.View, placing bool) (int, error) {
	q, e, err := p.explainer(v, placing)
	if err != nil {
		return 0, err
	}
	if q.problem.Stopped() {
		return e.Facts(), q.failed()
	}
	sets, more := e.Conflicts(maxFurther+1, p.req.Policy.Failures == failuresPartial)
	var all []*Conflict
	for _, s := range sets {
		if facts := explain.Facts(q.view, s.Facts); facts != nil {
			all = append(all, &Conflict{Facts: facts, Minimal: s.Minimal && !q.problem.Stopped()})
		}
	}
	if len(all) == 0 || q.problem.Stopped() && !q.problem.Late() {
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
	err := p.problem.Err()
	if err == nil {
		return nil
	}
	var spent *problem.SpentError
	if !errors.As(err, &spent) {
		return err
	}
	out := &IncompleteError{Limit: spent.Resource, Allowed: spent.Allowed, Err: spent.Err, Progress: Progress{Stats: p.stats()}}
	if p.search != nil {
		out.Progress.Decided, out.Progress.Pending = p.search.Reached()
	}
	return out
}

func (p *resolution) stats() Stats {
	s := Stats{Reached: p.problem.Reached(), Variables: p.problem.Variables, Clauses: p.problem.Clauses,
		Solves: p.problem.Solves, CELCost: p.problem.CELCost()}
	for _, c := range p.problem.Cats {
		s.Bundles += c.Content.Len()
	}
	return s
}
