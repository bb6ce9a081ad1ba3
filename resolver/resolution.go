package resolver

import (
	"context"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver/internal/budget"
	"github.com/seed109e2655/resolute/resolver/internal/core"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// resolution is one request on its way to an answer: the problem that it is, and what
// the answer is made of that the problem knows nothing of, names and words above all.
type resolution struct {
	problem.Problem

	req    *Request
	config *config
	cats   []Catalog // those of the problem, by index

	asked []Subscription // what is asked for, generated subscriptions included
	owns  []int32        // by asked: the installed bundle that each owns, or noInstalled

	instPkg    []string         // by index of Request.Installed: its package, empty if unknown
	instName   map[string]int32 // index of Request.Installed
	asksOwners bool             // what is installed depends on who owns it

	warnings []Warning
	standing []Warning // those that do not depend on the subscriptions

	search *search.State // the latest, to report how far it got
	before Stats         // of a session: what was reached for earlier answers
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
	p := &resolution{req: req, config: cfg}
	p.orderCatalogs()
	p.indexInstalled()
	problem.Init(&p.Problem, budget.Begin(ctx, budget.Limits(cfg.limits)), p.input(explaining))
	p.addInstalled()
	p.standing = slices.Clone(p.warnings)
	p.addSubscriptions()
	return p, p.failed(p.Err())
}

// input translates all of a request but what is installed and subscribed to.
func (p *resolution) input(explaining bool) *problem.Input {
	req := p.req
	in := &problem.Input{Rules: rulesOf(&req.Policy), Forbid: p.forbidden(), Force: p.forcedRefs(), APIs: req.Cluster.APIs,
		Around: surroundingsOf(req), Evaluator: p.evaluator, Explaining: explaining, Memory: p.config.problems}
	in.Catalogs = make([]problem.Catalog, len(p.cats))
	for i, c := range p.cats {
		in.Catalogs[i] = problem.Catalog{Key: c.Key, Content: c.Content}
	}
	for _, c := range req.Constraints {
		in.Constraints = append(in.Constraints, problem.Constrained{Bundle: problem.Ref(c.Bundle), Constraint: c.Constraint})
	}
	for _, r := range req.Relax {
		in.Relax = append(in.Relax, problem.Constrained{Bundle: problem.Ref(r.Bundle), Constraint: r.Constraint})
	}
	return in
}

// rulesOf are the options of a policy that change what the problem is.
func rulesOf(p *Policy) problem.Rules {
	return problem.Rules{
		AnyUpgrade:      p.Upgrades == UpgradesSelfCertified,
		PerBundle:       p.Compounds == CompoundsPerBundle,
		Stay:            p.Goal == GoalMinimalChange,
		Oldest:          p.Goal == GoalOldest,
		AvoidDeprecated: p.Deprecations == DeprecationsAvoid,
		RequireFit:      p.Compatibility == CompatibilityRequire,
	}
}

func (p *resolution) forbidden() []problem.Ref {
	var out []problem.Ref
	for _, f := range p.req.Forbid {
		out = append(out, problem.Ref(f.Bundle))
	}
	return out
}

func (p *resolution) forcedRefs() []problem.Forced {
	var out []problem.Forced
	for _, f := range p.req.Force {
		out = append(out, problem.Forced{Bundle: problem.Ref(f), Left: p.config.aside.forced(f)})
	}
	return out
}

func (p *resolution) evaluator() *constraints.Evaluator {
	return constraints.NewEvaluator(constraints.EvaluatorOptions{
		Cluster: p.req.Cluster.visible(), APIs: p.req.Cluster.APIs, Budget: p.config.limits.CELCost})
}

// addSubscriptions finds who owns what, and the candidates of every subscription.
func (p *resolution) addSubscriptions() {
	p.addOwners()
	aside := p.config.aside
	if aside != nil {
		for i := range p.Inst {
			if aside.installed(p.req.Installed[i].Name) {
				p.LetGo(int32(i))
			}
		}
	}
	subs := make([]problem.Subscription, len(p.asked))
	for i := range subs {
		a, s := &p.asked[i], &subs[i]
		*s = problem.Subscription{Package: a.Package, Channels: a.Channels, Catalog: a.Catalog, StartingCSV: a.StartingCSV,
			Range: a.VersionRange, Pin: a.Pin, Held: a.Hold != "", Owned: problem.NoNode, Left: aside.subscription(a.Name)}
		if a.offers != nil {
			given := p.givenBy(a.offers)
			s.Given = &given
		}
		if own := p.owns[i]; own != noInstalled {
			if s.Owned = p.Inst[own]; s.Left {
				p.LetGo(own)
			}
		}
	}
	p.Subscribe(subs)
	for i := range p.Subs {
		p.warnKept(&p.Subs[i])
	}
}

// settle finds the best result set (section 6). It returns nil if there is none, or
// if the work was stopped.
func (p *resolution) settle() *search.State {
	st, out := p.decide()
	if st.Finish(out, func() search.Solver { return formula.Encode(&p.Problem, formula.Plain, p.solverObserver()) }) {
		return st
	}
	return nil
}

// decide takes all decisions without a solver, as far as that leads.
func (p *resolution) decide() (*search.State, search.Outcome) {
	opts := search.Settings{DeadEnds: p.config.deadEnds, Memory: p.config.searches}
	if p.watched() {
		opts.Observer = watcher{p}
	}
	st, out := search.DecideAll(&p.Problem, opts)
	p.search = st
	return st, out
}

// conflict explains why the problem has no solution: it finds minimal sets of facts
// that cannot hold together. The result is a *Conflict, or what stopped the search
// for one.
func (p *resolution) conflict() error {
	before := p.Context()
	defer p.Within(before)
	start := p.explainBegan()
	facts, err := p.explain()
	p.explainEnded(facts, err, start)
	return err
}

// MaxFurther bounds the independent conflicts that are told of one request, beside
// the first.
const MaxFurther = 50

// explain works on a copy of the problem in which every fact can be dropped. It also
// returns the number of facts.
func (p *resolution) explain() (int, error) {
	q, err := prepare(p.Context(), p.req, p.config, true)
	if err != nil {
		return 0, err
	}
	q.Resume(&p.Problem)
	q.search = p.search
	e := core.New(&q.Problem, q.solverObserver())
	if q.Stopped() {
		return e.Facts(), q.failed(q.Err())
	}
	sets, more := e.Conflicts(MaxFurther + 1)
	var all []*Conflict
	for _, facts := range sets {
		if !q.Stopped() {
			all = append(all, q.describe(facts))
		}
	}
	if q.Stopped() {
		return e.Facts(), q.failed(q.Err())
	}
	c := all[0]
	c.Further, c.MoreFurther = all[1:], more
	c.Stats = q.stats()
	c.Stats.Solves += p.Solves
	return e.Facts(), c
}

// limitOf is the limit that a resource ends at.
var limitOf = [...]Limit{budget.Time: LimitContext, budget.Solves: LimitSolves, budget.Bundles: LimitBundles, budget.CELCost: LimitCELCost}

// failed is the error of a resolution that was stopped: an *IncompleteError, or what
// a callee returned.
func (p *resolution) failed(err error) error {
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

// stats counts the work so far.
func (p *resolution) stats() Stats {
	s := Stats{Reached: len(p.Nodes) - p.before.Reached, Variables: p.Variables, Clauses: p.Clauses,
		Solves: p.Solves, CELCost: p.CELCost()}
	for _, c := range p.cats {
		s.Bundles += c.Content.Len()
	}
	return s
}
