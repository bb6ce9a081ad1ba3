package resolver

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Resolver resolves requests. It holds settings, and memory to use again but nothing of
// the requests that it has answered, except for some version ranges of extensions. The
// zero Resolver has the defaults of all settings; one that [New] returns has memory to use
// again as well. It is safe for concurrent use.
type Resolver struct {
	config config
}

type config struct {
	settings.Settings

	parser   *constraints.Parser
	problems *problem.Memory // to use again, nil for none
	searches *search.Memory  // likewise
	watch    trace.Hooks     // all hooks, to be called
	logged   bool            // the only one about a resolution as a whole is that of a logger
}

// Limits bound the work of one resolution, so that a hostile catalog cannot hold
// up its user. When one is exceeded, the resolution ends with an
// [*IncompleteError] that names it. Zero stands for the default of each, a
// negative value for no limit.
type Limits struct {
	// Solves is the number of solver calls; the default is 100,000.
	Solves int
	// Bundles is the number of candidate bundles looked at; the default is
	// 2,000,000.
	Bundles int
	// CELCost is the summed cost of all evaluated rules in the units of CEL;
	// the default is 1,000,000,000. What one rule may cost on one bundle is
	// set where the catalog is read.
	CELCost int64
}

// The defaults of [Limits].
const (
	defaultSolves  = 100_000
	defaultBundles = 2_000_000
	defaultCELCost = problem.DefaultCELCost
)

// Limits returns the limits of each resolution, with the defaults of those that were not set.
func (r *Resolver) Limits() Limits { return Limits(r.settings().Limits) }

// Ample reports whether no resolution of the catalogs of a request can exceed the limit on
// bundles, and rules may cost at least what they may by default.
func (l Limits) Ample(req Request) bool {
	all := 0
	for _, c := range usableCatalogs(&req) {
		all += c.Content.Len()
	}
	return (l.Bundles < 0 || 2*all <= l.Bundles) && (l.CELCost < 0 || l.CELCost >= defaultCELCost)
}

// Option is a setting of a [Resolver].
type Option func(*settings.Settings)

// WithLimits bounds the work of each resolution.
func WithLimits(l Limits) Option { return func(s *settings.Settings) { s.Limits = problem.Limits(l) } }

// With returns a resolver with the same settings and some more, which shares its
// memory with r.
func (r *Resolver) With(opts ...Option) *Resolver {
	more := &Resolver{config: *r.settings()}
	for _, o := range opts {
		o(&more.config.Settings)
	}
	more.config.complete()
	return more
}

// New returns a resolver.
func New(opts ...Option) *Resolver {
	r := &Resolver{config: config{problems: &problem.Memory{}, searches: &search.Memory{}}}
	return r.With(opts...)
}

// deadEnds is how many conflicts may make no progress before the solver is asked. A conflict
// deeper than all before resets the count, a bundle reached for the first time lowers it by one.
const deadEnds = 200

// complete fills in what the options leave open.
func (c *config) complete() {
	l := &c.Limits
	l.Solves, l.Bundles, l.CELCost = cmp.Or(l.Solves, defaultSolves), cmp.Or(l.Bundles, defaultBundles), cmp.Or(l.CELCost, defaultCELCost)
	c.DeadEnds = cmp.Or(c.DeadEnds, deadEnds)
	c.observe()
	if c.parser == nil {
		c.parser = constraints.NewParser()
	}
}

// settings are those of a resolver; a zero one has the defaults.
func (r *Resolver) settings() *config {
	if r.config.parser != nil {
		return &r.config
	}
	c := r.config
	c.complete()
	return &c
}

// Resolve answers a request with the best result set, exactly as section 6 of
// the semantics defines it: the same request always gives the same Solution.
//
// The error is a [*Conflict] if the request has no solution, a [*RequestError]
// if it is malformed, and an [*IncompleteError] if the context ended or a limit
// was reached before even a conflict that is not Minimal was found. A context that
// ends takes effect within 50 ms.
func (r *Resolver) Resolve(ctx context.Context, req Request) (*Solution, error) {
	ctx, w := r.settings().start(ctx, trace.OperationResolve, &req)
	return r.answer(ctx, &req, w)
}

// answer resolves a request whose start the hooks know of.
func (r *Resolver) answer(ctx context.Context, req *Request, w occasion) (*Solution, error) {
	p, err := prepare(ctx, req, r.settings())
	if err != nil {
		w.done(ctx, nil, nil, err)
		return nil, err
	}
	sol, err := p.resolve()
	w.done(ctx, p, sol, err)
	// A conflict may still have use for its problem.
	if err == nil && p.budget.Solves == 0 && len(sol.Unresolved) == 0 {
		p.search.Release()
	}
	return sol, err
}

// WriteDRAT writes the proof that the formula of [Resolver.WriteDIMACS] has no solution, in the
// DRAT format that checkers such as drat-trim read: a clause a line, each of which follows from
// the formula and the clauses before it by unit propagation, the last one empty. The same
// request gives the same bytes.
//
// The error is [ErrSolvable] if there is a solution, or as of WriteDIMACS.
func (r *Resolver) WriteDRAT(ctx context.Context, w io.Writer, req Request) error {
	p, err := prepare(ctx, &req, r.settings())
	if err != nil {
		return err
	}
	err = formula.Encode(p.problem, formula.GuardNone, p.observer(p.config.watch.Solver)).WriteDRAT(w)
	if errors.Is(err, sat.ErrSatisfiable) {
		return ErrSolvable
	}
	return cmp.Or(p.failed(), err)
}

// WriteDIMACS writes the hard rules of a request as a formula in conjunctive
// normal form, in the DIMACS format that SAT solvers read. The formula is
// satisfiable exactly if [Resolver.Resolve] finds a solution when all subscriptions
// have to be met, as they have unless the policy says "Partial".
//
// It is about the bundles that the request reaches, and holds for them: that each
// subscription has one of its candidates, that installed bundles stay or are
// replaced by a candidate of the subscription that owns them, that forced bundles
// are there, that each chosen bundle has its constraints met, that at most one bundle of a
// package and one provider of an API is chosen (section 5 of the semantics).
// Bundles that can never be chosen, because they are forbidden, deprecated or set
// aside, have no variable.
//
// It does not encode preferences: which of the solutions is the best (section 6), nor
// that nothing is in the set without a reason. Every result set
// is a model of it; a model may have bundles that nothing asks for. Policy
// "Partial" makes no difference to it: all subscriptions have to be met.
//
// Comments map variables to bundles, one a line, as "c 3 olm/community etcd.v0.9.4";
// for an installed bundle "installed" stands in the place of the catalog. The
// other variables are auxiliary. Names are made inert. The same request gives the same
// bytes.
//
// The error is a [*RequestError] or an [*IncompleteError] as of Resolve, or that
// of w.
func (r *Resolver) WriteDIMACS(ctx context.Context, w io.Writer, req Request) error {
	p, err := prepare(ctx, &req, r.settings())
	if err != nil {
		return err
	}
	f := formula.Encode(p.problem, formula.GuardNone, p.observer(p.config.watch.Solver))
	if p.budget.Stopped() {
		return p.failed()
	}
	if err := f.WriteDIMACS(w); err != nil {
		return err
	}
	return p.failed()
}
