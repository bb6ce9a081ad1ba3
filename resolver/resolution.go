package resolver

import (
	"cmp"
	"context"
	"errors"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver/internal/core"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
)

// resolution is the state of resolving one request: its translation into a problem, and what the
// problem does not represent.
type resolution struct {
	req      *Request
	config   *config
	aside    settings.Aside
	budget   problem.Budget
	universe problem.Universe
	demands  problem.Demands
	problem  *problem.Problem // under the current assumptions

	veto         *constraints.Veto        // the rules of the policy; nil if it has none
	vetoes       problem.Vetoes           // their verdicts
	surroundings *constraints.Environment // what they see; made when first needed
	installed    inventory
	offering     map[int32]int32 // by installed bundle: the catalog that offers it to the extension that owns it

	warnings []Warning              // collected so far
	search   *search.State          // the latest, for progress
	ruledOut *formula.Unsatisfiable // unsatisfiable by propagation alone
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
	veto, err := compileVeto(ctx, req, cfg.parser)
	if err != nil {
		return nil, err
	}
	p := &resolution{req: req, config: cfg, aside: settings.AsideOf(ctx), budget: problem.NewBudget(ctx, cfg.Limits), veto: veto,
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

// decide makes all decisions it can without a solver.
func (p *resolution) decide() (*search.State, search.Outcome) {
	opts := search.Settings{DeadEnds: p.config.DeadEnds, Look: p.config.Look, Memory: p.config.searches, Observer: p.observer(p.config.watch.Search)}
	st, out := search.DecideAll(p.problem, opts)
	p.search = st
	return st, out
}

// maxFurther is the maximum number of further conflicts of one request, and under policy Partial the
// number of unresolved demands whose conflicts consider all others and are about the fewest bundles.
const maxFurther = 50

// part is the part of a request to explain: all of it, or a component.
type part struct {
	req           *Request
	assumptions   problem.Assumptions // by number in req
	installedOnly bool                // only demands that own a bundle count
	quick         bool                // no search for the facts about the fewest bundles
	numbering     *problem.Numbering  // of the reachable bundles; nil for the whole request
}

// whole returns the whole request under the current assumptions.
func (p *resolution) whole() part { return part{req: p.req, assumptions: p.problem.Assumptions} }

// toExplain translates a part of the request again for an explanation, keeping excluded bundles
// as nodes. Validation and ownership do not change.
func (p *resolution) toExplain(of part) (*resolution, error) {
	ctx := p.budget.Context()
	if err := ctx.Err(); err != nil {
		return nil, &IncompleteError{Limit: LimitContext, Err: err}
	}
	q := &resolution{req: of.req, config: p.config, aside: p.aside, budget: problem.NewBudget(ctx, p.config.Limits), veto: p.veto, vetoes: p.vetoes, surroundings: p.surroundings, installed: p.installed}
	if of.req != p.req {
		q.installed = newInventory(of.req, p.installed.cats)
	}
	q.translate(true, of.installedOnly, of.numbering)
	return q, q.failed()
}

// explainer prepares the explanation of an unsatisfiable part. It works on a copy of the problem
// in which every fact has a guard, or on the problem itself if propagation alone finds a large
// conflict in it.
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

// under returns the problem under assumptions.
func (p *resolution) under(a problem.Assumptions) *problem.Problem {
	return problem.Under(&p.universe, &p.demands, a)
}

// explain computes minimal unsatisfiable cores of a part of the request, and returns the number
// of facts considered. The error is a *Conflict, or the reason why the explanation stopped.
func (p *resolution) explain(of part) (int, error) {
	q, e, err := p.explainer(of)
	if err != nil {
		return 0, err
	}
	if q.budget.Stopped() {
		return e.Facts(), q.failed()
	}
	e.Quick = of.quick
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

// failed returns the error of a stopped resolution, usually an *IncompleteError; nil while the
// budget lasts.
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
	if p.config.LimitName != nil {
		out.Setting = p.config.LimitName(exhausted.Resource)
	}
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
