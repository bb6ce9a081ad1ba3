package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// rotation is model rotation: it finds out which facts cannot be dropped without asking the solver for each
// of them (recursive model rotation, Belov and Marques-Silva, 2011). A model that
// has all facts but one shows that this one cannot be dropped. Changing a single
// bundle in it often leaves another fact as the only one that does not hold; then
// that one cannot be dropped either.
type rotation struct {
	p       *problem
	f       *formula
	keys    []fact
	index   map[sat.Lit]int32 // of each guard: its fact
	about   [][]nodeID        // by fact: the bundles that it depends on
	facts   [][]int32         // by bundle: the facts that depend on it
	matches map[*atom][]nodeID
	latest  []int32 // by bundle: the last fact that was found to depend on it, from 1

	value []bool // by bundle
	held  []bool // by fact: it is among those that cannot all hold
	found []bool // by fact: it cannot be dropped
	out   []sat.Lit
	work  int // steps that may still be made; then the solver is asked after all
}

// rotationWork bounds the steps of a rotation: what it finds out saves solver calls, and
// must not cost more than they do.
const rotationWork = 20_000_000

// newRotation prepares for the facts of an excerpt.
func newRotation(p *problem, f *formula, keys []fact) *rotation {
	bundles := f.Bundles()
	r := &rotation{p: p, f: f, keys: keys, index: make(map[sat.Lit]int32, len(keys)), about: make([][]nodeID, len(keys)),
		facts: make([][]int32, bundles), latest: make([]int32, bundles), matches: make(map[*atom][]nodeID),
		value: make([]bool, bundles), held: make([]bool, len(keys)), found: make([]bool, len(keys)), work: rotationWork}
	packages, gvks := f.byPlace()
	for i, k := range keys {
		if p.tick(); r.spent() {
			return r
		}
		r.index[f.Guard(k)] = int32(i)
		switch k.kind {
		case factPackage:
			r.depends(i, packages[k.a]...)
		case factGVK:
			r.depends(i, gvks[k.a]...)
		case factConstraint:
			r.depends(i, nodeID(k.a))
			r.dependsOnGoal(i, p.requirements(nodeID(k.a))[k.b].goal, p.anyList)
		default:
			r.depends(i, f.nodesOf(k)...)
		}
	}
	return r
}

// spent reports that there is to be no more rotating. What is found by then holds.
func (r *rotation) spent() bool { return r.work < 0 || r.p.stopped() }

// depends notes that a fact depends on bundles, of those that have a literal.
func (r *rotation) depends(i int, nodes ...nodeID) {
	for _, n := range nodes {
		if r.work--; r.work < 0 {
			return
		}
		if n == noNode || r.f.Literal(n) == 0 || int(r.latest[n]) > i {
			continue
		}
		r.latest[n] = int32(i + 1)
		r.about[i] = append(r.about[i], n)
		r.facts[n] = append(r.facts[n], int32(i))
	}
}

func (r *rotation) dependsOnGoal(i int, g *goal, matching func(*atom) []nodeID) {
	switch g.kind {
	case goalAtom:
		r.depends(i, matching(g.atom)...)
	case goalBan:
		matching = r.prohibited
	}
	for _, k := range g.kids {
		r.dependsOnGoal(i, k, matching)
	}
}

// prohibited lists the bundles that match an atom, candidates or not.
func (r *rotation) prohibited(a *atom) []nodeID {
	list, ok := r.matches[a]
	if !ok {
		for n := nodeID(0); int(n) < len(r.value); n++ {
			if r.f.Literal(n) != 0 && r.p.matches(a, n) {
				list = append(list, n)
			}
		}
		r.matches[a] = list
	}
	return list
}

// also is for sat.MinimizeOptions.
func (r *rotation) also(needed sat.Lit, others []sat.Lit) []sat.Lit {
	if r.spent() {
		return nil
	}
	for n := range r.value {
		r.value[n] = r.f.Has(nodeID(n))
	}
	clear(r.held)
	for _, l := range others {
		r.held[r.index[l]] = true
	}
	missing := r.index[needed]
	r.held[missing], r.found[missing] = true, true
	r.out = r.out[:0]
	r.rotate(missing)
	return r.out
}

// rotate tries to have another fact be the only one that does not hold.
func (r *rotation) rotate(missing int32) {
	if r.p.tick(); r.p.stopped() {
		return
	}
	exclusive := r.keys[missing].kind == factPackage || r.keys[missing].kind == factGVK
	for _, n := range r.about[missing] {
		if exclusive && !r.value[n] {
			continue
		}
		if r.spent() {
			return
		}
		r.value[n] = !r.value[n]
		if next := r.onlyMissing(n); next >= 0 && !r.found[next] {
			r.found[next] = true
			r.out = append(r.out, r.f.Guard(r.keys[next]))
			r.rotate(next)
		}
		r.value[n] = !r.value[n]
	}
}

// onlyMissing returns the one fact among those that depend on a bundle that does
// not hold, or -1 if there is none or several.
func (r *rotation) onlyMissing(n nodeID) int32 {
	missing := int32(-1)
	for _, i := range r.facts[n] {
		if !r.held[i] || r.holds(i) {
			continue
		}
		if missing >= 0 {
			return -1
		}
		missing = i
	}
	return missing
}

// holds reports whether a fact holds.
func (r *rotation) holds(i int32) bool {
	k, about := r.keys[i], r.about[i]
	r.work -= 1 + len(about)
	r.p.tick()
	switch k.kind {
	case factSubscription:
		return r.count(r.p.allCandidates(&r.p.subs[k.a])) > 0 && (r.p.subs[k.a].owned == noNode || r.p.heldBack(&r.p.subs[k.a]) || r.count(about) < 2)
	case factInstalled, factForced, factHold: // a hold without its subscription holds as well: this asks for more
		return r.count(about) > 0
	case factPackage, factGVK:
		if r.p.lenient != nil {
			return !r.p.crowded(about, func(n nodeID) bool { return r.value[n] })
		}
		return r.count(about) < 2
	case factConstraint:
		return !r.value[k.a] || r.holdsGoal(r.p.requirements(nodeID(k.a))[k.b].goal, nodeID(k.a), r.p.anyList)
	case factForbidden, factDeprecated, factIncompatible, factQuarantined:
		return r.count(about) == 0
	default:
		return true
	}
}

func (r *rotation) holdsGoal(g *goal, from nodeID, matching func(*atom) []nodeID) bool {
	holds := func(k *goal) bool { return r.holdsGoal(k, from, matching) }
	switch g.kind {
	case goalAtom:
		return r.count(matching(g.atom)) > 0
	case goalAll:
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !holds(k) })
	case goalAny:
		return slices.ContainsFunc(g.kids, holds)
	case goalBan:
		return !r.holdsGoal(g.kids[0], from, func(a *atom) []nodeID {
			list := r.prohibited(a)
			if r.f.tolerant(from) {
				list = slices.DeleteFunc(slices.Clone(list), r.p.isLenient)
			}
			return list
		})
	default:
		return g.kind == goalTrue
	}
}

// count returns how many of some bundles are in the model.
func (r *rotation) count(nodes []nodeID) int {
	c := 0
	for _, n := range nodes {
		if r.value[n] {
			c++
		}
	}
	return c
}
