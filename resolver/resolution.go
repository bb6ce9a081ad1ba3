package resolver

import (
	"cmp"
	"context"
	"errors"

	"github.com/seed109e2655/resolute/resolver/internal/budget"
	"github.com/seed109e2655/resolute/resolver/internal/core"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// resolution is one request on its way to an answer: the request translated into a
// problem, and what is done to answer it.
type resolution struct {
	translation

	search   *search.State   // the latest, to report how far it got
	doomed   *formula.Doomed // why there is no solution, where no solver was asked
	standing int             // how many warnings do not depend on the subscriptions
}

// prepare checks a request and translates it into a problem. The error is a
// *RequestError or an *IncompleteError. With explaining set, what is barred or
// quarantined is there like all others.
func prepare(ctx context.Context, req *Request, cfg *config, explaining bool) (*resolution, error) {
	if err := ctx.Err(); err != nil {
		return nil, &IncompleteError{Limit: LimitContext, Err: err}
	}
	if err := validate(req); err != nil {
		return nil, err
	}
	p := &resolution{}
	p.req, p.config = req, cfg
	p.Cats = p.usableCatalogs()
	p.indexInstalled()
	problem.Init(&p.Problem, budget.Begin(ctx, budget.Limits(cfg.limits)), p.input(explaining))
	p.addInstalled()
	p.standing = len(p.warnings)
	p.addSubscriptions()
	return p, p.failed(p.Err())
}

// addSubscriptions finds the candidates of every subscription, and what is to be said
// of what they own.
func (p *resolution) addSubscriptions() {
	p.subscribe()
	for i := range p.Subs {
		p.warnKept(&p.Subs[i])
	}
}

// settle finds the best result set (section 6). It returns nil if there is none, or
// if the work was stopped.
func (p *resolution) settle() *search.State {
	st, out := p.decide()
	solver := func() search.Solver {
		if d := formula.Doom(&p.Problem); len(d.Roots) > 0 {
			p.doomed = d
			return nil
		}
		return formula.Encode(&p.Problem, formula.Plain, p.solverObserver())
	}
	if st.Finish(out, solver) {
		return st
	}
	return nil
}

// decide takes all decisions without a solver, as far as that leads.
func (p *resolution) decide() (*search.State, search.Outcome) {
	opts := search.Settings{DeadEnds: p.config.deadEnds, Memory: p.config.searches, Observer: p.searchObserver()}
	st, out := search.DecideAll(&p.Problem, opts)
	p.search = st
	return st, out
}

// conflict explains why the problem has no solution: it finds minimal sets of facts
// that cannot hold together. The result is a *Conflict, or what stopped the search
// for one.
func (p *resolution) conflict() error { return p.explaining(p.explain) }

// MaxFurther bounds the independent conflicts that are reported of one request, beside
// the first.
const MaxFurther = 50

// explainer prepares for finding out why there is no solution. It works on a copy of the
// problem in which every fact can be dropped; on the problem itself, if that has a large
// conflict which needs none.
func (p *resolution) explainer() (*resolution, *core.Explainer, error) {
	large := cmp.Or(p.config.large, core.Large)
	if p.doomed != nil && p.req.Policy.Failures != FailuresPartial && p.Whole() {
		if e := core.New(&p.Problem, p.doomed, p.solverObserver(), large); e.Doomed() {
			p.Explaining = true
			return p, e, nil
		}
	}
	q, err := prepare(p.Context(), p.req, p.config, true)
	if err != nil {
		return nil, nil, err
	}
	q.Resume(&p.Problem)
	q.search, q.Solves = p.search, p.Solves
	return q, core.New(&q.Problem, formula.Doom(&q.Problem), q.solverObserver(), large), nil
}

// explain also returns the number of facts.
func (p *resolution) explain() (int, error) {
	q, e, err := p.explainer()
	if err != nil {
		return 0, err
	}
	if q.Stopped() {
		return e.Facts(), q.failed(q.Err())
	}
	sets, more := e.Conflicts(MaxFurther+1, p.req.Policy.Failures == FailuresPartial)
	var all []*Conflict
	for _, s := range sets {
		if facts := q.causes().Facts(s.Facts); facts != nil {
			all = append(all, &Conflict{Facts: facts, Minimal: s.Minimal && !q.Stopped(), printer: p.config.printer})
		}
	}
	if len(all) == 0 || q.Stopped() && !q.Late() {
		return e.Facts(), q.failed(q.Err())
	}
	c := all[0]
	c.Further, c.MoreFurther = all[1:], more || len(all) < len(sets)
	c.Stats = q.stats()
	return e.Facts(), c
}

// limitOf is the limit that a resource ends at.
var limitOf = [...]Limit{budget.Time: LimitContext, budget.Solves: LimitSolves, budget.Bundles: LimitBundles, budget.CELCost: LimitCELCost}

// failed is the error of a resolution that was stopped: an *IncompleteError, or what
// a callee returned.
func (p *resolution) failed(err error) error {
	if err == nil {
		return nil
	}
	var spent *budget.SpentError
	if !errors.As(err, &spent) {
		return err
	}
	out := &IncompleteError{Limit: limitOf[spent.Resource], Allowed: spent.Allowed, Err: spent.Err, Progress: Progress{Stats: p.stats()}}
	if p.search != nil {
		out.Progress.Decided, out.Progress.Pending = p.search.Reached()
	}
	return out
}

func (p *resolution) stats() Stats {
	s := Stats{Reached: p.Reached(), Variables: p.Variables, Clauses: p.Clauses,
		Solves: p.Solves, CELCost: p.CELCost()}
	for _, c := range p.Cats {
		s.Bundles += c.Content.Len()
	}
	return s
}
