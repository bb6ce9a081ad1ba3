package resolver

import (
	"context"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/straight"
)

// StraightRoad is an upgrade road on which every first choice holds.
type StraightRoad struct {
	// End is the bundle that is owned at the end, after Rounds rounds that change
	// something. Nothing needs the Orphans any more then; they are in order of packages.
	End     string
	Rounds  int
	Orphans []string
}

// StraightRoad goes the road that [Resolver.Converge] goes if there is nothing on the
// cluster but a subscription to a channel: from a bundle of its catalog that it installs,
// with whatever that brings, or that is installed already, alone. Where every first choice
// holds, nothing needs to be resolved to find that out. Everywhere else the road is nil,
// and so it is if it has more rounds, if the request of the session has more to it than
// catalogs, cluster and policy, if the catalogs have more bundles than a resolution may
// reach, and if the resolver has hooks, which see resolutions.
// The error is an [*IncompleteError].
func (s *Session) StraightRoad(ctx context.Context, catalog cache.Key, ch *graph.Channel, b *graph.Bundle, installed bool, maxRounds int) (*StraightRoad, error) {
	p, req := s.kept, &s.req
	cat := p.CatalogIndex(catalog)
	// No resolution can reach more than all bundles, and those that are installed.
	all, most := p.stats().Bundles, p.config.limits.Bundles
	if most >= 0 && all > most || cat < 0 || len(p.config.watch)+len(req.Installed)+len(req.Subscriptions)+len(req.Extensions)+len(req.Forbid)+len(req.Force)+
		len(req.Constraints)+len(req.Relax)+len(p.config.aside.Subscriptions)+len(p.config.aside.Installed)+len(p.config.aside.Forced) > 0 {
		return nil, nil
	}
	s.renew(ctx, req)
	defer s.renew(context.Background(), req)
	if s.roads == nil {
		s.roads = straight.New(&p.Problem)
	}
	road, ok := s.roads.Go(p.NodeOf(cat, b.ID), ch, installed, maxRounds)
	if p.Stopped() {
		s.roads = nil // it may have seen a part of some lists
		return nil, p.failed(p.Err())
	}
	if !ok || most >= 0 && all+road.Members > most {
		return nil, nil
	}
	out := &StraightRoad{End: p.Nodes[road.End].Bundle.Name, Rounds: road.Rounds}
	for _, n := range road.Orphans {
		out.Orphans = append(out.Orphans, p.Nodes[n].Bundle.Name)
	}
	return out, nil
}
