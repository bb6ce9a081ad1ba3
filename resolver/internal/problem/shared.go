package problem

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// question is what a subscription asks. All that ask the same have the same candidates,
// which are listed once.
type question struct {
	pkg, channels, start, versions, pin string
	catalog                             cache.Key // the zero Key stands for all
	offer                               *Offer
	owned                               NodeID
	held                                bool
}

// fewSubscriptions are not worth a look at whether they ask the same.
const fewSubscriptions = 8

// share takes the candidates of an earlier subscription that asks the same, if
// there is one.
func (p *Problem) share(s *Subscription) bool {
	if len(p.subs) < fewSubscriptions {
		return false
	}
	q := question{pkg: s.Package, channels: strings.Join(s.Channels, "\x00"), start: s.StartingCSV, pin: s.Pin, offer: s.Offer, owned: s.Owned, held: s.Hold != ""}
	if s.Range != nil {
		q.versions = s.Range.String()
	}
	if s.Catalog != nil {
		q.catalog = *s.Catalog
	}
	first, asked := p.asked[q]
	if !asked {
		if p.asked == nil {
			p.asked = make(map[question]int32)
		}
		p.asked[q] = s.Index
		return false
	}
	same := &p.subs[first]
	s.Shared, same.Shared = true, true
	s.Looked, s.Cands, s.Pkgs, s.List = slices.Clip(same.Looked), slices.Clip(same.Cands), slices.Clip(same.Pkgs), same.List
	return true
}

// Listed is what all subscriptions share that have the same candidates.
type Listed struct {
	nodes  []NodeID          // as far as they were looked at
	places map[nodeKey]int32 // where each bundle is first among many candidates
}

// Offers reports whether a node is a candidate of a subscription, and from which
// channel; nil for the installed bundle.
func (p *Problem) Offers(s *Subscription, n NodeID) (*graph.Channel, bool) {
	nd := &p.Nodes[n]
	if nd.Inst < 0 && s.List != nil && len(s.Cands) > fewCandidates {
		at, ok := s.placeOf(nodeKey{nd.Cat, nd.Bundle.ID})
		if !ok {
			return nil, false
		}
		return s.Cands[at].Channel, true
	}
	for _, c := range s.Cands {
		if c.ID < 0 && n == s.Owned || c.ID >= 0 && nd.Inst < 0 && c.Cat == nd.Cat && c.ID == nd.Bundle.ID {
			return c.Channel, true
		}
	}
	return nil, false
}

// fewCandidates are looked through one by one.
const fewCandidates = 32

// placeOf finds a bundle of a catalog among the candidates.
func (s *Subscription) placeOf(of nodeKey) (int32, bool) {
	if s.List.places == nil {
		s.List.places = make(map[nodeKey]int32, len(s.Cands))
		for i, c := range slices.Backward(s.Cands) {
			if c.ID >= 0 {
				s.List.places[nodeKey{c.Cat, c.ID}] = int32(i)
			}
		}
	}
	at, ok := s.List.places[of]
	return at, ok
}
