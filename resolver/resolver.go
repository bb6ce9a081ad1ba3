package resolver

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Resolver resolves requests. It holds settings and reusable memory; it keeps no request or
// answer. The zero Resolver has default settings. [New] returns one that also reuses memory
// between resolutions. A Resolver is safe for concurrent use.
type Resolver struct {
	config config
}

type config struct {
	settings.Settings

	parser   *constraints.Parser
	problems *problem.Memory // reused between resolutions; may be nil
	searches *search.Memory  // likewise
	watch    trace.Hooks     // all hooks, joined
	logged   bool            // whether the logger is the only observer of whole resolutions
}

// Limits bound the work of one resolution, so that untrusted catalogs cannot exhaust the
// process. Exceeding one ends the resolution with an [*IncompleteError] that names it. Zero
// means the default, a negative value no limit.
type Limits struct {
	// Solves is the maximum number of solver calls; the default is 100,000.
	Solves int
	// Steps is the maximum number of steps of a search: decisions and bundles that they imply or
	// exclude, including those repeated after a conflict; the default is 50,000,000.
	Steps int
	// Bundles is the maximum number of candidate bundles; the default is 2,000,000.
	Bundles int
	// CELCost is the maximum total cost of CEL rules, in CEL cost units; the default is
	// 1,000,000,000. The cost of a single evaluation is limited when the catalog is read.
	CELCost int64
}

// The defaults of [Limits].
const (
	defaultSolves  = 100_000
	defaultSteps   = 50_000_000
	defaultBundles = 2_000_000
	defaultCELCost = problem.DefaultCELCost
)

// ample reports whether no resolution of the catalogs of req can exceed the limit on bundles,
// and the limit on CEL cost is at least the default.
func (c *config) ample(req *Request) bool {
	l, all := c.Limits, 0
	for _, c := range usableCatalogs(req) {
		all += c.Content.Len()
	}
	return (l.Bundles < 0 || 2*all <= l.Bundles) && (l.CELCost < 0 || l.CELCost >= defaultCELCost)
}

// Option is a setting of a [Resolver]. The functions of this package make options.
type Option interface {
	apply(*settings.Settings)
}

// option is an [Option] that is a function.
type option func(*settings.Settings)

func (o option) apply(s *settings.Settings) { o(s) }

// WithLimits bounds the work of each resolution.
func WithLimits(l Limits) Option {
	return option(func(s *settings.Settings) { s.Limits = problem.Limits(l) })
}

// WithTerms sets the nouns of conflicts, corrections, warnings, explanations and traces. Errors about
// the request name its fields. Give the same terms to the builder of the catalogs.
func WithTerms(t graph.Terms) Option {
	return option(func(s *settings.Settings) { s.Terms = t })
}

// Terms returns the nouns of texts, as given.
func (r *Resolver) Terms() graph.Terms { return r.config.Terms }

// Describe describes a change in one line, in the terms of the resolver.
func (r *Resolver) Describe(c Change) string { return describe(c, r.config.Terms) }

// describe describes a change in one line, in the given terms.
func describe(c Change, t graph.Terms) string {
	if own, ok := c.(interface{ describe(t graph.Terms) string }); ok {
		return own.describe(t)
	}
	return c.String()
}

// WithLimitNames sets how an [IncompleteError] names the setting of a limit to users, such as a
// flag. The function must be safe for concurrent use.
func WithLimitNames(name func(Limit) string) Option {
	return option(func(s *settings.Settings) {
		s.LimitName = func(resource string) string { return name(Limit(resource)) }
	})
}

// With returns a copy of r with further options applied. It shares the memory of r.
func (r *Resolver) With(opts ...Option) *Resolver {
	more := &Resolver{config: *r.settings()}
	for _, o := range opts {
		if o != nil {
			o.apply(&more.config.Settings)
		}
	}
	more.config.complete()
	return more
}

// New returns a resolver.
func New(opts ...Option) *Resolver {
	r := &Resolver{config: config{problems: &problem.Memory{}, searches: &search.Memory{}}}
	return r.With(opts...)
}

// deadEnds is the default number of conflicts without progress before the solver is called. A
// conflict at a new maximum depth resets the count; a bundle reached for the first time lowers
// it by one.
const deadEnds = 200

// complete sets the defaults.
func (c *config) complete() {
	l := &c.Limits
	l.Solves, l.Steps = cmp.Or(l.Solves, defaultSolves), cmp.Or(l.Steps, defaultSteps)
	l.Bundles, l.CELCost = cmp.Or(l.Bundles, defaultBundles), cmp.Or(l.CELCost, defaultCELCost)
	c.DeadEnds = cmp.Or(c.DeadEnds, deadEnds)
	c.observe()
	if c.parser == nil {
		c.parser = constraints.NewParser()
	}
}

// settings returns the settings, with defaults for a zero Resolver.
func (r *Resolver) settings() *config {
	if r.config.parser != nil {
		return &r.config
	}
	c := r.config
	c.complete()
	return &c
}

// Resolve returns the best result set of a request, as section 6 of the semantics defines it.
// The same request always gives the same Solution.
//
// The error is a [*Conflict] if the request has no solution, a [*RequestError] if it is invalid,
// and an [*IncompleteError] if the context ended or a limit was exhausted first. Resolve returns
// within 50 ms after the context ends.
func (r *Resolver) Resolve(ctx context.Context, req Request) (*Solution, error) {
	ctx, w := r.settings().start(ctx, trace.OperationResolve, &req)
	return r.answer(ctx, &req, w)
}

// answer resolves a request after Began was emitted.
func (r *Resolver) answer(ctx context.Context, req *Request, w span) (*Solution, error) {
	p, err := prepare(ctx, req, r.settings())
	if err != nil {
		w.done(ctx, nil, nil, err)
		return nil, err
	}
	sol, err := p.resolve()
	w.done(ctx, p, sol, err)
	// A conflict may still refer to its problem.
	if err == nil && p.budget.Solves == 0 && len(sol.Unresolved) == 0 {
		p.search.Release()
	}
	return sol, err
}

// WriteDRAT writes a proof that the formula of [Resolver.WriteDIMACS] is unsatisfiable, in the
// DRAT format that checkers such as drat-trim read: one clause per line, each implied by the
// formula and the clauses before it through unit propagation, ending with the empty clause. The
// output is deterministic.
//
// The error is [ErrSolvable] if there is a solution, or as for WriteDIMACS.
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

// WriteDIMACS writes the hard rules of a request as a formula in conjunctive normal form, in the
// DIMACS format that SAT solvers read. The formula is satisfiable if and only if
// [Resolver.Resolve] finds a solution under a policy other than "Partial".
//
// It covers the bundles that the request reaches (section 5 of the semantics): each subscription
// has one of its candidates, installed bundles stay or are replaced by a candidate of their
// subscription, forced bundles are selected, the constraints of selected bundles hold, and at
// most one bundle per package and one provider per API is selected. Excluded bundles (forbidden,
// deprecated or quarantined) have no variable.
//
// The formula does not encode preferences (section 6), nor that each bundle needs a reason.
// Every result set is a model; a model may have bundles that nothing requires. Policy "Partial"
// has no effect on it: all subscriptions have to be satisfied.
//
// Comments map variables to bundles, one per line, as "c 3 olm/community etcd.v0.9.4", with
// "installed" as the catalog of an installed bundle. The other variables are auxiliary. Control
// characters in names are escaped. The output is deterministic.
//
// The error is a [*RequestError] or an [*IncompleteError] as for Resolve, or the error of w.
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
