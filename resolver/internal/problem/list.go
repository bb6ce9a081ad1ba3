package problem

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// lister finds the candidates of demands.
type lister struct {
	u      *Universe
	d      *Demands
	first  map[query]int32      // the first demand with each query
	seen   map[nodeKey]struct{} // scratch buffer of distinct
	listed int                  // candidates in the lists of all demands
}

// Set finds the candidates of demands, which are in decision order. With installedOnly nothing is
// forced, and the bundle that a demand owns satisfies it whatever its pin.
func (d *Demands) Set(u *Universe, list []Demand, installedOnly bool) {
	d.List = list
	if installedOnly {
		d.Forced = nil
	}
	l := lister{u: u, d: d}
	for i := range list {
		s := &list[i]
		s.Index, s.Group = int32(i), NoGroup
		if u.Budget.Step() {
			continue
		}
		if !l.share(s) {
			s.List = new(Listed)
			if s.Extension != nil {
				l.listDeclared(s)
			} else {
				l.scanChannels(s)
				l.listCandidates(s)
			}
			l.listPackages(s)
		}
		d.addGroup(u, s)
	}
	for i := range list {
		if s := &list[i]; installedOnly && s.Owned != NoNode && !s.Keeps() {
			s.Cands = append(s.Cands, Candidate{ID: -1})
		}
	}
}

// Candidates are listed once for each distinct query. All lists together may have listedForEach
// candidates for each bundle of the limit, and always alwaysListed.
const (
	listedForEach = 8
	alwaysListed  = 1 << 20
)

// count counts listed candidates, and exhausts the budget at the limit.
func (l *lister) count(n int) {
	l.listed += n
	limit := l.u.Budget.Limits.Bundles
	if limit < 0 {
		return
	}
	if limit = max(alwaysListed, listedForEach*limit); l.listed > limit {
		l.u.Budget.Exhaust(ResourceBundles, uint64(limit))
	}
}

// query is everything that determines the candidates of a demand. Demands with equal queries
// share one list.
type query struct {
	pkg, channels, start, versions, pin, in string
	catalog                                 cache.Key // the zero Key means all
	owned                                   NodeID
	held, narrowed, anyVersion              bool
}

// fewDemands is the number of demands below which sharing lists is not worth the comparison.
const fewDemands = 8

// share reuses the candidates of an earlier demand with the same query. It reports whether there
// is one.
func (l *lister) share(s *Demand) bool {
	if len(l.d.List) < fewDemands {
		return false
	}
	q := query{pkg: s.Package, channels: strings.Join(s.Channels, "\x00"), start: s.StartingCSV, pin: s.Pin, owned: s.Owned, held: s.Hold != ""}
	if s.Range != nil {
		q.versions = s.Range.String()
	}
	if s.Catalog != nil {
		q.catalog = *s.Catalog
	}
	if x := s.Extension; x != nil {
		q.versions, q.in, q.narrowed, q.anyVersion = x.Range, fmt.Sprint(x.In), x.Narrowed, x.AnyVersion
	}
	first, known := l.first[q]
	if !known {
		if l.first == nil {
			l.first = make(map[query]int32)
		}
		l.first[q] = s.Index
		return false
	}
	same := &l.d.List[first]
	s.Shared, same.Shared = true, true
	s.Scanned, s.Cands, s.Pkgs, s.List = slices.Clip(same.Scanned), slices.Clip(same.Cands), slices.Clip(same.Pkgs), same.List
	s.Extension = same.Extension
	return true
}

// scanChannels lists the channels that a subscription scans: best catalog first, then
// the default channel of the package, then by name (step 1).
func (l *lister) scanChannels(s *Demand) {
	for c := range l.u.Cats {
		if s.Catalog != nil && l.u.Cats[c].Key != *s.Catalog {
			continue
		}
		pkg := l.u.Cats[c].Content.Package(s.Package)
		if pkg == nil {
			continue
		}
		for _, ch := range pkg.Channels {
			if len(s.Channels) == 0 {
				s.Scanned = append(s.Scanned, ScannedChannel{int32(c), ch})
			}
		}
		for _, name := range s.Channels {
			if ch := pkg.Channel(name); ch != nil {
				s.Scanned = append(s.Scanned, ScannedChannel{int32(c), ch})
			}
		}
	}
	l.count(len(s.Scanned))
}

