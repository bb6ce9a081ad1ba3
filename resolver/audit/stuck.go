package audit

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// explain explains why a path stops before the head of its channel.
func (p *packageAudit) explain(ctx context.Context, s state, stop *stop) {
	successors := p.successors(s)
	if len(successors) == 0 {
		stop.conflict = p.deadEnd(s.channel, s.owned())
		return
	}
	// Excluding the installed bundle reveals the obstacles of all upgrades.
	var forced resolver.Change = resolver.PinSubscription{Subscription: p.pkg.Name, Bundle: successors[0]}
	if len(successors) > 1 {
		forced = resolver.ForbidBundle{Bundle: resolver.BundleRef{Name: s.owned()}, Message: "the audit requires an upgrade"}
	}
	var sol *resolver.Solution
	req, err := s.req.Apply(forced)
	if err == nil {
		sol, err = p.r.Resolve(ctx, req)
	}
	sol, conflict, incomplete := answered(sol, err)
	if stop.conflict, stop.incomplete = conflict, incomplete; sol != nil {
		stop.conflict = p.stuck(s.channel, s.owned(), argument.FactNoCandidate,
			fmt.Sprintf("the policy prefers the installed version, although %s could be installed", successors[0]))
	}
}

// successors returns the successors of the owned bundle in the channel, nearest to the head first.
func (p *packageAudit) successors(s state) []string {
	var names []string
	if p.base.Policy.Upgrades == resolver.UpgradesSelfCertified {
		for _, b := range s.channel.Candidates() {
			if b.Name != s.owned() {
				names = append(names, b.Name)
			}
		}
		return names
	}
	for _, in := range s.req.Installed {
		if in.Name != s.owned() {
			continue
		}
		for _, e := range s.channel.Successors(in.Name, *in.Version) {
			names = append(names, e.Name)
		}
	}
	return names
}

// deadEnd returns the conflict of a bundle without an upgrade edge in its channel.
func (p *packageAudit) deadEnd(ch *graph.Channel, owned string) *resolver.Conflict {
	if q := ch.Quarantined(); q != nil {
		c := p.stuck(ch, owned, argument.FactQuarantined, fmt.Sprintf(
			"channel %s of package %s is ignored, because it is broken: %s", ch.Name, p.pkg.Name, q.Message))
		c.Facts[1].Message = q.Message
		return c
	}
	head := ch.Head()
	end := "is " + head.Name
	switch {
	case head.Bundle == nil:
		end = head.Name + " is listed, but the catalog does not have it"
	case head.Bundle.Quarantine != nil:
		end = head.Name + " is ignored, because it is broken: " + head.Bundle.Quarantine.Message
	}
	return p.stuck(ch, owned, argument.FactNoCandidate, fmt.Sprintf("channel %s has no upgrade edge from it; its head %s", ch.Name, end))
}

// loopStop returns the end of a path that loops, with the owned bundles of the loop, from its
// start to its start. Possibly only another package loops, and the audited one stays at its head.
func (p *packageAudit) loopStop(ch *graph.Channel, circle []string) *stop {
	end := &stop{at: circle[len(circle)-1]}
	head := ch.Head()
	if head != nil && !slices.ContainsFunc(circle, func(name string) bool { return name != head.Name }) {
		return end
	}
	sentence := fmt.Sprintf("the upgrades of channel %s form a loop: %s", ch.Name, text.Short(circle, 6))
	if head != nil {
		sentence += ", and never stay at the head " + head.Name
	}
	end.conflict = p.stuck(ch, end.at, argument.FactNoCandidate, sentence)
	return end
}

// stuck returns a conflict between the demand to follow the channel, and one fact.
func (p *packageAudit) stuck(ch *graph.Channel, owned string, kind argument.FactKind, sentence string) *resolver.Conflict {
	pkg, channel, key := p.pkg.Name, ch.Name, p.catalog.Key
	return &resolver.Conflict{Minimal: true, Facts: []argument.Fact{
		{Kind: argument.FactSubscription, Subject: pkg, Subscription: pkg, Package: pkg, Channel: channel, Catalog: key,
			Text: fmt.Sprintf("subscription %s asks for package %s from channel %s of catalog %s, where %s is installed",
				pkg, pkg, channel, key, owned)},
		{Kind: kind, Subject: pkg, Subscription: pkg, Package: pkg, Channel: channel, Text: sentence},
	}}
}
