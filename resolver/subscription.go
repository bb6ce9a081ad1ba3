package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// subscription is a subscription with its candidates (section 2).
type subscription struct {
	index int
	owned nodeID // the installed bundle that it owns, or noNode
	cands []candidate
	// looked are the channels that were looked at, best first.
	looked []lookedAt
	nodes  []nodeID // cands as nodes, as far as they were looked at
	pkgs   []int32  // the packages of cands
	group  int32    // its exclusive group in problem.groups, or noGroup
	left   bool     // policy Partial leaves it out
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

// addSubscriptions finds the candidates of every subscription.
func (p *problem) addSubscriptions() {
	p.addOwners()
	p.subs, p.free = make([]subscription, len(p.asked)), nil
	if p.config.aside != nil {
		p.free = make([]bool, len(p.inst))
	}
	for i := range p.subs {
		s := &p.subs[i]
		s.index, s.owned, s.group = i, noNode, noGroup
		if own := p.owns[i]; own != noInstalled {
			s.owned = p.inst[own]
		}
		if s.left = p.config.aside.subscription(p.asked[i].Name); s.left && s.owned != noNode {
			p.free[p.owns[i]] = true
		}
		p.look(s)
		p.listCandidates(s)
		p.listPackages(s)
		p.warnKept(s)
		p.addGroup(s)
	}
}

// look lists the channels that a subscription looks at: best catalog first, then
// the default channel of the package, then by name (step 1).
func (p *problem) look(s *subscription) {
	sub := &p.asked[s.index]
	for c := range p.cats {
		if sub.Catalog != (cache.Key{}) && p.cats[c].Key != sub.Catalog {
			continue
		}
		pkg := p.cats[c].Content.Package(sub.Package)
		if pkg == nil {
			continue
		}
		for _, ch := range pkg.Channels {
			if len(sub.Channels) == 0 {
				s.looked = append(s.looked, lookedAt{int32(c), ch})
			}
		}
		for i, name := range sub.Channels {
			if ch := pkg.Channel(name); ch != nil && !slices.Contains(sub.Channels[:i], name) {
				s.looked = append(s.looked, lookedAt{int32(c), ch})
			}
		}
	}
}

// listCandidates makes the ordered list of steps 2 to 5.
func (p *problem) listCandidates(s *subscription) {
	if o := p.asked[s.index].offers; o != nil {
		p.takeOffers(s, o)
		return
	}
	if s.owned != noNode && p.req.Policy.Goal == GoalMinimalChange {
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
	if p.req.Policy.Deprecations == DeprecationsAvoid {
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
	if pin := p.asked[s.index].Pin; pin != "" {
		s.cands = slices.DeleteFunc(s.cands, func(c candidate) bool { return p.candidateName(s, c) != pin })
	}
}

// heldBack reports whether a hold keeps the installed bundle of a subscription
// where it is.
func (p *problem) heldBack(s *subscription) bool {
	return s.owned != noNode && p.asked[s.index].Hold != ""
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
			if b != nil && p.quarantineOf(l.cat, b) != nil && rejectCandidate(p, s, l.channel, b) == "" {
				s.cands = append(s.cands, candidate{l.cat, b.ID, l.channel})
			}
		}
	}
}

// quarantineOf returns the problem that keeps a bundle without a place in any
// channel from having one, or nil if something else does.
func (p *problem) quarantineOf(cat int32, b *graph.Bundle) *graph.Problem {
	if len(b.Places) > 0 {
		return nil
	}
	if b.Quarantine != nil {
		return b.Quarantine
	}
	pkg := p.cats[cat].Content.Package(b.Package)
	if pkg == nil {
		return nil
	}
	for _, ch := range pkg.Channels {
		if q := ch.Quarantined(); q != nil && ch.Entry(b.Name) != nil {
			return q
		}
	}
	return nil
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
		case rejectCandidate(p, s, l.channel, b) != "":
		case !p.isOwn(s, b):
			s.cands = append(s.cands, candidate{l.cat, b.ID, l.channel})
		case !s.keeps():
			s.cands = append(s.cands, candidate{id: -1})
		}
	}
	if p.req.Policy.Goal == GoalOldest {
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

// rejectCandidate tells which of steps 3 to 5 drops an entry of a channel, or
// that none does.
func rejectCandidate(p *problem, s *subscription, ch *graph.Channel, b *graph.Bundle) Rejection {
	sub := &p.asked[s.index]
	if s.owned != noNode {
		if p.req.Policy.Upgrades != UpgradesSelfCertified && !p.upgrades(ch.Entry(b.Name), s.owned) {
			return NearMissNoEdge
		}
	} else if sub.StartingCSV != "" && b.Name != sub.StartingCSV {
		return NearMissStartingCSV
	}
	if !sub.VersionRange.IsZero() && !sub.VersionRange.Contains(b.Version) {
		return NearMissVersion
	}
	return ""
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
		if len(s.nodes) == len(s.cands) || p.err != nil {
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