// listCandidates builds the ordered list of steps 2 to 5.
func (l *lister) listCandidates(s *Demand) {
	if s.Owned != NoNode && l.u.Rules.Stay {
		s.Cands = append(s.Cands, Candidate{ID: -1})
	}
	for _, in := range s.Scanned {
		l.addFrom(s, in)
	}
	if s.Owned != NoNode && !s.Keeps() {
		s.Cands = append(s.Cands, Candidate{ID: -1})
	}
	if s.HeldBack() && !l.u.KeepExcluded {
		s.Cands = []Candidate{{ID: -1}}
	}
	if l.u.Rules.AvoidDeprecated {
		l.avoid(s)
	}
	if l.u.KeepExcluded && s.Owned == NoNode {
		l.addQuarantined(s)
	}
	if len(s.Scanned) > 1 { // the entries of one channel are distinct
		s.Cands = l.distinct(s.Cands)
	}
	if s.Pin != "" {
		s.Cands = slices.DeleteFunc(s.Cands, func(c Candidate) bool { return l.bundleOf(s, c).Name != s.Pin })
	}
}

// avoid moves the candidates that an olm.deprecations blob names behind the others. Lower versions
// stay behind the installed bundle: a deprecation never causes a downgrade.
func (l *lister) avoid(s *Demand) {
	own, back := slices.IndexFunc(s.Cands, func(c Candidate) bool { return c.ID < 0 }), []Candidate(nil)
	if own >= 0 && !l.u.Nodes[s.Owned].Unversioned {
		installed := *l.u.Nodes[s.Owned].Bundle.Version
		lower := func(c Candidate) bool { return l.bundleOf(s, c).Version.LT(installed) }
		rest := s.Cands[: own+1 : own+1]
		for _, c := range s.Cands[own+1:] {
			if lower(c) {
				back = append(back, c)
			} else {
				rest = append(rest, c)
			}
		}
		s.Cands = rest
	}
	for _, list := range [][]Candidate{s.Cands, back} {
		slices.SortStableFunc(list, func(a, b Candidate) int {
			return First(!l.avoidedAsDeprecated(s, a), !l.avoidedAsDeprecated(s, b))
		})
	}
	s.Cands = append(s.Cands, back...)
}

// bundleOf returns the bundle of a candidate.
func (l *lister) bundleOf(s *Demand, c Candidate) *graph.Bundle {
	if c.ID < 0 {
		return l.u.Nodes[s.Owned].Bundle
	}
	return l.u.Cats[c.Cat].Content.Bundle(c.ID)
}

// addQuarantined appends the candidates that a new subscription would have if nothing were
// quarantined.
func (l *lister) addQuarantined(s *Demand) {
	for _, in := range s.Scanned {
		entries := in.Channel.Entries
		if s.StartingCSV != "" { // no other entry is a candidate
			entries = nil
			if e := in.Channel.Entry(s.StartingCSV); e != nil {
				entries = []graph.Entry{*e}
			}
		}
		for _, e := range entries {
			if l.u.Budget.Step() {
				return
			}
			if e.Bundle == nil {
				continue
			}
			if s.Drops(l.u, in.Channel, e.Bundle) == dropNone && l.u.QuarantineOf(in.Cat, e.Bundle) != nil {
				s.Cands = append(s.Cands, Candidate{in.Cat, e.Bundle.ID, in.Channel})
			}
		}
	}
}

// addFrom appends the candidates of one channel, in the order of the policy. If the channel offers
// the entry of the installed bundle itself, because every entry is offered or because its own
// skipRange contains it, the installed bundle takes its place: an operator at the head stays there.
func (l *lister) addFrom(s *Demand, in ScannedChannel) {
	start := len(s.Cands)
	s.Cands = slices.Grow(s.Cands, min(len(in.Channel.Entries), 32))
	for b := range s.offered(in.Channel) {
		if l.u.Budget.Step() {
			return
		}
		switch {
		case s.Drops(l.u, in.Channel, b) != dropNone:
		case !s.IsOwn(l.u, b):
			s.Cands = append(s.Cands, Candidate{in.Cat, b.ID, in.Channel})
		case !s.Keeps():
			s.Cands = append(s.Cands, Candidate{ID: -1})
		}
	}
	l.count(len(s.Cands) - start)
	switch {
	case l.u.Rules.Oldest:
		slices.Reverse(s.Cands[start:])
	case l.u.Rules.Nearest && s.Owned != NoNode:
		l.nearest(s, s.Cands[start:])
	}
}

