package audit

import (
	"context"
	"slices"
	"strconv"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// state is a cluster on an upgrade path: what is installed, which of it the
// audited subscription owns, and the subscriptions that came with dependencies.
// Everything else is the same along all paths of a package's audit, but for the
// channel that is followed.
type state struct {
	channel   *graph.Channel
	installed []resolver.Installed
	owned     string
	generated []resolver.Subscription
	crds      []properties.CRD // of the cluster, as the bundles of the path have left them
}

// stateOf is the state of a request, whose first subscription is the audited one.
func stateOf(channel *graph.Channel, req *resolver.Request) state {
	return state{channel, req.Installed, req.Subscriptions[0].InstalledCSV, req.Subscriptions[1:], req.Cluster.CRDs}
}

// key identifies a state among those of one package. States of equal keys make
// equal requests: everything installed came from the catalogs, so that catalog,
// package and name stand for version and properties as well; the same goes for the
// name of a generated subscription, its place and what it owns, and the versions of a
// definition are those of the last of its owners.
func (s *state) key() string {
	b := text.AppendParts(nil, s.channel.Name, s.owned)
	for i := range s.installed {
		in := &s.installed[i]
		b = text.AppendParts(b, "i", in.Catalog.Namespace, in.Catalog.Name, in.Package, in.Name, in.Channel)
		b = strconv.AppendBool(b, in.Automatic)
	}
	for i := range s.generated {
		g := &s.generated[i]
		b = text.AppendParts(b, "s", g.Name, g.Package, g.Catalog.Namespace, g.Catalog.Name, g.InstalledCSV)
		b = text.AppendParts(b, g.Channels...)
	}
	for i := range s.crds {
		b = text.AppendParts(b, "d", s.crds[i].Name)
		b = text.AppendParts(b, s.crds[i].StoredVersions...)
		for _, o := range s.crds[i].Owners {
			b = text.AppendParts(b, o.Namespace, o.Bundle)
		}
	}
	return string(b)
}

// paths is what is known of the upgrade paths of a package: they join, and what
// follows from the same state is the same. A state is resolved only once.
type paths struct {
	rounds map[string]*round                                   // by the keys of their states
	leads  map[*graph.Channel]map[*graph.Bundle]*resolver.Lead // where no state needs to be resolved
}

// round is what comes next in a state: one of the solution and the stop is set.
type round struct {
	sol  *resolver.Solution
	stop *stop
}

// stop is the end of a path. All paths that end in the same state share it.
type stop struct {
	at         string             // what the subscription owns
	conflict   *resolver.Conflict // why it is not the head; nil if it is
	orphans    []string
	incomplete string
}

// subscription is the only one of a package's audit.
func (p *packageAudit) subscription(s state) resolver.Subscription {
	sub := resolver.Subscription{Name: p.pkg.Name, Package: p.pkg.Name, Catalog: p.catalog.Key, InstalledCSV: s.owned}
	if s.channel != nil {
		sub.Channels = []string{s.channel.Name}
	}
	return sub
}

func (p *packageAudit) request(s state) resolver.Request {
	req := *p.base
	req.Installed, req.Subscriptions = s.installed, append([]resolver.Subscription{p.subscription(s)}, s.generated...)
	req.Cluster.CRDs = s.crds
	return req
}

// resolve answers the request of a state, changed further as an explanation needs
// it, through the session.
func (p *packageAudit) resolve(ctx context.Context, s state, more ...resolver.Change) (sol *resolver.Solution, conflict *resolver.Conflict, incomplete string) {
	changes := make([]resolver.Change, 0, len(s.installed)+1+len(s.generated)+len(more))
	for _, in := range s.installed {
		changes = append(changes, whatif.AddInstalled(in))
	}
	changes = append(changes, whatif.AddSubscription(p.subscription(s)))
	for _, g := range s.generated {
		changes = append(changes, whatif.AddSubscription(g))
	}
	session := p.session
	if len(s.crds) > 0 { // which no change can replace
		req := *p.base
		req.Cluster.CRDs = s.crds
		if session, p.err = p.r.Session(ctx, req); p.err != nil {
			return nil, nil, ""
		}
	}
	return p.answer(ctx, session, append(changes, more...)...)
}

// follow goes the path from a state to its end, and counts the rounds that change something.
func (p *packageAudit) follow(ctx context.Context, s state) (*stop, int) {
	path, at, owned := &resolver.Path{Final: p.request(s)}, new(round), []string{s.owned}
	for _, err := range path.Follow(ctx, p.maxRounds, func(ctx context.Context, req resolver.Request) (*resolver.Solution, error) {
		at = p.round(ctx, stateOf(s.channel, &req))
		return at.sol, p.err
	}) {
		if p.err = ctx.Err(); p.err != nil {
			return nil, 0
		}
		if err != nil {
			return &stop{incomplete: incompleteText(err)}, len(path.Rounds)
		}
		owned = append(owned, path.Final.Subscriptions[0].InstalledCSV)
	}
	if path.Loop {
		return p.loopStop(stateOf(s.channel, &path.Final), owned[path.LoopStart:]), len(path.Rounds)
	}
	return at.stop, len(path.Rounds)
}

// straight finds the end of the upgrade path of a bundle that is to be installed, or is
// installed alone, where every first choice on it holds: nothing has to be resolved to find
// that out, see [resolver.Session.Leads]. The stop is nil everywhere else.
func (p *packageAudit) straight(ctx context.Context, b *graph.Bundle, ch *graph.Channel, installed bool) (*stop, int) {
	offered := slices.ContainsFunc(b.Places, func(at graph.Place) bool { return at.Channel == ch }) && !b.Barred
	if !p.inOrder || ch == nil || p.err != nil || !installed && !offered {
		return nil, 0
	}
	l, rounds := p.lead(ctx, ch, b), 0
	switch {
	case l != nil && installed && l.Next != nil: // what it needs itself plays no part
		l, rounds = p.lead(ctx, ch, l.Next), 1
	case installed && len(b.Constraints) > 0:
		return nil, 0
	}
	if l == nil || l.End == nil || rounds+l.Rounds > p.maxRounds {
		return nil, 0
	}
	stop := p.loneStop(ch, l.End)
	if stop == nil {
		return nil, 0
	}
	stop.orphans = l.Orphans
	return stop, rounds + l.Rounds
}

// lead is what is known of the path of a bundle along a channel, nil if nothing is.
func (p *packageAudit) lead(ctx context.Context, ch *graph.Channel, b *graph.Bundle) *resolver.Lead {
	leads, known := p.paths.leads[ch]
	if !known {
		var bundles []*graph.Bundle
		for _, of := range p.pkg.Bundles {
			if ChannelOf(p.pkg, of) == ch {
				bundles = append(bundles, of)
			}
		}
		leads, _ = p.session.Leads(ctx, p.catalog.Key, ch, bundles) // what it did not get to is resolved
		p.paths.leads[ch], p.err = leads, ctx.Err()
	}
	return leads[b]
}

// loneStop is the end of a path along a channel at a bundle; nil if it is not the head and updates
// lead away, which an explanation says more about.
func (p *packageAudit) loneStop(ch *graph.Channel, at *graph.Bundle) *stop {
	stop := &stop{at: at.Name}
	if head := ch.Head(); head == nil || head.Name != stop.at {
		if len(ch.Successors(stop.at, *at.Version)) > 0 {
			return nil
		}
		stop.conflict = p.deadEnd(state{channel: ch, owned: stop.at})
	}
	return stop
}

// round resolves a state, unless that was done before.
func (p *packageAudit) round(ctx context.Context, s state) *round {
	key := s.key()
	r := p.paths.rounds[key]
	if r != nil {
		return r
	}
	sol, conflict, incomplete := p.resolve(ctx, s)
	if r = (&round{sol: sol}); sol == nil || sol.Unchanged() {
		r.sol, r.stop = nil, &stop{at: s.owned, conflict: conflict, incomplete: incomplete}
		p.tell(ctx, s, sol, r.stop)
	}
	if p.err == nil {
		p.paths.rounds[key] = r
	}
	return r
}

// tell says of a state in which nothing changes any more what is left behind there, and
// why it is not at the head.
func (p *packageAudit) tell(ctx context.Context, s state, sol *resolver.Solution, at *stop) {
	if sol == nil {
		return
	}
	for _, w := range sol.Warnings {
		if w.Kind == "orphan" {
			at.orphans = append(at.orphans, w.Bundle)
		}
	}
	if head := s.channel.Head(); head == nil || head.Name != s.owned {
		p.explain(ctx, s, at)
	}
}
