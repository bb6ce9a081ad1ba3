package problem

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
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
