package resolver

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// Session answers questions about one request and changes of it (section 9 of the
// semantics). It keeps what it has reached of the catalogs, their candidates and
// compiled constraints, so that a what-if costs about as much as its change is
// large. What it keeps is bounded by the size of the catalogs. A Session is not
// safe for concurrent use: make one for each goroutine.
type Session struct {
	r    *Resolver
	req  Request
	kept *resolution
	// standing are the warnings that do not depend on the subscriptions.
	standing []Warning
	ahead    search.Ahead // what it knows of bundles
}

// Session prepares a request for questions. The error is a [*RequestError] if the
// request is malformed, or an [*IncompleteError].
func (r *Resolver) Session(ctx context.Context, req Request) (*Session, error) {
	s := &Session{r: r, req: req}
	p, err := prepare(ctx, &s.req, r.settings(), problem.Input{})
	if err != nil {
		return nil, err
	}
	s.kept, s.standing = p, slices.Clone(p.warnings)
	return s, nil
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
		req, err = s.req.Apply(changes...)
	}
	cfg := s.r.settings()
	ctx, w := cfg.start(ctx, "whatif", &req)
	if err != nil {
		w.done(ctx, nil, nil, err)
		return nil, err
	}
	if cfg.watch.Search == nil && !s.kept.installed.asksOwners && len(req.Extensions) == 0 && !slices.ContainsFunc(changes, func(c Change) bool { return !slices.Contains(keepUniverse, c.Kind) }) {
		if sol := s.resolveKept(ctx, &req); sol != nil {
			w.done(ctx, nil, sol, nil)
			return sol, nil
		}
	}
	return s.r.answer(ctx, &req, w)
}

// resolveKept answers a changed request with what the session has kept, if that
// leads to an answer without a solver; nil means that it has to be resolved anew.
func (s *Session) resolveKept(ctx context.Context, req *Request) *Solution {
	if _, err := validate(req, s.kept.config.problems); err != nil || ctx.Err() != nil {
		return nil
	}
	p := s.kept
	s.renew(ctx, req)
	defer s.renew(context.Background(), &s.req) // keep nothing of the caller's
	p.subscribe()
	if p.problem.Stopped() {
		return nil
	}
	st, out := p.decide()
	if out != search.Complete || p.problem.Stopped() {
		return nil
	}
	sol := p.solution(st)
	if p.problem.Stopped() {
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
// is quarantined has no answer. The request of the session has catalogs, a cluster, and a policy
// that keeps the order of channels, and nothing else. Limits and hooks are not looked at. The error
// is an [*IncompleteError].
func (s *Session) Leads(ctx context.Context, catalog cache.Key, ch *graph.Channel, bundles []*graph.Bundle) (map[*graph.Bundle]*Lead, error) {
	p := s.kept
	s.renew(ctx, &s.req)
	defer s.renew(context.Background(), &s.req)
	p.subscribe()
	hops := s.ahead.Look(p.view, search.Settings{DeadEnds: p.config.DeadEnds, Memory: p.config.searches}, p.problem.CatalogIndex(catalog), ch, bundles)
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
			l.Orphans = append(l.Orphans, p.problem.Nodes[n].Bundle.Name)
		}
	}
	return leads, p.failed()
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
	p.req, p.installed.req, p.search, p.warnings = req, req, nil, slices.Clone(s.standing)
	p.problem.Renew(problem.Begin(ctx, p.config.Limits), p.forbidden(), p.forced())
}
