package resolver

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Session answers questions about one request and changes of it (section 9 of the
// semantics). It keeps what it has reached of the catalogs, their candidates and
// compiled constraints, so that a what-if costs about as much as its change is
// large. What it keeps is bounded by the size of the catalogs; after a question that
// a context or a limit cut short it keeps nothing and starts over. A Session is not
// safe for concurrent use: make one for each goroutine.
type Session struct {
	r    *Resolver
	req  Request
	kept *resolution // nil after a question that was cut short
	// standing are the warnings that do not depend on the subscriptions.
	standing []Warning
	written  *Request     // the request with its generated subscriptions; made when first needed
	ahead    search.Ahead // what it knows of bundles
}

// Session prepares a request for questions. The error is a [*RequestError] if the
// request is malformed, or an [*IncompleteError].
func (r *Resolver) Session(ctx context.Context, req Request) (*Session, error) {
	s := &Session{r: r, req: req}
	if err := s.prepare(ctx); err != nil {
		return nil, err
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

// Request returns the request that the session is about.
func (s *Session) Request() Request { return s.req }

// Resolve answers the request with the changes made in their order, exactly as
// [Resolver.Resolve] answers the changed request; only the Stats, which count the
// work, may be smaller. The changes hold for this answer only. The errors are
// those of Resolve, and a [*RequestError] for a change whose subject the request
// does not have.
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
	if cfg.watch.Search == nil && len(req.Extensions) == 0 && !slices.ContainsFunc(changes, func(c Change) bool { return !slices.Contains(keepUniverse, c.Kind) }) {
		if sol := s.resolveKept(ctx, &req); sol != nil {
			w.done(ctx, nil, sol, nil)
			return sol, nil
		}
	}
	return s.r.answer(ctx, &req, w)
}

// apply is [Request.Apply], and finds the generated subscriptions once.
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

// resolveKept answers a changed request with what the session has kept, if that
// leads to an answer without a solver; nil means that it has to be resolved anew.
func (s *Session) resolveKept(ctx context.Context, req *Request) *Solution {
	if s.prepare(ctx) != nil || s.kept.installed.asksOwners {
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

// Lead is where the upgrade path of a bundle leads which a subscription to one channel installs
// on an empty cluster.
type Lead struct {
	// Next is what the subscription moves the bundle to in the first round, if nothing else is
	// asked for; nil if it stays.
	Next *graph.Bundle
	// End is what the subscription owns after Rounds rounds that change something, and Orphans
	// are what nothing needs any more then, by package. End is nil where rounds have to be
	// resolved to find that out.
	End     *graph.Bundle
	Rounds  int
	Orphans []string
}

// Leads follows bundles of one package along a channel as far as every first choice on the way
// holds, which takes no resolution. It answers for the bundles and for all that they become; what
// is quarantined has no answer.
//
// The result is nil where resolutions have to answer: the request of the session has more than
// catalogs, a cluster and a policy that keeps the order of channels; the resolver has hooks, a
// logger or metrics, which see each resolution; or its limits are not [Limits.Ample]. The error is
// an [*IncompleteError].
func (s *Session) Leads(ctx context.Context, catalog cache.Key, ch *graph.Channel, bundles []*graph.Bundle) (map[*graph.Bundle]*Lead, error) {
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
	leads, all := make(map[*graph.Bundle]*Lead, len(hops)), make([]Lead, len(hops))
	for i := range hops {
		hop, l := &hops[i], &all[i]
		if leads[hop.Bundle] = l; hop.Next >= 0 {
			l.Next = hops[hop.Next].Bundle
		}
		if hop.Known {
			l.End, l.Rounds = hops[hop.End].Bundle, hop.Rounds
		}
		for _, n := range hop.Orphans {
			l.Orphans = append(l.Orphans, p.universe.Nodes[n].Bundle.Name)
		}
	}
	return leads, p.failed()
}

// inOrder reports whether a subscription to a channel has the nearest to its head of what it can
// have, as far as nothing is required of others, and nothing observes or limits the resolutions.
func (s *Session) inOrder() bool {
	req, cfg := &s.req, s.r.settings()
	if len(req.Installed)+len(req.Subscriptions)+len(req.Extensions)+len(req.Forbid)+len(req.Force)+len(req.Constraints)+len(req.Relax) > 0 || req.Veto != nil {
		return false
	}
	pol := req.Policy
	return cmp.Or(pol.Upgrades, UpgradesCatalog) == UpgradesCatalog && cmp.Or(pol.Goal, Newest) == Newest &&
		cmp.Or(pol.Deprecations, DeprecationsWarn) == DeprecationsWarn && pol.Compatibility != CompatibilityRequire &&
		len(cfg.Hooks) == 0 && cfg.Logger == nil && cfg.Metrics == nil && s.r.Limits().Ample(*req)
}

// keepUniverse are the kinds of changes that leave the catalogs, what is installed,
// the policy and all constraints as they are, and with them everything that was
// found out about which bundle matches what.
var keepUniverse = []string{"dropSubscription", "addSubscription", "pinSubscription", "releasePin", "changeChannel", "useName",
	"adoptInstalled", "forceBundle", "forbidBundle", "allowForbidden"}

// renew makes what is kept ready for another request with the same catalogs and the
// same installed bundles. Each answer has limits and counts of its own.
func (s *Session) renew(ctx context.Context, req *Request) {
	p := s.kept
	p.req, p.installed, p.search, p.warnings = req, p.installed.of(req), nil, slices.Clone(s.standing)
	p.budget = problem.NewBudget(ctx, p.config.Limits)
	p.universe.Renew(p.forbidden())
	p.demands, p.problem = problem.Demands{}, nil
}

// release ends a question. It keeps nothing of the caller's, and nothing at all of work
// that was cut short, some of which may be half done.
func (s *Session) release() {
	if s.kept.budget.Stopped() {
		s.kept = nil
		return
	}
	s.renew(context.Background(), &s.req)
}