// nearest orders candidates, given from the head down: lowest first, but those lower than the
// installed bundle last, highest first.
func (l *lister) nearest(s *Demand, cands []Candidate) {
	lower := func(c Candidate) bool {
		own := &l.u.Nodes[s.Owned]
		return !own.Unversioned && l.bundleOf(s, c).Version.LT(*own.Bundle.Version)
	}
	slices.SortStableFunc(cands, func(a, b Candidate) int { return First(!lower(a), !lower(b)) })
	if n := slices.IndexFunc(cands, lower); n >= 0 {
		cands = cands[:n]
	}
	slices.Reverse(cands)
}

// Successor returns the bundle that a subscription to a channel upgrades its installed bundle to
// if nothing else constrains it: the first candidate that is not marked olm.deprecated. It is nil
// if the installed bundle stays.
func Successor(b *graph.Bundle, ch *graph.Channel) *graph.Bundle {
	for _, e := range ch.Chain() { // nearest to the head first
		switch {
		case !e.Candidate() || !e.Upgrades(b.Name, *b.Version):
		case e.Name == b.Name: // the installed bundle takes the place of its entry
			return nil
		case !e.Bundle.Barred:
			return e.Bundle
		}
	}
	return nil
}

// offered yields the candidates of a channel, nearest to the head first. With a startingCSV it
// yields that one alone.
func (d *Demand) offered(ch *graph.Channel) iter.Seq[*graph.Bundle] {
	return func(yield func(*graph.Bundle) bool) {
		if d.Owned == NoNode && d.StartingCSV != "" {
			if e := ch.Entry(d.StartingCSV); len(ch.Chain()) > 0 && e != nil && e.Candidate() {
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

// distinct removes all but the first candidate for each bundle.
func (l *lister) distinct(cands []Candidate) []Candidate {
	if l.seen == nil {
		l.seen = make(map[nodeKey]struct{}, len(cands))
	}
	clear(l.seen)
	return slices.DeleteFunc(cands, func(c Candidate) bool {
		if c.ID < 0 {
			return false
		}
		before := len(l.seen)
		l.seen[nodeKey{c.Cat, c.ID}] = struct{}{}
		return len(l.seen) == before
	})
}

// listPackages sets the packages of the candidates and of the installed bundle, usually one.
func (l *lister) listPackages(s *Demand) {
	last := ""
	for _, c := range s.Cands {
		name := l.bundleOf(s, c).Package
		if name == last {
			continue
		}
		last = name
		if id := l.u.pkgID(name); !slices.Contains(s.Pkgs, id) {
			s.Pkgs = append(s.Pkgs, id)
		}
	}
	if s.Owned != NoNode {
		if id := l.u.Nodes[s.Owned].Pkg; !slices.Contains(s.Pkgs, id) {
			s.Pkgs = append(s.Pkgs, id)
		}
	}
}

// avoidedAsDeprecated is AvoidedAsDeprecated for a candidate of a subscription, in the channel
// that the candidate comes from.
func (l *lister) avoidedAsDeprecated(s *Demand, c Candidate) bool {
	n, channel := s.Owned, s.SoleChannel()
	if c.ID >= 0 {
		n, channel = l.u.NodeOf(c.Cat, c.ID), c.Channel.Name
	}
	if l.u.Nodes[n].Inst >= 0 {
		if recorded := l.u.Channels[l.u.Nodes[n].Inst]; recorded != "" {
			channel = recorded
		}
	}
	return l.u.DeprecationOf(n, channel).Named
}

// addGroup makes the candidates of a demand that owns an installed bundle mutually exclusive
// (section 5). If all are of one package, the rule of one bundle per package does that already.
func (d *Demands) addGroup(u *Universe, s *Demand) {
	if s.Owned == NoNode || len(s.Pkgs) < 2 {
		return
	}
	if d.exclusive == nil {
		d.exclusive = make(map[NodeID][]int32)
	}
	s.Group = int32(len(d.Groups))
	members := s.Exclusive(u)
	d.Groups, d.groupOf = append(d.Groups, members), append(d.groupOf, s.Index)
	for _, n := range members {
		d.exclusive[n] = append(d.exclusive[n], s.Group)
	}
}
