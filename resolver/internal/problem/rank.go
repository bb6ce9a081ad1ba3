package problem

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
)

// First orders true before false.
func First(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// Candidates is the list of the bundles that match an atom, in the order of section 4 for a bundle
// of the own catalog. Catalogs number their bundles in the order of rules 5 to 7, so the list is
// drawn lazily from their indexes: most resolutions need only the first candidate. Goals and
// policies that change the order require a full sort.
type Candidates struct {
	atom  *Atom
	own   int32
	also  *Candidates // the next list of the same atom, for another own catalog
	nodes []NodeID
	few   [2]NodeID // initial backing array of nodes

	src   source
	next  int32
	turn  int32 // number of exhausted catalogs
	fresh bool  // src is not set yet
	done  bool
}

// catalog returns the catalog to draw from: the own one first, then the others, best first. It
// returns false if none is left.
func (l *Candidates) catalog(n int) (int32, bool) {
	if int(l.turn) >= n {
		return NoCatalog, false
	}
	switch at := l.turn; {
	case l.own == NoCatalog || at > l.own:
		return at, true
	case at == 0:
		return l.own, true
	default:
		return at - 1, true
	}
}

// CandidatesOf returns the list of an atom for bundles of a catalog. The order for the best catalog
// is the same as for none.
func (u *Universe) CandidatesOf(a *Atom, own int32) *Candidates {
	if own == 0 {
		own = NoCatalog
	}
	for l := a.lists; l != nil; l = l.also {
		if l.own == own {
			return l
		}
	}
	l := &Candidates{atom: a, own: own, fresh: true}
	l.nodes = l.few[:0]
	for _, n := range u.Installed(a) {
		if n != NoNode && u.Matches(a, n) {
			l.nodes = append(l.nodes, n)
		}
	}
	if len(l.nodes) > 1 {
		slices.SortStableFunc(l.nodes, u.Ranking(own).Compare)
	}
	if u.ranked {
		for u.draw(l) {
		}
		slices.SortStableFunc(l.nodes, u.Ranking(own).Compare)
	}
	switch {
	case u.Budget.Stopped(): // the list may be incomplete
	case a.lists == nil:
		a.lists = l
	default:
		l.also, a.lists.also = a.lists.also, l
	}
	return l
}

// At returns the i-th candidate, drawing as many as needed.
func (u *Universe) At(l *Candidates, i int) (NodeID, bool) {
	for len(l.nodes) <= i {
		if !u.draw(l) {
			return NoNode, false
		}
	}
	return l.nodes[i], true
}

// All returns the whole list.
func (u *Universe) All(l *Candidates) []NodeID {
	if l.done {
		return l.nodes
	}
	for u.draw(l) {
		if more := len(l.src.ids) - int(l.next); len(l.nodes) == cap(l.nodes) && more > 0 {
			l.nodes = slices.Grow(l.nodes, min(more, fewCandidates))
		}
	}
	return l.nodes
}

// AllMatches returns all bundles that match an atom, in the order of an arbitrary own catalog.
func (u *Universe) AllMatches(a *Atom) []NodeID {
	l := a.lists
	if l == nil {
		l = u.CandidatesOf(a, NoCatalog)
	}
	return u.All(l)
}

// draw appends the next match and reports whether there was one.
func (u *Universe) draw(l *Candidates) bool {
	for !l.done && !u.Budget.Stopped() {
		cat, more := l.catalog(len(u.Cats))
		if !more {
			l.done = true
			return false
		}
		content := u.Cats[cat].Content
		if l.fresh {
			l.src, l.next, l.fresh = narrower{content, u.apis}.narrow(l.atom.Constraint), 0, false
		}
		id, ok := l.src.at(int(l.next), content.Len())
		if !ok || int(id) >= content.Choosable() && !u.KeepExcluded && !u.Rules.AllDeclared {
			l.turn, l.fresh = l.turn+1, true
			continue
		}
		l.next++
		u.Budget.Step()
		b := content.Bundle(id)
		a := l.atom // a tested atom is evaluated below, on the node
		if a.Kind == AtomPackage && !a.Want.Range.Contains(*b.Version) || !u.choosable(b) && (!u.KeepExcluded || u.QuarantineOf(cat, b) == nil) {
			continue
		}
		n := u.NodeOf(cat, id)
		switch {
		case a.Kind != AtomTested || u.Matches(a, n):
			l.nodes = append(l.nodes, n)
			return true
		case u.Budget.Stopped(): // not evaluated: the next draw retries it
			l.next--
		}
	}
	return false
}

// Ranking compares candidates by section 4 for bundles of the own catalog.
type Ranking struct {
	p   *Universe
	own int32
}

// Ranking returns the ranking for bundles of a catalog.
func (u *Universe) Ranking(own int32) Ranking { return Ranking{u, own} }

// Compare orders two candidates; negative means that a is the better one.
func (r Ranking) Compare(a, b NodeID) int {
	p := r.p
	x, y := &p.Nodes[a], &p.Nodes[b]
	if p.Rules.AvoidDeprecated {
		if c := First(!p.AvoidedAsDeprecated(a), !p.AvoidedAsDeprecated(b)); c != 0 {
			return c
		}
	}
	if c := First(x.Inst >= 0, y.Inst >= 0); c != 0 { // rule 1
		return c
	}
	if p.Rules.AllDeclared && x.Inst < 0 { // section 13: bundles that a channel offers first
		if c := First(len(x.Bundle.Places) > 0, len(y.Bundle.Places) > 0); c != 0 {
			return c
		}
	}
	if c := First(x.Cat == r.own && r.own != NoCatalog, y.Cat == r.own && r.own != NoCatalog); c != 0 { // rule 2
		return c
	}
	if x.Cat != y.Cat { // rules 3 and 4; an unknown catalog comes last
		return cmp.Compare(uint32(x.Cat), uint32(y.Cat))
	}
	if x.Inst >= 0 {
		return r.compareInstalled(x, y)
	}
	if !p.Rules.Oldest && !p.Rules.AvoidDeprecated && !p.Rules.AllDeclared { // rules 5 to 7 are how catalogs number their bundles
		return cmp.Compare(x.Bundle.ID, y.Bundle.ID)
	}
	return p.comparePlaces(x.Bundle, y.Bundle)
}

// compareInstalled orders installed bundles of one catalog: by package and channel of rule 6, then
// in the order of the request.
func (r Ranking) compareInstalled(x, y *Node) int {
	in := r.p.Channels
	return cmp.Or(
		strings.Compare(x.Bundle.Package, y.Bundle.Package),
		strings.Compare(in[x.Inst], in[y.Inst]),
		cmp.Compare(x.Inst, y.Inst))
}

// comparePlaces applies rules 5 to 7 to two bundles of one catalog.
func (u *Universe) comparePlaces(x, y *graph.Bundle) int {
	a, aok := u.BestPlace(x)
	b, bok := u.BestPlace(y)
	if !aok || !bok {
		if u.Rules.AllDeclared && aok == bok {
			return cmp.Or(strings.Compare(x.Package, y.Package), compareDeclared(x, y), cmp.Compare(x.ID, y.ID))
		}
		return cmp.Or(First(aok, bok), cmp.Compare(x.ID, y.ID))
	}
	towardsHead := cmp.Compare(a.Position, b.Position)
	if u.Rules.Oldest {
		towardsHead = -towardsHead
	}
	return cmp.Or(
		First(a.Channel.Default(), b.Channel.Default()),
		strings.Compare(x.Package, y.Package),
		strings.Compare(a.Channel.Name, b.Channel.Name),
		towardsHead, // rule 7
		cmp.Compare(x.ID, y.ID))
}

// BestPlace returns the best place of a bundle under the policy.
func (u *Universe) BestPlace(b *graph.Bundle) (graph.Place, bool) {
	if len(b.Places) == 0 {
		return graph.Place{}, false
	}
	best := b.Places[0]
	named := b.Deprecated || best.Channel.Package.Deprecated // then all places are deprecated
	if u.Rules.AvoidDeprecated && !named {
		for _, pl := range b.Places[1:] {
			if best.Channel.Deprecated && !pl.Channel.Deprecated {
				best = pl
			}
		}
	}
	return best, true
}
