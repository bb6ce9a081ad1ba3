package audit

import (
	"context"
	"strconv"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// roadState is a cluster on an upgrade road: what is installed, which of it the
// audited subscription owns, and the subscriptions that came with dependencies.
// Everything else is the same along all roads of a package's audit, but for the
// channel that is followed.
type roadState struct {
	channel   *graph.Channel
	installed []resolver.Installed
	owned     string
	generated []resolver.Subscription
}

// key identifies a state among those of one package. States of equal keys make
// equal requests: everything installed came from the catalogs, so that catalog,
// package and name stand for version and properties as well; the same goes for the
// name of a generated subscription, its place and what it owns.
func (s *roadState) key() string {
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
	return string(b)
}

// roadMap is what is known of the upgrade roads of a package: they join, and what
// follows from the same state is the same. A state is resolved only once.
type roadMap struct {
	nodes  map[string]*roadNode // by the keys of their states
	places map[string]int       // by what Converge goes by to see that it has been somewhere
	walk   int                  // numbers the walks
	been   []int                // the last walk that came by, by place
}

// roadNode is a state on the map. Once it has been resolved, one of next and stop
// is set.
type roadNode struct {
	state roadState
	place int
	next  *roadNode
	stop  *roadStop
}

// roadStop is the end of a road. All roads that end in the same state share it.
type roadStop struct {
	at         string             // what the subscription owns
	conflict   *resolver.Conflict // why it is not the head; nil if it is
	orphans    []string
	incomplete string
}

func (m *roadMap) node(s roadState, req *resolver.Request) *roadNode {
	key := s.key()
	if n, ok := m.nodes[key]; ok {
		return n
	}
	name := req.Place()
	place, ok := m.places[name]
	if !ok {
		place = len(m.places)
		m.places[name] = place
		m.been = append(m.been, 0)
	}
	n := &roadNode{state: s, place: place}
	m.nodes[key] = n
	return n
}

// visit notes that the current walk is at a node, and reports whether it has been
// at that place before.
func (m *roadMap) visit(n *roadNode) bool {
	again := m.been[n.place] == m.walk
	m.been[n.place] = m.walk
	return again
}

// subscription is the only one of a package's audit.
func (p *packageAudit) subscription(s roadState) resolver.Subscription {
	sub := resolver.Subscription{Name: p.unit.pkg.Name, Package: p.unit.pkg.Name, Catalog: p.unit.catalog.Key, InstalledCSV: s.owned}
	if s.channel != nil {
		sub.Channels = []string{s.channel.Name}
	}
	return sub
}

func (p *packageAudit) request(s roadState) resolver.Request {
	req := *p.base
	req.Installed, req.Subscriptions = s.installed, append([]resolver.Subscription{p.subscription(s)}, s.generated...)
	return req
}

// resolve answers the request of a state, changed further as an explanation needs
// it, through the session.
func (p *packageAudit) resolve(ctx context.Context, s roadState, more ...resolver.Change) (sol *resolver.Solution, conflict *resolver.Conflict, incomplete string) {
	changes := make([]resolver.Change, 0, len(s.installed)+1+len(s.generated)+len(more))
	for _, in := range s.installed {
		changes = append(changes, whatif.AddInstalled(in))
	}
	changes = append(changes, whatif.AddSubscription(p.subscription(s)))
	for _, g := range s.generated {
		changes = append(changes, whatif.AddSubscription(g))
	}
	return p.answer(ctx, append(changes, more...)...)
}

// advance is the state once a solution has been carried out.
func (p *packageAudit) advance(s roadState, sol *resolver.Solution) roadState {
	req := p.request(s).Advance(sol)
	s.installed, s.owned, s.generated = req.Installed, req.Subscriptions[0].InstalledCSV, req.Subscriptions[1:]
	return s
}

func (p *packageAudit) at(s roadState) *roadNode {
	req := p.request(s)
	return p.roads.node(s, &req)
}

// follow goes the road from a state to its end as [resolver.Resolver.Converge] does, and
// counts the rounds that change something.
func (p *packageAudit) follow(ctx context.Context, s roadState) (*roadStop, int) {
	m := p.roads
	m.walk++
	n := p.at(s)
	m.visit(n)
	path := []*roadNode{n}
	for {
		if n.next == nil && n.stop == nil {
			if p.step(ctx, n); p.err != nil {
				return nil, 0
			}
		}
		rounds := len(path) - 1
		switch {
		case n.stop != nil:
			return n.stop, rounds
		case rounds >= p.maxRounds:
			return &roadStop{incomplete: incompleteText(&resolver.IncompleteError{Limit: resolver.LimitRounds, Allowed: uint64(p.maxRounds)})}, rounds
		}
		n = n.next
		path = append(path, n)
		if m.visit(n) {
			return p.loopStop(path), len(path) - 1
		}
	}
}

// straight finds the end of the road of a bundle that is to be installed, or is installed
// alone, if that can be found out without resolving anything; nil if not.
func (p *packageAudit) straight(ctx context.Context, b *graph.Bundle, ch *graph.Channel, installed bool) (*roadStop, int) {
	if ch == nil || p.err != nil {
		return nil, 0
	}
	road, err := p.session.StraightRoad(ctx, p.unit.catalog.Key, ch, b, installed, p.maxRounds)
	if err != nil || road == nil { // resolving it may need less
		p.err = ctx.Err()
		return nil, 0
	}
	stop := &roadStop{at: road.End, orphans: road.Orphans}
	if head := ch.Head(); head == nil || head.Name != road.End {
		s := roadState{channel: ch, owned: road.End}
		if end := p.unit.pkg.Bundle(road.End); end != nil {
			s.installed = []resolver.Installed{{Name: end.Name, Version: end.Version}}
		}
		if len(p.ways(s)) > 0 { // what closes them depends on all that is installed
			return nil, 0
		}
		stop.conflict = p.deadEnd(s)
	}
	return stop, road.Rounds
}

// step resolves a state: it finds the next one, or the stop if nothing changes any
// more.
func (p *packageAudit) step(ctx context.Context, n *roadNode) {
	s := n.state
	sol, conflict, incomplete := p.resolve(ctx, s)
	stop := &roadStop{at: s.owned, conflict: conflict, incomplete: incomplete}
	if sol != nil && !sol.Unchanged() {
		n.next = p.at(p.advance(s, sol))
		return
	}
	if n.stop = stop; sol == nil {
		return
	}
	for _, w := range sol.Warnings {
		if w.Kind == resolver.WarningOrphan {
			stop.orphans = append(stop.orphans, w.Bundle)
		}
	}
	if head := s.channel.Head(); head == nil || head.Name != s.owned {
		p.explain(ctx, s, stop)
	}
}
