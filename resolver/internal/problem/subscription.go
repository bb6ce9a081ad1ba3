package problem

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Subscription is a subscription with its candidates (section 2 of the semantics).
type Subscription struct {
	// What it asks for.
	Name        string
	Package     string
	Channels    []string   // each once; none stands for all
	Catalog     *cache.Key // nil stands for all
	StartingCSV string
	Range       *properties.Range // nil holds all versions
	Pin         string
	Hold        string // why what it owns stays where it is; empty if it may move
	Generated   bool   // it came with a dependency
	// Offer has its candidates, whatever the channels say, if it stands for an extension;
	// nil for those of the channels, which then are in Looked.
	Offer *Offer

	Index int32  // among the subscriptions
	Owned NodeID // the installed bundle that it owns, or NoNode
	Cands []Candidate
	// Looked are the channels that were looked at, best first.
	Looked []LookedAt
	List   *Listed // what is known of Cands; nil if the work ended before
	Pkgs   []int32 // the packages of Cands
	Group  int32   // its exclusive group in Problem.Groups, or NoGroup
	Shared bool    // another subscription has the same list
}

// NoGroup says that a subscription needs no exclusive group.
const NoGroup int32 = -1

// Candidate is one place that a subscription can take a bundle from.
type Candidate struct {
	Cat, ID int32 // of a catalog's bundle; id is -1 for the installed bundle
	Channel *graph.Channel
}

// LookedAt is one channel that a subscription looks at.
type LookedAt struct {
	Cat     int32
	Channel *graph.Channel
}

// Subscribe finds the candidates of subscriptions, in the order in which they are
// decided.
func (p *Problem) Subscribe(subs []Subscription) {
	p.subs, p.asked, p.listed = subs, nil, 0
	for i := range p.subs {
		s := &p.subs[i]
		s.Index, s.Group = int32(i), NoGroup
		if p.Tick() {
			continue
		}
		if !p.share(s) {
			s.List = new(Listed)
			if s.Offer != nil {
				s.Cands = slices.Clone(s.Offer.List)
				p.List(len(s.Cands))
			} else {
				p.look(s)
				p.listCandidates(s)
			}
			p.listPackages(s)
		}
		p.addGroup(s)
	}
	for i := range p.subs {
		if s := &p.subs[i]; p.Placing && s.Owned != NoNode && !s.Keeps() {
			s.Cands = append(s.Cands, Candidate{ID: -1})
		}
	}
}

// Candidates of subscriptions are listed for each question that is asked. Together the
// lists may have listedForEach candidates for each bundle that may be reached, and
// alwaysListed in any case.
const (
	listedForEach = 8
	alwaysListed  = 1 << 20
)

// List counts what is appended to a list of candidates, and ends the work at the bound.
func (p *Problem) List(n int) {
	p.listed += n
	if p.Limits.Bundles < 0 {
		return
	}
	if most := max(alwaysListed, listedForEach*p.Limits.Bundles); p.listed > most {
		p.Exceed(SpentBundles, uint64(most))
	}
}

// LetGo lets an installed bundle go that would have to stay.
func (p *Problem) LetGo(inst int32) {
	if p.free == nil {
		p.free = make([]bool, len(p.Inst))
	}
	p.free[inst] = true
}

// look lists the channels that a subscription looks at: best catalog first, then
// the default channel of the package, then by name (step 1).
func (p *Problem) look(s *Subscription) {
	for c := range p.Cats {
		if s.Catalog != nil && p.Cats[c].Key != *s.Catalog {
			continue
		}
		pkg := p.Cats[c].Content.Package(s.Package)
		if pkg == nil {
			continue
		}
		for _, ch := range pkg.Channels {
			if len(s.Channels) == 0 {
				s.Looked = append(s.Looked, LookedAt{int32(c), ch})
			}
		}
		for _, name := range s.Channels {
			if ch := pkg.Channel(name); ch != nil {
				s.Looked = append(s.Looked, LookedAt{int32(c), ch})
			}
		}
	}
	p.List(len(s.Looked))
}

// listCandidates makes the ordered list of steps 2 to 5.
func (p *Problem) listCandidates(s *Subscription) {
	if s.Owned != NoNode && p.Rules.Stay {
		s.Cands = append(s.Cands, Candidate{ID: -1})
	}
	for _, l := range s.Looked {
		p.takeFrom(s, l)
	}
	if s.Owned != NoNode && !s.Keeps() {
		s.Cands = append(s.Cands, Candidate{ID: -1})
	}
	if s.HeldBack() && !p.Explaining {
		s.Cands = []Candidate{{ID: -1}}
	}
	if p.Rules.AvoidDeprecated {
		slices.SortStableFunc(s.Cands, func(a, b Candidate) int {
			return First(!p.candidateShunned(s, a), !p.candidateShunned(s, b))
		})
	}
	if p.Explaining && s.Owned == NoNode {
		p.addQuarantined(s)
	}
	if len(s.Looked) > 1 { // a channel alone has no entry twice
		s.Cands = p.distinct(s.Cands)
	}
	if s.Pin != "" {
		s.Cands = slices.DeleteFunc(s.Cands, func(c Candidate) bool { return p.bundleOf(s, c).Name != s.Pin })
	}
}

