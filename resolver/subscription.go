package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// subscription is a subscription with its candidates (section 2 of the semantics).
type subscription struct {
	// What it asks for.
	Package     string
	Channels    []string // none stands for all
	Catalog     cache.Key
	StartingCSV string
	Range       properties.Range
	Pin         string
	Held        bool // what it owns stays where it is

	index int
	owned nodeID // the installed bundle that it owns, or noNode
	cands []candidate
	// looked are the channels that were looked at, best first.
	looked []lookedAt
	nodes  []nodeID // cands as nodes, as far as they were looked at
	pkgs   []int32  // the packages of cands
	group  int32    // its exclusive group in problem.groups, or noGroup
	left   bool     // it asks for nothing
}

// noGroup says that a subscription needs no exclusive group.
const noGroup int32 = -1

// candidate is one place that a subscription can take a bundle from.
type candidate struct {
	cat, id int32 // of a catalog's bundle; id is -1 for the installed bundle
	channel *graph.Channel
}

// lookedAt is one channel that a subscription looks at.
type lookedAt struct {
	cat     int32
	channel *graph.Channel
}

// subscribe finds the candidates of subscriptions, in the order in which they are
// decided. Those that are left ask for nothing, and what they own need not stay.
func (p *problem) subscribe(subs []subscription) {
	p.subs = subs
	for i := range p.subs {
		s := &p.subs[i]
		s.index, s.group = i, noGroup
		p.look(s)
		p.listCandidates(s)
		p.listPackages(s)
		p.addGroup(s)
	}
}

// letGo lets an installed bundle go that would have to stay.
func (p *problem) letGo(inst int32) {
	if p.free == nil {
		p.free = make([]bool, len(p.inst))
	}
	p.free[inst] = true
}

// look lists the channels that a subscription looks at: best catalog first, then
// the default channel of the package, then by name (step 1).
func (p *problem) look(s *subscription) {
	for c := range p.cats {
		if s.Catalog != (cache.Key{}) && p.cats[c].Key != s.Catalog {
			continue
		}
		pkg := p.cats[c].Content.Package(s.Package)
		if pkg == nil {
			continue
		}
		for _, ch := range pkg.Channels {
			if len(s.Channels) == 0 {
				s.looked = append(s.looked, lookedAt{int32(c), ch})
			}
		}
		for i, name := range s.Channels {
			if ch := pkg.Channel(name); ch != nil && !slices.Contains(s.Channels[:i], name) {
				s.looked = append(s.looked, lookedAt{int32(c), ch})
			}
		}
	}
}

// listCandidates makes the ordered list of steps 2 to 5.
func (p *problem) listCandidates(s *subscription) {
	if s.owned != noNode && p.rules.Stay {
		s.cands = append(s.cands, candidate{id: -1})
	}
	for _, l := range s.looked {
		p.takeFrom(s, l)
	}
	if s.owned != noNode && !s.keeps() {
		s.cands = append(s.cands, candidate{id: -1})
	}
	if p.heldBack(s) && !p.explaining {
		s.cands = []candidate{{id: -1}}
	}
	if p.rules.AvoidDeprecated {
		slices.SortStableFunc(s.cands, func(a, b candidate) int {
			return first(!p.candidateShunned(s, a), !p.candidateShunned(s, b))
		})
	}
	if p.explaining && s.owned == noNode {
		p.addQuarantined(s)
	}
	if len(s.looked) > 1 { // a channel alone has no entry twice
		s.cands = p.distinct(s.cands)
	}
	if s.Pin != "" {
		s.cands = slices.DeleteFunc(s.cands, func(c candidate) bool { return p.candidateName(s, c) != s.Pin })
	}
}

// heldBack reports whether a hold keeps the installed bundle of a subscription
// where it is.
func (p *problem) heldBack(s *subscription) bool {
	return s.owned != noNode && s.Held
}

// keeps reports whether the installed bundle is among the candidates already.
func (s *subscription) keeps() bool {
	return slices.ContainsFunc(s.cands, func(c candidate) bool { return c.id < 0 })
}

// candidateName is the name of a candidate's bundle.
func (p *problem) candidateName(s *subscription, c candidate) string {
	if c.id < 0 {
		return p.nodes[s.owned].bundle.Name
	}
	return p.cats[c.cat].Content.Bundle(c.id).Name
}

// addQuarantined appends what a new subscription would have to choose from if
// nothing were quarantined.
func (p *problem) addQuarantined(s *subscription) {
	for _, l := range s.looked {
		for i := range l.channel.Entries {
			b := l.channel.Entries[i].Bundle
			if b != nil && p.quarantineOf(l.cat, b) != nil && p.drops(s, l.channel, b) == dropNone {
				s.cands = append(s.cands, candidate{l.cat, b.ID, l.channel})
			}
		}
	}
}

// takeFrom appends what one channel offers, in the order of the policy. Where the
// entry of the installed bundle itself is offered, because every entry is or
// because its own skipRange holds it, the installed bundle stands in its place:
// an operator at the head stays there.
func (p *problem) takeFrom(s *subscription, l lookedAt) {
	start := len(s.cands)
	s.cands = slices.Grow(s.cands, min(len(l.channel.Entries), 32))
	for _, b := range l.channel.Candidates() {
		switch {
		case p.drops(s, l.channel, b) != dropNone:
		case !p.isOwn(s, b):
			s.cands = append(s.cands, candidate{l.cat, b.ID, l.channel})
		case !s.keeps():
			s.cands = append(s.cands, candidate{id: -1})
		}
	}
	if p.rules.Oldest {
		slices.Reverse(s.cands[start:])
	}
}

