package resolver

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/outlook"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Session answers what-ifs about one request (section 9 of the semantics). It keeps the
// translated catalogs, candidates and compiled constraints, so the cost of an answer depends on
// the size of the change. Its memory is bounded by the size of the catalogs. An answer that is
// cut short by a context or a limit discards it. A Session is not safe for concurrent use.
type Session struct {
	r    *Resolver
	req  Request
	kept *resolution // nil after a question that was cut short
	// standing are the warnings that do not depend on the subscriptions.
	standing []Warning
	written  *Request     // the request with its generated subscriptions; made when first needed
	ahead    search.Ahead // what it knows of bundles
}

// Session returns a session for a request. The error is a [*RequestError] or an
// [*IncompleteError].
func (r *Resolver) Session(ctx context.Context, req Request) (*Session, error) {
	s := &Session{r: r, req: req}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	if o := outlook.Of(ctx); o != nil {
		*o = outlook.Session{Follow: s.follow, Ample: r.settings().ample(&s.req)}
	}
	return s, nil
}

// prepare translates the request into a problem, unless one is kept.
func (s *Session) prepare(ctx context.Context) error {
	if s.kept != nil {
		return nil
	}
	p, err := prepare(ctx, &s.req, s.r.settings())
	if err != nil {
		return err
	}
	s.kept, s.standing, s.ahead = p, slices.Clone(p.warnings), search.Ahead{}
	return nil
}

// Request returns the request of the session.
func (s *Session) Request() Request { return s.req }

// Resolve resolves the request with the changes applied in order, for this answer only. The
// solution equals that of [Resolver.Resolve] for the changed request, except that Stats may be
// smaller. The errors are those of Resolver.Resolve, and a [*RequestError] for a change whose
// subject does not exist.
func (s *Session) Resolve(ctx context.Context, changes ...Change) (*Solution, error) {
	req, err := s.req, error(nil)
	if len(changes) > 0 {
		req, err = s.apply(changes)
	}
	cfg := s.r.settings()
	ctx, w := cfg.start(ctx, trace.OperationWhatIf, &req)
	if err != nil {
		w.done(ctx, nil, nil, err)
		return nil, err
	}
	if cfg.watch.Search == nil && len(req.Extensions) == 0 && !slices.ContainsFunc(changes, func(c Change) bool { return !slices.Contains(keepUniverse, c.Kind()) }) {
		if sol := s.resolveKept(ctx, &req); sol != nil {
			w.done(ctx, nil, sol, nil)
			return sol, nil
		}
	}
	return s.r.answer(ctx, &req, w)
}

// apply is [Request.Apply] with memoized generated subscriptions.
func (s *Session) apply(changes []Change) (Request, error) {
	if s.written == nil {
		written := withGenerated(s.req)
		s.written = &written
	}
	req, err := apply(*s.written, changes)
	if err != nil {
		return s.req, err
	}
	return req, nil
}

// resolveKept resolves a changed request with the kept translation; nil if that needs a solver
// or a new translation.
func (s *Session) resolveKept(ctx context.Context, req *Request) *Solution {
	if s.prepare(ctx) != nil || s.kept.installed.needsOwners {
		return nil
	}
	p := s.kept
	if validate(req, p.config.problems) != nil || ctx.Err() != nil {
		return nil
	}
	s.renew(ctx, req)
	defer s.release()
	p.demand(false)
	if p.budget.Stopped() {
		return nil
	}
	st, out := p.decide()
	if out != search.Complete || p.budget.Stopped() {
		return nil
	}
	sol := p.solution(st)
	if p.budget.Stopped() {
		return nil
	}
	return sol
}

// follow implements [outlook.Session].
func (s *Session) follow(ctx context.Context, catalog cache.Key, ch *graph.Channel, bundles []*graph.Bundle) (map[*graph.Bundle]*outlook.Path, error) {
	if !s.inOrder() {
		return nil, nil
	}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	p := s.kept
	s.renew(ctx, &s.req)
	defer s.release()
	p.demand(false)
	hops := s.ahead.Hops(p.problem, search.Settings{DeadEnds: p.config.DeadEnds, Look: p.config.Look, Memory: p.config.searches}, p.universe.CatalogIndex(catalog), ch, bundles)
	paths, all := make(map[*graph.Bundle]*outlook.Path, len(hops)), make([]outlook.Path, len(hops))
	for i := range hops {
		hop, l := &hops[i], &all[i]
		if paths[hop.Bundle] = l; hop.Next >= 0 {
			l.Next = hops[hop.Next].Bundle
		}
		if hop.Known {
			l.End, l.Rounds = hops[hop.End].Bundle, hop.Rounds
		}
		for _, n := range hop.Orphans {
			l.Orphans = append(l.Orphans, p.universe.Nodes[n].Bundle.Name)
		}
	}
	return paths, p.failed()
}

// inOrder reports whether a subscription to a channel always gets the candidate nearest to the
// head whose dependencies allow it, and no observer or limit needs real resolutions.
func (s *Session) inOrder() bool {
	req, cfg := &s.req, s.r.settings()
	if len(req.Installed)+len(req.Subscriptions)+len(req.Extensions)+len(req.Forbid)+len(req.Force)+len(req.Constraints)+len(req.Relax)+len(req.Policy.Veto) > 0 || req.Veto != nil {
		return false
	}
	pol := req.Policy
	return cmp.Or(pol.Upgrades, UpgradesCatalog) == UpgradesCatalog && cmp.Or(pol.Goal, Newest) == Newest &&
		cmp.Or(pol.Deprecations, DeprecationsWarn) == DeprecationsWarn && pol.Compatibility != CompatibilityRequire &&
		len(cfg.Hooks) == 0 && cfg.Logger == nil && cfg.Metrics == nil && cfg.ample(req)
}

// keepUniverse lists the kinds of changes that keep catalogs, installed bundles, policy and
// constraints, and so the results of matching.
var keepUniverse = []ChangeKind{ChangeDropSubscription, ChangeAddSubscription, ChangePinSubscription, ChangeReleasePin, ChangeFollowChannel,
	ChangeUseName, ChangeAdoptInstalled, ChangeForceBundle, ChangeForbidBundle, ChangeAllowForbidden}

// renew resets the kept translation for another request with the same catalogs and installed
// bundles. Each answer has its own budget.
func (s *Session) renew(ctx context.Context, req *Request) {
	p := s.kept
	p.req, p.installed, p.search, p.warnings = req, p.installed.of(req), nil, slices.Clone(s.standing)
	p.budget = problem.NewBudget(ctx, p.config.Limits)
	p.universe.Renew(p.forbidden())
	p.demands, p.problem = problem.Demands{}, nil
}

// release drops the references to the request of the caller, and everything if the work was cut
// short.
func (s *Session) release() {
	if s.kept.budget.Stopped() {
		s.kept = nil
		return
	}
	s.renew(context.Background(), &s.req)
}
