package core

import (
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// rotation finds facts of every minimal core without a solver call for each (recursive model
// rotation, Belov and Marques-Silva, 2011). A model that satisfies all facts but one shows that this
// one cannot be dropped. Flipping a single bundle in it often makes another fact the only violated
// one; that one cannot be dropped either.
type rotation struct {
	p      *problem.Problem
	f      *formula.Formula
	keys   []formula.Fact
	index  map[sat.Lit]int32  // of each guard: its fact
	about  [][]problem.NodeID // by fact: the bundles that it depends on
	facts  [][]int32          // by bundle: the facts that depend on it
	latest []int32            // by bundle: the last fact that was found to depend on it, from 1

	value []bool // by bundle
	held  []bool // by fact: it is among those that cannot all hold
	found []bool // by fact: it cannot be dropped
	out   []sat.Lit
	way   []flip // path from the latest model to the current one
	work  int    // steps left; beyond them the solver is used
}

// rotationWork is the initial number of steps of a rotation. Rotation must not cost more than the
// solver calls that it saves, so each saved call adds one step for each clause, the least that a call
// takes.
const rotationWork = 20_000_000

// flip is a change of one bundle in a model with a single violated fact: the next bundle that this
// fact depends on.
type flip struct {
	missing int32
	next    int // index among the bundles that the fact depends on
}

// newRotation prepares for the facts of an excerpt.
func newRotation(p *problem.Problem, f *formula.Formula, keys []formula.Fact) *rotation {
	bundles := len(p.Universe.Nodes)
	r := &rotation{p: p, f: f, keys: keys, index: make(map[sat.Lit]int32, len(keys)), about: make([][]problem.NodeID, len(keys)),
		facts: make([][]int32, bundles), latest: make([]int32, bundles),
		value: make([]bool, bundles), held: make([]bool, len(keys)), found: make([]bool, len(keys)), work: rotationWork}
	packages, gvks := f.ByPlace()
	for i, k := range keys {
		if p.Budget.Step(); r.exhausted() {
			return r
		}
		r.index[f.Guard[k]] = int32(i)
		switch k.Kind {
		case formula.FactPackage:
			r.depends(i, packages[k.A])
		case formula.FactGVK:
			r.depends(i, gvks[k.A])
		case formula.FactConstraint:
			n := problem.NodeID(k.A)
			r.depends(i, []problem.NodeID{n})
			for a, banned := range p.Requirements(n)[k.B].Goal.Atoms() {
				if banned {
					r.depends(i, f.Matching(a))
				} else {
					r.depends(i, p.Universe.AllMatches(a))
				}
			}
		default:
			r.depends(i, formula.NodesOf(p, k))
		}
	}
	return r
}

// exhausted reports whether the rotation must stop. Its results so far are valid.
func (r *rotation) exhausted() bool { return r.work < 0 || r.p.Budget.Stopped() }

// depends records that a fact depends on those of some bundles that have a literal.
func (r *rotation) depends(i int, nodes []problem.NodeID) {
	for _, n := range nodes {
		if r.work--; r.work < 0 {
			return
		}
		if n == problem.NoNode || r.f.Literal[n] == 0 || int(r.latest[n]) > i {
			continue
		}
		r.latest[n] = int32(i + 1)
		r.about[i] = append(r.about[i], n)
		r.facts[n] = append(r.facts[n], int32(i))
	}
}

// also implements sat.MinimizeOptions.Also.
func (r *rotation) also(needed sat.Lit, others []sat.Lit) []sat.Lit {
	if r.exhausted() {
		return nil
	}
	for n := range r.value {
		r.value[n] = r.f.Has(problem.NodeID(n))
	}
	clear(r.held)
	for _, l := range others {
		r.held[r.index[l]] = true
	}
	missing := r.index[needed]
	r.held[missing], r.found[missing] = true, true
	r.out = r.out[:0]
	if start := r.onlyFailing(missing); start >= 0 {
		if !r.found[start] {
			r.found[start] = true
			r.out = append(r.out, r.f.Guard[r.keys[start]])
		}
		r.rotate(start)
	}
	return r.out
}

// onlyFailing returns the only violated fact in a model of all facts but one, -1 if there are two. It
// is the missing fact, unless that is a subscription on hold: the clauses of the hold do not bind
// without it, so the model may violate the hold and satisfy the subscription.
func (r *rotation) onlyFailing(missing int32) int32 {
	k := r.keys[missing]
	if k.Kind != formula.FactSubscription {
		return missing
	}
	hold, ok := r.index[r.f.Guard[formula.Fact{Kind: formula.FactHold, A: k.A}]]
	switch {
	case !ok || !r.held[hold] || r.holds(hold):
		return missing
	case r.holds(missing):
		return hold
	default:
		return -1
	}
}

// rotate flips bundles to make another fact the only violated one, and continues from that model.
// It keeps its path in a list instead of recursing, because the path may be as long as the facts.
func (r *rotation) rotate(missing int32) {
	r.way = append(r.way[:0], flip{missing: missing})
	for len(r.way) > 0 && !r.exhausted() {
		r.p.Budget.Step()
		last := &r.way[len(r.way)-1]
		about := r.about[last.missing]
		if last.next > 0 { // undo the previous flip
			n := about[last.next-1]
			r.value[n] = !r.value[n]
		}
		n, more := r.toFlip(last)
		if !more {
			r.way = r.way[:len(r.way)-1]
			continue
		}
		r.value[n] = !r.value[n]
		if next := r.onlyMissing(n); next >= 0 && !r.found[next] {
			r.found[next] = true
			r.out = append(r.out, r.f.Guard[r.keys[next]])
			r.work += r.f.Clauses()
			r.way = append(r.way, flip{missing: next})
		}
	}
}

// toFlip returns the next bundle whose flip could satisfy the fact.
func (r *rotation) toFlip(last *flip) (n problem.NodeID, more bool) {
	about := r.about[last.missing]
	kind := r.keys[last.missing].Kind
	exclusive := kind == formula.FactPackage || kind == formula.FactGVK
	for last.next < len(about) {
		n = about[last.next]
		last.next++
		if !exclusive || r.value[n] {
			return n, true
		}
	}
	return 0, false
}

// onlyMissing returns the only violated fact among those that depend on a bundle, -1 if there is
// none or several.
func (r *rotation) onlyMissing(n problem.NodeID) int32 {
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
	about := r.about[i]
	r.work -= 1 + len(about)
	r.p.Budget.Step()
	return r.f.Holds(r.keys[i], about, r.has)
}

// has reports whether a bundle is in the model.
func (r *rotation) has(n problem.NodeID) bool { return r.value[n] }
