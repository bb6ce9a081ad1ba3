package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// rotor finds out which facts cannot be dropped without asking the solver for each
// of them (recursive model rotation, Belov and Marques-Silva, 2011). A model that
// has all facts but one shows that this one cannot be dropped. Changing a single
// bundle in it often leaves another fact as the only one that does not hold; then
// that one cannot be dropped either.
type rotor struct {
	f       *formula
	keys    []factKey
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

// rotorWork bounds the steps of a rotor: what it finds out saves solver calls, and
// must not cost more than they do.
const rotorWork = 20_000_000

// newRotor prepares for the facts of an excerpt.
func newRotor(f *formula, keys []factKey) *rotor {
	r := &rotor{f: f, keys: keys, index: make(map[sat.Lit]int32, len(keys)), about: make([][]nodeID, len(keys)),
		facts: make([][]int32, len(f.lits)), latest: make([]int32, len(f.lits)), matches: make(map[*atom][]nodeID),
		value: make([]bool, len(f.lits)), held: make([]bool, len(keys)), found: make([]bool, len(keys)), work: rotorWork}
	packages, gvks := f.byPlace()
	for i, k := range keys {
		if f.p.tick(); r.spent() {
			return r
		}
		r.index[f.guard[k]] = int32(i)
		switch k.kind {
		case FactPackage:
			r.depends(i, packages[k.a]...)
		case FactGVK:
			r.depends(i, gvks[k.a]...)
		case FactConstraint:
			r.depends(i, nodeID(k.a))
			r.dependsOnGoal(i, f.p.requirements(nodeID(k.a))[k.b].goal, f.p.anyList)
		default:
			r.depends(i, f.nodesOf(k)...)
		}
	}
	return r
}

// spent reports that there is to be no more rotating. What is found by then holds.
func (r *rotor) spent() bool { return r.work < 0 || r.f.p.err != nil }

// depends notes that a fact depends on bundles, of those that have a literal.
func (r *rotor) depends(i int, nodes ...nodeID) {
	for _, n := range nodes {
		if r.work--; r.work < 0 {
			return
		}
		if n == noNode || r.f.lits[n] == 0 || int(r.latest[n]) > i {
			continue
		}
		r.latest[n] = int32(i + 1)
		r.about[i] = append(r.about[i], n)
		r.facts[n] = append(r.facts[n], int32(i))
	}
}

func (r *rotor) dependsOnGoal(i int, g *goal, matching func(*atom) []nodeID) {
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
func (r *rotor) prohibited(a *atom) []nodeID {
	list, ok := r.matches[a]
	if !ok {
		for n, l := range r.f.lits {
			if l != 0 && r.f.p.matches(a, nodeID(n)) {
				list = append(list, nodeID(n))
			}
		}
		r.matches[a] = list
	}
	return list
}

// also is for sat.MinimizeOptions.
func (r *rotor) also(needed sat.Lit, others []sat.Lit) []sat.Lit {
	if r.spent() {
		return nil
	}
	for n, l := range r.f.lits {
		r.value[n] = l != 0 && r.f.s.Value(l)
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
func (r *rotor) rotate(missing int32) {
	if r.f.p.tick(); r.f.p.err != nil {
		return
	}
	exclusive := r.keys[missing].kind == FactPackage || r.keys[missing].kind == FactGVK
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
			r.out = append(r.out, r.f.guard[r.keys[next]])
			r.rotate(next)
		}
		r.value[n] = !r.value[n]
	}
}

// onlyMissing returns the one fact among those that depend on a bundle that does
// not hold, or -1 if there is none or several.
func (r *rotor) onlyMissing(n nodeID) int32 {
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
func (r *rotor) holds(i int32) bool {
	k, about := r.keys[i], r.about[i]
	r.work -= 1 + len(about)
	r.f.p.tick()
	switch k.kind {
	case FactSubscription:
		return r.count(r.f.p.allCandidates(&r.f.p.subs[k.a])) > 0 && (r.f.p.subs[k.a].owned == noNode || r.f.p.heldBack(&r.f.p.subs[k.a]) || r.count(about) < 2)
	case FactInstalled, FactForced, FactHold: // a hold without its subscription holds as well: this asks for more
		return r.count(about) > 0
	case FactPackage, FactGVK:
		if r.f.p.lenient != nil {
			return !r.f.p.crowded(about, func(n nodeID) bool { return r.value[n] })
		}
		return r.count(about) < 2
	case FactConstraint:
		return !r.value[k.a] || r.holdsGoal(r.f.p.requirements(nodeID(k.a))[k.b].goal, nodeID(k.a), r.f.p.anyList)
	case FactForbidden, FactDeprecated, FactIncompatible, FactQuarantined:
		return r.count(about) == 0
	default:
		return true
	}
}

func (r *rotor) holdsGoal(g *goal, from nodeID, matching func(*atom) []nodeID) bool {
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
				list = slices.DeleteFunc(slices.Clone(list), r.f.p.isLenient)
			}
			return list
		})
	default:
		return g.kind == goalTrue
	}
}

// count returns how many of some bundles are in the model.
func (r *rotor) count(nodes []nodeID) int {
	c := 0
	for _, n := range nodes {
		if r.value[n] {
			c++
		}
	}
	return c
}
