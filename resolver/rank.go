package resolver

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
)

// compareCatalogs orders catalogs by rules 3 and 4 of section 4.
func compareCatalogs(namespace string, a, b Catalog) int {
	if c := cmp.Compare(b.Priority, a.Priority); c != 0 {
		return c
	}
	if c := first(a.Key.Namespace == namespace, b.Key.Namespace == namespace); c != 0 {
		return c
	}
	return a.Key.Compare(b.Key)
}

// first orders what has a quality before what does not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// candidates is the list of the bundles that match an atom, in the order of
// section 4 as a bundle of one own catalog sees it. Catalogs number their bundles
// in the order of rules 5 to 7, so that the list can be drawn from their indexes
// bundle by bundle, and is: most resolutions look at the first one only. Goals
// and policies that change that order have it sorted as a whole.
type candidates struct {
	atom  *atom
	own   int32
	also  *candidates // the list of the same atom for another catalog
	nodes []nodeID
	few   [2]nodeID // where nodes begins
	done  bool

	turn  int // how many catalogs have been drawn from
	src   source
	next  int
	fresh bool // src is still to be looked up
}

// catalog is the catalog to draw from: the own one first, then the others, the best
// first; false if there is none left.
func (l *candidates) catalog(n int) (int32, bool) {
	if l.turn >= n {
		return noCatalog, false
	}
	switch at := int32(l.turn); {
	case l.own == noCatalog || at > l.own:
		return at, true
	case at == 0:
		return l.own, true
	default:
		return at - 1, true
	}
}

// candidatesOf returns the list of an atom for bundles of a catalog.
func (p *problem) candidatesOf(a *atom, own int32) *candidates {
	for l := a.lists; l != nil; l = l.also {
		if l.own == own {
			return l
		}
	}
	l := p.listSlab.take()
	l.atom, l.own, l.fresh, l.nodes = a, own, true, l.few[:0]
	for _, n := range p.inst {
		if n != noNode && p.matches(a, n) {
			l.nodes = append(l.nodes, n)
		}
	}
	l.nodes = p.appendBeyond(l.nodes, a)
	if len(l.nodes) > 1 {
		slices.SortStableFunc(l.nodes, p.ranking(own).compare)
	}
	if a.lists == nil {
		a.lists = l
	} else {
		l.also, a.lists.also = a.lists.also, l
	}
	if p.ranked {
		for p.draw(l) {
		}
		slices.SortStableFunc(l.nodes, p.ranking(own).compare)
	}
	return l
}

// at returns the i-th candidate, drawing as many as it takes.
func (p *problem) at(l *candidates, i int) (nodeID, bool) {
	for len(l.nodes) <= i {
		if !p.draw(l) {
			return noNode, false
		}
	}
	return l.nodes[i], true
}

// all returns the whole list.
func (p *problem) all(l *candidates) []nodeID {
	for p.draw(l) {
	}
	return l.nodes
}

// anyList returns all bundles that match an atom, in the order in which some bundle
// sees them.
func (p *problem) anyList(a *atom) []nodeID {
	l := a.lists
	if l == nil {
		l = p.candidatesOf(a, noCatalog)
	}
	return p.all(l)
}

// draw appends the next match and reports whether there was one.
func (p *problem) draw(l *candidates) bool {
	for !l.done && p.err == nil {
		cat, more := l.catalog(len(p.cats))
		if !more {
			l.done = true
			return false
		}
		content := p.cats[cat].Content
		if l.fresh {
			l.src, l.next, l.fresh = p.sourceOf(l.atom, cat), 0, false
		}
		id, ok := l.src.at(l.next, content.Len())
		if !ok || int(id) >= content.Choosable() && !p.explaining {
			l.turn, l.fresh = l.turn+1, true
			continue
		}
		l.next++
		p.tick()
		b := content.Bundle(id)
		if !l.atom.plausible(b) || len(b.Places) == 0 && p.quarantineOf(cat, b) == nil {
			continue
		}
		if n := p.node(cat, id); l.atom.kind != atomTested || p.matches(l.atom, n) {
			l.nodes = append(l.nodes, n)
			return true
		}
	}
	return false
}

