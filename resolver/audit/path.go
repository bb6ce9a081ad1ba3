package audit

import (
	"context"
	"slices"
	"strconv"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/outlook"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// state is a cluster on an upgrade path along a channel: a request whose first subscription is
// the audited one, while the others were generated for dependencies. The installed bundles, their
// owners and the definitions of the cluster differ between states; all else is the same for a
// package.
type state struct {
	channel *graph.Channel
	req     resolver.Request
}

// owned returns the bundle of the audited subscription.
func (s *state) owned() string { return s.req.Subscriptions[0].InstalledCSV }

// key identifies a state within a package. States with equal keys have equal requests: every
// installed bundle came from the catalogs, so catalog, package and name determine its version and
// properties; the name of a generated subscription determines its channel and catalog, and the
// versions of a definition are those of its last owner.
func (s *state) key() string {
	b := text.AppendParts(nil, s.channel.Name, s.owned())
	for i := range s.req.Installed {
		in := &s.req.Installed[i]
		b = text.AppendParts(b, "i", in.Catalog.Namespace, in.Catalog.Name, in.Package, in.Name, in.Channel)
		b = strconv.AppendBool(b, in.Automatic)
	}
	for _, g := range s.req.Subscriptions[1:] {
		b = text.AppendParts(b, "s", g.Name, g.Package, g.Catalog.Namespace, g.Catalog.Name, g.InstalledCSV)
		b = text.AppendParts(b, g.Channels...)
	}
	for _, d := range s.req.Cluster.CRDs {
		b = text.AppendParts(b, "d", d.Name)
		b = text.AppendParts(b, d.StoredVersions...)
		for _, o := range d.Owners {
			b = text.AppendParts(b, o.Namespace, o.Bundle)
		}
	}
	return string(b)
}

// paths caches the upgrade paths of a package. Paths join, and each state is resolved only once.
type paths struct {
	rounds map[string]*round                                  // by key of the state
	leads  map[*graph.Channel]map[*graph.Bundle]*outlook.Path // paths without resolution
}

// round is the next step from a state: either a solution or a stop.
type round struct {
	sol  *resolver.Solution
	stop *stop
}

// stop is the end of a path, shared by all paths that end in the same state.
type stop struct {
	at         string             // the owned bundle
	conflict   *resolver.Conflict // why it is not the head; nil at the head
	orphans    []string
	incomplete string
}

// empty is the state of an empty cluster.
func (p *packageAudit) empty(ch *graph.Channel) state {
	sub := resolver.Subscription{Name: p.pkg.Name, Package: p.pkg.Name, Catalog: p.catalog.Key}
	if ch != nil {
		sub.Channels = []string{ch.Name}
	}
	s := state{ch, *p.base}
	s.req.Subscriptions = []resolver.Subscription{sub}
	return s
}

// follow follows the path from a state to its end, and counts the rounds with changes.
func (p *packageAudit) follow(ctx context.Context, s state) (*stop, int) {
	path, at, owned := &resolver.Path{Final: s.req}, new(round), []string{s.owned()}
	for _, err := range path.Follow(ctx, p.maxRounds, func(ctx context.Context, req resolver.Request) (*resolver.Solution, error) {
		at = p.round(ctx, state{s.channel, req})
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
		return p.loopStop(s.channel, owned[path.LoopStart:]), len(path.Rounds)
	}
	return at.stop, len(path.Rounds)
}

// straight finds the end of the upgrade path of a bundle, to be installed or installed alone, if
// every first choice on it holds, so that nothing has to be resolved; see
// [outlook.Session]. Otherwise the stop is nil.
func (p *packageAudit) straight(ctx context.Context, b *graph.Bundle, ch *graph.Channel, installed bool) (*stop, int) {
	offered := slices.ContainsFunc(b.Places, func(at graph.Place) bool { return at.Channel == ch }) && !b.Barred
	if ch == nil || p.err != nil || !installed && !offered {
		return nil, 0
	}
	l, rounds := p.lead(ctx, ch, b), 0
	switch {
	case l != nil && installed && l.Next != nil: // its own dependencies do not matter
		l, rounds = p.lead(ctx, ch, l.Next), 1
	case installed && len(b.Constraints) > 0:
		return nil, 0
	}
	switch {
	case l == nil || l.End == nil:
		return nil, 0
	case rounds+l.Rounds > p.maxRounds: // following it would have the same result
		return &stop{incomplete: incompleteText(&resolver.IncompleteError{Limit: resolver.LimitRounds, Allowed: uint64(p.maxRounds)})}, p.maxRounds
	}
	stop := p.loneStop(ch, l.End)
	if stop == nil {
		return nil, 0
	}
	stop.orphans = l.Orphans
	return stop, rounds + l.Rounds
}

// lead returns the known path of a bundle along a channel, or nil.
func (p *packageAudit) lead(ctx context.Context, ch *graph.Channel, b *graph.Bundle) *outlook.Path {
	leads, known := p.paths.leads[ch]
	if !known {
		var bundles []*graph.Bundle
		for _, of := range p.pkg.Bundles {
			if ChannelOf(p.pkg, of) == ch {
				bundles = append(bundles, of)
			}
		}
		leads, _ = p.session.outlook.Follow(ctx, p.catalog.Key, ch, bundles) // the missing ones are resolved
		p.paths.leads[ch], p.err = leads, ctx.Err()
	}
	return leads[b]
}

// loneStop returns the end of a path along a channel at a bundle; nil if it is not the head and
// has upgrades, which needs an explanation.
func (p *packageAudit) loneStop(ch *graph.Channel, at *graph.Bundle) *stop {
	stop := &stop{at: at.Name}
	if head := ch.Head(); head == nil || head.Name != stop.at {
		if len(ch.Successors(stop.at, *at.Version)) > 0 {
			return nil
		}
		stop.conflict = p.deadEnd(ch, stop.at)
	}
	return stop
}

// round resolves a state, unless already cached.
func (p *packageAudit) round(ctx context.Context, s state) *round {
	key := s.key()
	r := p.paths.rounds[key]
	if r != nil {
		return r
	}
	sol, conflict, incomplete := answered(p.r.Resolve(ctx, s.req))
	if r = (&round{sol: sol}); sol == nil || sol.Unchanged() {
		r.sol, r.stop = nil, &stop{at: s.owned(), conflict: conflict, incomplete: incomplete}
		p.describe(ctx, s, sol, r.stop)
	}
	if p.err == nil {
		p.paths.rounds[key] = r
	}
	return r
}

// describe records the orphans in a final state, and why it is not at the head.
func (p *packageAudit) describe(ctx context.Context, s state, sol *resolver.Solution, at *stop) {
	if sol == nil {
		return
	}
	for _, w := range sol.Warnings {
		if w.Kind == resolver.WarningOrphan {
			at.orphans = append(at.orphans, w.Bundle)
		}
	}
	if head := s.channel.Head(); head == nil || head.Name != s.owned() {
		p.explain(ctx, s, at)
	}
}