// HeldBack reports whether a hold keeps the installed bundle of a subscription
// where it is.
func (s *Subscription) HeldBack() bool { return s.Owned != NoNode && s.Hold != "" }

// Keeps reports whether the installed bundle is among the candidates already.
func (s *Subscription) Keeps() bool {
	return slices.ContainsFunc(s.Cands, func(c Candidate) bool { return c.ID < 0 })
}

// bundleOf is the bundle of a candidate.
func (p *Problem) bundleOf(s *Subscription, c Candidate) *graph.Bundle {
	if c.ID < 0 {
		return p.Nodes[s.Owned].Bundle
	}
	return p.Cats[c.Cat].Content.Bundle(c.ID)
}

// addQuarantined appends what a new subscription would have to choose from if
// nothing were quarantined.
func (p *Problem) addQuarantined(s *Subscription) {
	for _, l := range s.Looked {
		entries := l.Channel.Entries
		if s.StartingCSV != "" { // there is no need to look at the others
			entries = nil
			if e := l.Channel.Entry(s.StartingCSV); e != nil {
				entries = []graph.Entry{*e}
			}
		}
		for _, e := range entries {
			if p.Tick() {
				return
			}
			if e.Bundle == nil {
				continue
			}
			if p.Drops(s, l.Channel, e.Bundle) == dropNone && p.QuarantineOf(l.Cat, e.Bundle) != nil {
				s.Cands = append(s.Cands, Candidate{l.Cat, e.Bundle.ID, l.Channel})
			}
		}
	}
}

// takeFrom appends what one channel offers, in the order of the policy. Where the
// entry of the installed bundle itself is offered, because every entry is or
// because its own skipRange holds it, the installed bundle stands in its place:
// an operator at the head stays there.
func (p *Problem) takeFrom(s *Subscription, l LookedAt) {
	start := len(s.Cands)
	s.Cands = slices.Grow(s.Cands, min(len(l.Channel.Entries), 32))
	for b := range s.offered(l.Channel) {
		if p.Tick() {
			return
		}
		switch {
		case p.Drops(s, l.Channel, b) != dropNone:
		case !p.IsOwn(s, b):
			s.Cands = append(s.Cands, Candidate{l.Cat, b.ID, l.Channel})
		case !s.Keeps():
			s.Cands = append(s.Cands, Candidate{ID: -1})
		}
	}
	p.List(len(s.Cands) - start)
	if p.Rules.Oldest {
		slices.Reverse(s.Cands[start:])
	}
}

// Successor is the bundle that a subscription to a channel moves a bundle of a catalog to that
// it owns, as far as nothing else is asked for: the first candidate that is not barred. It is
// nil if the bundle stays.
func Successor(b *graph.Bundle, ch *graph.Channel) *graph.Bundle {
	for _, e := range ch.Chain() { // nearest to the head first
		switch {
		case !e.Candidate() || !e.Upgrades(b.Name, *b.Version):
		case e.Name == b.Name: // which the installed one stands for
			return nil
		case !e.Bundle.Barred:
			return e.Bundle
		}
	}
	return nil
}

// offered are the bundles of a channel that can be chosen, nearest to the head first. Of one
// that a subscription starts with, there is no need to look at the others.
func (s *Subscription) offered(ch *graph.Channel) iter.Seq[*graph.Bundle] {
	return func(yield func(*graph.Bundle) bool) {
		if s.Owned == NoNode && s.StartingCSV != "" {
			if e := ch.Entry(s.StartingCSV); len(ch.Chain()) > 0 && e != nil && e.Candidate() {
				yield(e.Bundle)
			}
			return
		}
		for _, b := range ch.Candidates() {
			if !yield(b) {
				return
			}
		}
	}
}

// IsOwn reports whether a bundle of a catalog is the one that a subscription owns.
func (p *Problem) IsOwn(s *Subscription, b *graph.Bundle) bool {
	if s.Owned == NoNode {
		return false
	}
	own := p.Nodes[s.Owned].Bundle
	return b.Name == own.Name && b.Package == own.Package
}

// Dropped says which step drops a bundle from the candidates of a subscription.
type Dropped uint8

// The steps.
const (
	dropNone       Dropped = iota
	DropNoEdge             // no update leads to it from what is installed
	DropNotStart           // it is not the startingCSV
	DropVersion            // its version is outside the range
	DropBroken             // of an extension: it cannot be read itself
	DropDeprecated         // of an extension: it is marked olm.deprecated
	dropEnd
)

