package audit

import (
	"context"
	"slices"
	"strconv"
	"strings"

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

// place is what [resolver.Resolver.Converge] goes by to see that it has been somewhere:
// what is installed and who owns it, in any order.
func (s *roadState) place() string {
	keys := []string{string(text.AppendParts(nil, "s", s.owned))}
	for i := range s.installed {
		in := &s.installed[i]
		keys = append(keys, string(text.AppendParts(nil, "i", in.Catalog.Namespace, in.Catalog.Name, in.Package, in.Name)))
	}
	for i := range s.generated {
		keys = append(keys, string(text.AppendParts(nil, "g", s.generated[i].Name, s.generated[i].InstalledCSV)))
	}
	slices.Sort(keys)
	return strings.Join(keys, "")
}

// roadMap is what is known of the upgrade roads of a package: they join, and what
// follows from the same state is the same. A state is resolved only once.
type roadMap struct {
	nodes  map[string]*roadNode // by the keys of their states
	places map[string]int       // by what Converge goes by to see that it has been somewhere
	walk   int                  // numbers the walks
	been   []int                // the last walk that came by, by place
	lone   map[hop]lone         // of bundles that were followed alone
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

func (m *roadMap) node(s roadState) *roadNode {
	key := s.key()
	if n, ok := m.nodes[key]; ok {
		return n
	}
	name := s.place()
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
	sub := resolver.Subscription{Name: p.pkg.Name, Package: p.pkg.Name, Catalog: p.catalog.Key, InstalledCSV: s.owned}
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

// follow goes the road from a state to its end as [resolver.Resolver.Converge] does, and
// counts the rounds that change something.
func (p *packageAudit) follow(ctx context.Context, s roadState) (*roadStop, int) {
	m := p.roads
	m.walk++
	n := p.roads.node(s)
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
			return &roadStop{incomplete: incompleteText(&resolver.IncompleteError{Limit: "rounds", Allowed: uint64(p.maxRounds)})}, rounds
		}
		n = n.next
		path = append(path, n)
		if m.visit(n) {
			return p.loopStop(path), len(path) - 1
		}
	}
}

// hop is a bundle that a subscription to a channel owns, with nothing else on the cluster.
type hop struct {
	channel *graph.Channel
	bundle  *graph.Bundle
}

// lone is the end of the upgrade path from a hop; stop is nil where it has to be resolved.
type lone struct {
	stop   *roadStop
	rounds int
}

// plain reports whether a bundle alone on the cluster can be left to the order of its
// channel: it requires nothing, and the policy keeps that order.
func (p *packageAudit) plain(b *graph.Bundle) bool {
	return p.inOrder && b.Quarantine == nil && len(b.Constraints) == 0
}

// straight finds the end of the upgrade path of a bundle that is to be installed, or is
// installed alone, where no bundle on it requires anything: each round takes the first
// successor that is not barred, and nothing has to be resolved to find that out. The stop
// is nil everywhere else.
func (p *packageAudit) straight(b *graph.Bundle, ch *graph.Channel, installed bool) (*roadStop, int) {
	offered := slices.ContainsFunc(b.Places, func(at graph.Place) bool { return at.Channel == ch }) && !b.Barred
	if ch == nil || p.err != nil || !installed && !offered {
		return nil, 0
	}
	var path []hop
	end, known := lone{}, false
	for at := (hop{ch, b}); ; {
		if end, known = p.roads.lone[at]; known {
			break
		}
		p.roads.lone[at] = lone{} // until it is known, and if it is a loop
		if path = append(path, at); !p.plain(at.bundle) {
			break
		}
		next := p.successor(at)
		if next == nil {
			end.stop = p.loneStop(at)
			end.rounds = -1
			break
		}
		at.bundle = next
	}
	for _, at := range slices.Backward(path) {
		if end.stop != nil {
			end.rounds++
		}
		p.roads.lone[at] = end
	}
	if end.rounds > p.maxRounds {
		return nil, 0
	}
	return end.stop, end.rounds
}

// successor is what an update takes a hop to, nil if none leads away.
func (p *packageAudit) successor(at hop) *graph.Bundle {
	for _, e := range at.channel.Successors(at.bundle.Name, *at.bundle.Version) {
		if !e.Bundle.Barred {
			return e.Bundle
		}
	}
	return nil
}

// loneStop is the end of a path at a hop; nil if it is not the head and updates lead away,
// which an explanation says more about.
func (p *packageAudit) loneStop(at hop) *roadStop {
	stop := &roadStop{at: at.bundle.Name}
	if head := at.channel.Head(); head == nil || head.Name != stop.at {
		if len(at.channel.Successors(stop.at, *at.bundle.Version)) > 0 {
			return nil
		}
		stop.conflict = p.deadEnd(roadState{channel: at.channel, owned: stop.at})
	}
	return stop
}

// step resolves a state: it finds the next one, or the stop if nothing changes any
// more.
func (p *packageAudit) step(ctx context.Context, n *roadNode) {
	s := n.state
	sol, conflict, incomplete := p.resolve(ctx, s)
	stop := &roadStop{at: s.owned, conflict: conflict, incomplete: incomplete}
	if sol != nil && !sol.Unchanged() {
		n.next = p.roads.node(p.advance(s, sol))
		return
	}
	if n.stop = stop; sol == nil {
		return
	}
	for _, w := range sol.Warnings {
		if w.Kind == "orphan" {
			stop.orphans = append(stop.orphans, w.Bundle)
		}
	}
	if head := s.channel.Head(); head == nil || head.Name != s.owned {
		p.explain(ctx, s, stop)
	}
}
