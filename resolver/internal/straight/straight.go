// Package straight goes upgrade roads on which every first choice holds, from a cluster
// that has nothing else on it, without deciding anything: section 11 of ALGORITHM.md says
// why that is the same road. Where a first choice does not hold, or where it cannot tell,
// it gives up.
package straight

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/memory"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Roads are the roads of one problem, in which nothing is installed, subscribed to,
// forced or added. What it finds out about bundles serves all roads: it keeps less for
// each than the problem does. It is used by one goroutine.
type Roads struct {
	p       *problem.Problem
	bundles []bundle // by node, as far as they were asked for
	names   map[string]int32
	needers [kinds][][]problem.NodeID // by package or API: who requires it

	cluster
}

// bundle is what is known of a bundle wherever it is.
type bundle struct {
	known bool
	plain bool // it requires nothing but packages and APIs, all of them
	name  int32
	wants []want
	home  *graph.Channel // that it is chosen from as a dependency

	from *graph.Channel // the channel in which next was looked for last
	next problem.NodeID
}

// want is a requirement that is met by one bundle of a cluster at most, for that bundle
// has the package or the API that it is about.
type want struct {
	atom  *problem.Atom
	slot  place
	first problem.NodeID // the best that could meet it, NoNode for none
	drawn bool           // first is known
}

// The kinds of places of which a cluster has one each.
const (
	ofPackage = iota
	ofAPI
	ofName // no cluster can hold two bundles of one name
	kinds
)

// place is something that one bundle of a cluster has alone.
type place struct {
	kind uint8
	id   int32
}

// Road is where a road leads.
type Road struct {
	End     problem.NodeID   // what the subscription owns then
	Rounds  int              // that change something
	Members int              // how many bundles there are then
	Orphans []problem.NodeID // that nothing needs at the end, by package and name
}

// New makes the roads of a problem.
func New(p *problem.Problem) *Roads {
	return &Roads{p: p, names: make(map[string]int32)}
}

// Go follows a subscription to a channel from a bundle, which is installed alone or to be
// installed, in so many rounds at most. It reports false if the road is not straight, as
// far as it can tell, and if the work was stopped.
func (r *Roads) Go(b problem.NodeID, ch *graph.Channel, installed bool, rounds int) (Road, bool) {
	r.leave(r.p, r.bundles)
	offered := slices.ContainsFunc(r.p.Nodes[b].Bundle.Places, func(at graph.Place) bool { return at.Channel == ch })
	if !installed && (!offered || r.p.Nodes[b].Ban != problem.BanNone) || !r.add(b, ch) || !installed && !r.settle() {
		return Road{}, false
	}
	road := Road{End: b}
	for {
		changes, ok := r.round(&road.End)
		switch {
		case !ok || r.p.Stopped():
			return Road{}, false
		case !changes:
			road.Members, road.Orphans = r.count, r.orphans(road.End)
			return road, !r.p.Stopped()
		case road.Rounds == rounds:
			return Road{}, false
		}
		road.Rounds++
	}
}

// of finds out about a bundle.
func (r *Roads) of(n problem.NodeID) *bundle {
	for len(r.bundles) <= int(n) {
		r.bundles = memory.Push(r.bundles, bundle{})
	}
	b := &r.bundles[n]
	if b.known {
		return b
	}
	of := r.p.Nodes[n].Bundle
	name, ok := r.names[of.Name]
	if !ok {
		name = int32(len(r.names))
		r.names[of.Name] = name
	}
	b.known, b.name, b.plain = true, name, of.Quarantine == nil && of.Name != ""
	if at, ok := r.p.BestPlace(of); ok {
		b.home = at.Channel
	}
	for _, req := range r.p.Requirements(n) {
		b.plain = b.require(req.Goal) && b.plain
	}
	for _, w := range b.wants {
		list := &r.needers[w.slot.kind]
		for len(*list) <= int(w.slot.id) {
			*list = memory.Push(*list, nil)
		}
		(*list)[w.slot.id] = append((*list)[w.slot.id], n)
	}
	return b
}

// require adds what a goal wants, and reports whether that is all of it.
func (b *bundle) require(g *problem.Goal) bool {
	switch {
	case g.Kind == problem.GoalAll:
		return !slices.ContainsFunc(g.Kids, func(k *problem.Goal) bool { return !b.require(k) })
	case g.Kind != problem.GoalAtom:
		return g.Kind == problem.GoalTrue
	case g.Atom.Kind == problem.AtomPackage:
		b.wants = append(b.wants, want{atom: g.Atom, slot: place{ofPackage, g.Atom.Pkg}})
	case g.Atom.Kind == problem.AtomGVK:
		b.wants = append(b.wants, want{atom: g.Atom, slot: place{ofAPI, g.Atom.GVK}})
	default:
		return false
	}
	return true
}

// first is the best candidate of a bundle's i-th want that is not barred.
func (r *Roads) first(n problem.NodeID, i int) problem.NodeID {
	w := &r.bundles[n].wants[i]
	if w.drawn {
		return w.first
	}
	w.drawn, w.first = true, problem.NoNode
	list := r.p.CandidatesOf(w.atom, r.p.Nodes[n].Cat)
	for k := 0; ; k++ {
		c, ok := r.p.At(list, k)
		if !ok {
			return w.first
		}
		if r.p.Nodes[c].Ban == problem.BanNone {
			w.first = c
			return c
		}
	}
}

// next is where a subscription to a channel moves a bundle that it owns, mostly nowhere.
func (r *Roads) next(n problem.NodeID, ch *graph.Channel) problem.NodeID {
	if b := &r.bundles[n]; b.from != ch {
		b.from, b.next = ch, r.p.Successor(n, ch)
	}
	return r.bundles[n].next
}

// orphans lists the members that nothing leads to from a bundle.
func (r *Roads) orphans(from problem.NodeID) []problem.NodeID {
	reached, todo := 1, append(r.todo[:0], from)
	r.walk++
	r.reached = slices.Grow(r.reached, max(0, len(r.bundles)-len(r.reached)))[:max(len(r.reached), len(r.bundles))]
	r.reached[from] = r.walk
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := range r.bundles[n].wants {
			r.p.Tick()
			if on := r.has(r.bundles[n].wants[i].slot); r.reached[on] != r.walk {
				r.reached[on] = r.walk
				reached++
				todo = append(todo, on)
			}
		}
	}
	r.todo = todo
	if reached == r.count {
		return nil
	}
	var out []problem.NodeID
	for _, n := range r.members {
		if r.in[n] != nil && r.reached[n] != r.walk {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b problem.NodeID) int {
		x, y := r.p.Nodes[a].Bundle, r.p.Nodes[b].Bundle
		return cmp.Or(strings.Compare(x.Package, y.Package), strings.Compare(x.Name, y.Name))
	})
	return slices.Compact(out)
}