// Drops finds out which of steps 3 to 5 drops an entry of a channel.
func (p *Problem) Drops(s *Subscription, ch *graph.Channel, b *graph.Bundle) Dropped {
	if s.Owned != NoNode {
		if !p.Rules.AnyUpgrade && !p.Upgrades(ch.Entry(b.Name), s.Owned) {
			return DropNoEdge
		}
	} else if s.StartingCSV != "" && b.Name != s.StartingCSV {
		return DropNotStart
	}
	if s.Range != nil && !s.Range.Contains(*b.Version) {
		return DropVersion
	}
	return dropNone
}

// distinct keeps the first of each bundle that several channels offer.
func (p *Problem) distinct(cands []Candidate) []Candidate {
	if p.seen == nil {
		p.seen = make(map[nodeKey]struct{}, len(cands))
	}
	clear(p.seen)
	return slices.DeleteFunc(cands, func(c Candidate) bool {
		if c.ID < 0 {
			return false
		}
		before := len(p.seen)
		p.seen[nodeKey{c.Cat, c.ID}] = struct{}{}
		return len(p.seen) == before
	})
}

// CandidateAt returns the i-th candidate of a subscription.
func (p *Problem) CandidateAt(s *Subscription, i int) (NodeID, bool) {
	if s.List == nil { // not listed, for the work had ended
		return NoNode, false
	}
	for len(s.List.nodes) <= i {
		if len(s.List.nodes) == len(s.Cands) || p.Stopped() {
			return NoNode, false
		}
		c := s.Cands[len(s.List.nodes)]
		if c.ID < 0 {
			s.List.nodes = append(s.List.nodes, s.Owned)
		} else {
			s.List.nodes = append(s.List.nodes, p.NodeOf(c.Cat, c.ID))
		}
	}
	return s.List.nodes[i], true
}

// AllCandidates returns the whole list of a subscription.
func (p *Problem) AllCandidates(s *Subscription) []NodeID {
	if len(s.Cands) > 0 {
		p.CandidateAt(s, len(s.Cands)-1)
	}
	if s.List == nil {
		return nil
	}
	return s.List.nodes
}

// ExclusiveOf lists the candidates of a subscription and the installed bundle that
// it owns, even if a pin takes that out of the candidates.
func (p *Problem) ExclusiveOf(s *Subscription) []NodeID {
	members := slices.Clone(p.AllCandidates(s))
	if !slices.Contains(members, s.Owned) {
		members = append(members, s.Owned)
	}
	return members
}

// listPackages notes the packages of the candidates and of the installed bundle,
// nearly always one.
func (p *Problem) listPackages(s *Subscription) {
	last := ""
	for _, c := range s.Cands {
		name := p.bundleOf(s, c).Package
		if name == last {
			continue
		}
		last = name
		if id := p.pkgID(name); !slices.Contains(s.Pkgs, id) {
			s.Pkgs = append(s.Pkgs, id)
		}
	}
	if s.Owned != NoNode {
		if id := p.Nodes[s.Owned].Pkg; !slices.Contains(s.Pkgs, id) {
			s.Pkgs = append(s.Pkgs, id)
		}
	}
}

// addGroup keeps the candidates of a subscription that owns an installed bundle
// exclusive (section 5). The rule of one bundle a package does that already where
// all of them are of one package.
func (p *Problem) addGroup(s *Subscription) {
	if s.Owned == NoNode {
		return
	}
	if len(s.Pkgs) < 2 {
		return
	}
	g := int32(len(p.Groups))
	s.Group = g
	members := p.ExclusiveOf(s)
	p.Groups, p.groupOf = append(p.Groups, members), append(p.groupOf, s.Index)
	for _, n := range members {
		p.Nodes[n].Exclusive = append(p.Nodes[n].Exclusive, g)
	}
}

// candidateShunned is shunned for a candidate of a subscription, which stands in
// the channel that the subscription takes it from.
func (p *Problem) candidateShunned(s *Subscription, c Candidate) bool {
	n, channel := s.Owned, s.SoleChannel()
	if c.ID >= 0 {
		n, channel = p.NodeOf(c.Cat, c.ID), c.Channel.Name
	}
	if p.Nodes[n].Inst >= 0 {
		if recorded := p.Channels[p.Nodes[n].Inst]; recorded != "" {
			channel = recorded
		}
	}
	return p.DeprecationOf(n, channel).Named
}

// SoleChannel is the channel that the subscription is narrowed to, empty if it
// names none or several.
func (s *Subscription) SoleChannel() string {
	if len(s.Channels) == 1 {
		return s.Channels[0]
	}
	return ""
}