// isOwn reports whether a bundle of a catalog is the one that a subscription owns.
func (p *problem) isOwn(s *subscription, b *graph.Bundle) bool {
	if s.owned == noNode {
		return false
	}
	own := p.nodes[s.owned].bundle
	return b.Name == own.Name && b.Package == own.Package
}

// dropped says which step drops an entry of a channel from the candidates of a
// subscription.
type dropped uint8

// The steps.
const (
	dropNone     dropped = iota
	dropNoEdge           // no update leads to it from what is installed
	dropNotStart         // it is not the startingCSV
	dropVersion          // its version is outside the range
)

// drops finds out which of steps 3 to 5 drops an entry of a channel.
func (p *problem) drops(s *subscription, ch *graph.Channel, b *graph.Bundle) dropped {
	if s.owned != noNode {
		if !p.rules.AnyUpgrade && !p.upgrades(ch.Entry(b.Name), s.owned) {
			return dropNoEdge
		}
	} else if s.StartingCSV != "" && b.Name != s.StartingCSV {
		return dropNotStart
	}
	if !s.Range.IsZero() && !s.Range.Contains(b.Version) {
		return dropVersion
	}
	return dropNone
}

// distinct keeps the first of each bundle that several channels offer.
func (p *problem) distinct(cands []candidate) []candidate {
	if p.seen == nil {
		p.seen = make(map[nodeKey]struct{}, len(cands))
	}
	clear(p.seen)
	return slices.DeleteFunc(cands, func(c candidate) bool {
		if c.id < 0 {
			return false
		}
		before := len(p.seen)
		p.seen[nodeKey{c.cat, c.id}] = struct{}{}
		return len(p.seen) == before
	})
}

// candidateAt returns the i-th candidate of a subscription.
func (p *problem) candidateAt(s *subscription, i int) (nodeID, bool) {
	for len(s.nodes) <= i {
		if len(s.nodes) == len(s.cands) || p.stopped() {
			return noNode, false
		}
		c := s.cands[len(s.nodes)]
		if c.id < 0 {
			s.nodes = append(s.nodes, s.owned)
		} else {
			s.nodes = append(s.nodes, p.node(c.cat, c.id))
		}
	}
	return s.nodes[i], true
}

// allCandidates returns the whole list of a subscription.
func (p *problem) allCandidates(s *subscription) []nodeID {
	if len(s.cands) > 0 {
		p.candidateAt(s, len(s.cands)-1)
	}
	return s.nodes
}

// offers reports whether a node is a candidate of a subscription, and from which
// channel; nil for the installed bundle.
func (p *problem) offers(s *subscription, n nodeID) (*graph.Channel, bool) {
	nd := &p.nodes[n]
	for _, c := range s.cands {
		if c.id < 0 && n == s.owned || c.id >= 0 && nd.inst < 0 && c.cat == nd.cat && c.id == nd.bundle.ID {
			return c.channel, true
		}
	}
	return nil, false
}

// exclusiveOf lists the candidates of a subscription and the installed bundle that
// it owns, even if a pin takes that out of the candidates.
func (p *problem) exclusiveOf(s *subscription) []nodeID {
	members := slices.Clone(p.allCandidates(s))
	if !slices.Contains(members, s.owned) {
		members = append(members, s.owned)
	}
	return members
}

// listPackages notes the packages of the candidates and of the installed bundle,
// nearly always one.
func (p *problem) listPackages(s *subscription) {
	last := ""
	for _, c := range s.cands {
		var name string
		if c.id < 0 {
			name = p.nodes[s.owned].bundle.Package
		} else {
			name = p.cats[c.cat].Content.Bundle(c.id).Package
		}
		if name == last {
			continue
		}
		last = name
		if id := p.pkgID(name); !slices.Contains(s.pkgs, id) {
			s.pkgs = append(s.pkgs, id)
		}
	}
	if s.owned != noNode {
		if id := p.nodes[s.owned].pkg; !slices.Contains(s.pkgs, id) {
			s.pkgs = append(s.pkgs, id)
		}
	}
}

// addGroup keeps the candidates of a subscription that owns an installed bundle
// exclusive (section 5). The rule of one bundle a package does that already where
// all of them are of one package.
func (p *problem) addGroup(s *subscription) {
	if s.owned == noNode {
		return
	}
	if len(s.pkgs) < 2 {
		return
	}
	g := int32(len(p.groups))
	s.group = g
	members := p.exclusiveOf(s)
	p.groups, p.groupOf = append(p.groups, members), append(p.groupOf, int32(s.index))
	for _, n := range members {
		p.nodes[n].exclusive = append(p.nodes[n].exclusive, g)
	}
}

// candidateShunned is shunned for a candidate of a subscription, which stands in
// the channel that the subscription takes it from.
func (p *problem) candidateShunned(s *subscription, c candidate) bool {
	n, channel := s.owned, s.soleChannel()
	if c.id >= 0 {
		n, channel = p.node(c.cat, c.id), c.channel.Name
	}
	if p.nodes[n].inst >= 0 {
		if recorded := p.channels[p.nodes[n].inst]; recorded != "" {
			channel = recorded
		}
	}
	d, ok := p.deprecationOf(n, channel)
	return ok && d.named
}

// soleChannel is the channel that the subscription is narrowed to, empty if it
// names none or several.
func (s *subscription) soleChannel() string {
	if len(s.Channels) == 1 {
		return s.Channels[0]
	}
	return ""
}

// keepOwned lets installed bundles meet the subscriptions that own them, whatever
// these are pinned to.
func (p *problem) keepOwned() {
	for i := range p.subs {
		if s := &p.subs[i]; s.owned != noNode && !s.keeps() {
			s.cands = append(s.cands, candidate{id: -1})
		}
	}
}