// ranking compares candidates by section 4, as a bundle of the own catalog does.
type ranking struct {
	p   *problem
	own int32
}

func (p *problem) ranking(own int32) ranking { return ranking{p, own} }

// compare orders two candidates; negative means that a is the better one.
func (r ranking) compare(a, b nodeID) int {
	p := r.p
	x, y := &p.nodes[a], &p.nodes[b]
	if p.req.Policy.Deprecations == DeprecationsAvoid {
		if c := first(!p.shunned(a), !p.shunned(b)); c != 0 {
			return c
		}
	}
	if c := first(x.inst >= 0, y.inst >= 0); c != 0 { // rule 1
		return c
	}
	if c := first(x.cat == r.own && r.own != noCatalog, y.cat == r.own && r.own != noCatalog); c != 0 { // rule 2
		return c
	}
	if x.cat != y.cat { // rules 3 and 4; an unknown catalog is the last
		return cmp.Compare(uint32(x.cat), uint32(y.cat))
	}
	if x.inst >= 0 {
		return r.compareInstalled(x, y)
	}
	if !p.ranked { // rules 5 to 7 are how catalogs number their bundles
		return cmp.Compare(x.bundle.ID, y.bundle.ID)
	}
	return p.comparePlaces(x.bundle, y.bundle)
}

// compareInstalled orders installed bundles of one catalog: by rule 6 as far as it
// is recorded, then as the request lists them.
func (r ranking) compareInstalled(x, y *node) int {
	in := r.p.req.Installed
	return cmp.Or(
		strings.Compare(x.bundle.Package, y.bundle.Package),
		strings.Compare(in[x.inst].Channel, in[y.inst].Channel),
		cmp.Compare(x.inst, y.inst))
}

// comparePlaces applies rules 5 to 7 to two bundles of one catalog.
func (p *problem) comparePlaces(x, y *graph.Bundle) int {
	a, aok := p.bestPlace(x)
	b, bok := p.bestPlace(y)
	if !aok || !bok {
		return cmp.Or(first(aok, bok), cmp.Compare(x.ID, y.ID))
	}
	return cmp.Or(
		first(isDefault(a), isDefault(b)),
		strings.Compare(x.Package, y.Package),
		strings.Compare(a.Channel.Name, b.Channel.Name),
		p.comparePositions(a.Position, b.Position),
		cmp.Compare(x.ID, y.ID))
}

func isDefault(pl graph.Place) bool { return pl.Channel.Name == pl.Channel.Package.DefaultChannel }

// comparePositions is rule 7, which goal Oldest turns around.
func (p *problem) comparePositions(a, b int) int {
	if p.req.Policy.Goal == GoalOldest {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// bestPlace is the best of a bundle's places under the policy.
func (p *problem) bestPlace(b *graph.Bundle) (graph.Place, bool) {
	if len(b.Places) == 0 {
		return graph.Place{}, false
	}
	best := b.Places[0]
	named := b.Deprecated || best.Channel.Package.Deprecated // then all of its places are
	if p.req.Policy.Deprecations == DeprecationsAvoid && !named {
		for _, pl := range b.Places[1:] {
			if best.Channel.Deprecated && !pl.Channel.Deprecated {
				best = pl
			}
		}
	}
	return best, true
}

// shunned reports whether policy AvoidDeprecated puts a candidate last: an
// olm.deprecations blob names its package, the channel of its best place, or
// itself.
func (p *problem) shunned(n nodeID) bool {
	nd := &p.nodes[n]
	if nd.inst >= 0 {
		d, ok := p.deprecationOf(n, p.req.Installed[nd.inst].Channel)
		return ok && d.named
	}
	pl, ok := p.bestPlace(nd.bundle)
	if !ok {
		return false
	}
	d, ok := p.deprecationOf(n, pl.Channel.Name)
	return ok && d.named
}
