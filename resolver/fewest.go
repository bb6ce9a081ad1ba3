package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// The effort spent on looking for a set of facts with fewer bundles, in solver
// calls and in steps of the search for hitting sets. Beyond it the best set so
// far is used: it is minimal in any case.
const (
	fewestSolves = 400
	fewestSteps  = 20_000
)

// bundleOf returns the bundle that a fact involves, noNode if none: such facts
// cost nothing.
func (e *explainer) bundleOf(k factKey) nodeID {
	switch k.kind {
	case FactInstalled:
		return e.p.inst[k.a]
	case FactConstraint, FactDeprecated:
		return nodeID(k.a)
	default:
		return noNode
	}
}

// fewestBundles finds a minimal set of facts that involves the fewest bundles. It
// starts from a minimal set. Bundles without which the rest of all facts is
// satisfiable are in every such set; mostly these are all there are, and the
// given set is the best. Otherwise the others are found as a smallest hitting set
// of correction sets (the implicit hitting set algorithm for smallest unsatisfiable
// subsets).
func (e *explainer) fewestBundles(found []factKey) []factKey {
	h := &hitter{e: e, start: e.p.solves}
	if !h.prepare(found) {
		return found
	}
	for e.p.err == nil && e.p.solves-h.start < fewestSolves {
		chosen, ok := h.hittingSet()
		if !ok || len(chosen)+len(h.forced) >= h.best {
			break
		}
		if e.unsatisfiable(h.factsOf(chosen)) {
			if set := e.minimize(h.factsOf(chosen)); e.p.err == nil {
				found = set
			}
			break
		}
		if e.p.err != nil || !h.learn(chosen) {
			break
		}
	}
	return found
}

// hitter looks for a smallest set of bundles.
type hitter struct {
	e       *explainer
	start   int
	free    []factKey            // facts that involve no bundle
	groups  map[nodeID][]factKey // the facts of each bundle
	bundles []nodeID             // in the order in which they are reached
	forced  []nodeID             // in every set
	sets    [][]nodeID           // each has to be hit
	best    int                  // bundles in the best set so far
	steps   int
}

// prepare sorts the facts by bundle and finds the forced ones. It reports whether
// a smaller set than the given one is possible at all.
func (h *hitter) prepare(found []factKey) bool {
	e := h.e
	h.groups = make(map[nodeID][]factKey)
	for _, k := range e.facts {
		n := e.bundleOf(k)
		if n == noNode {
			h.free = append(h.free, k)
			continue
		}
		if h.groups[n] == nil {
			h.bundles = append(h.bundles, n)
		}
		h.groups[n] = append(h.groups[n], k)
	}
	slices.Sort(h.bundles)
	var mine []nodeID
	for _, k := range found {
		if n := e.bundleOf(k); n != noNode && !slices.Contains(mine, n) {
			mine = append(mine, n)
		}
	}
	h.best = len(mine)
	for _, n := range mine {
		without := slices.DeleteFunc(slices.Clone(e.facts), func(k factKey) bool { return e.bundleOf(k) == n })
		if e.f.solve(e.guards(without)...) == sat.Satisfiable {
			h.forced = append(h.forced, n)
		}
		if e.p.err != nil || e.p.solves-h.start > fewestSolves {
			return false
		}
	}
	return len(h.forced) < h.best
}

// factsOf lists the free facts and those of the forced and the given bundles, in
// their order.
func (h *hitter) factsOf(chosen []nodeID) []factKey {
	return slices.DeleteFunc(slices.Clone(h.e.facts), func(k factKey) bool {
		n := h.e.bundleOf(k)
		return n != noNode && !slices.Contains(h.forced, n) && !slices.Contains(chosen, n)
	})
}

// learn adds the bundles that have to be left out for the others to be
// satisfiable together with the chosen ones: at least one of them is in every
// set. It follows a solve that found a model.
func (h *hitter) learn(chosen []nodeID) bool {
	kept := append(slices.Clone(h.forced), chosen...)
	left := slices.DeleteFunc(slices.Clone(h.bundles), func(n nodeID) bool { return slices.Contains(kept, n) })
	left = h.absorb(&kept, left)
	for i := 0; i < len(left); {
		e := h.e
		if e.p.solves-h.start >= fewestSolves {
			return false
		}
		try := append(slices.Clone(kept), left[i])
		if e.f.solve(e.guards(h.factsOf(try))...) == sat.Satisfiable {
			kept = try
			left = h.absorb(&kept, slices.Delete(left, i, i+1))
			i = 0
			continue
		}
		if e.p.err != nil {
			return false
		}
		i++
	}
	h.sets = append(h.sets, left)
	return len(left) > 0
}

// absorb moves the bundles whose facts all hold in the current model.
func (h *hitter) absorb(kept *[]nodeID, left []nodeID) []nodeID {
	return slices.DeleteFunc(left, func(n nodeID) bool {
		for _, k := range h.groups[n] {
			if !h.e.f.modelHas(k) {
				return false
			}
		}
		*kept = append(*kept, n)
		return true
	})
}

// hittingSet returns a smallest set of bundles that hits all sets, the first one
// in the order of the bundles; false if it would take too long to find.
func (h *hitter) hittingSet() ([]nodeID, bool) {
	h.steps = 0
	for size := 0; size < h.best; size++ {
		if chosen, ok := h.hit(nil, size); ok {
			slices.Sort(chosen)
			return chosen, true
		}
		if h.steps > fewestSteps {
			break
		}
	}
	return nil, false
}

// hit extends a set of bundles by at most size more to hit all sets.
func (h *hitter) hit(chosen []nodeID, size int) ([]nodeID, bool) {
	if h.steps++; h.steps > fewestSteps {
		return nil, false
	}
	i := slices.IndexFunc(h.sets, func(set []nodeID) bool {
		return !slices.ContainsFunc(set, func(n nodeID) bool { return slices.Contains(chosen, n) })
	})
	if i < 0 {
		return chosen, true
	}
	if size == 0 {
		return nil, false
	}
	for _, n := range h.sets[i] {
		if found, ok := h.hit(append(slices.Clone(chosen), n), size-1); ok {
			return found, true
		}
	}
	return nil, false
}

// modelHas evaluates a fact that involves a bundle in the current model.
func (f *formula) modelHas(k factKey) bool {
	p := f.p
	switch k.kind {
	case FactInstalled:
		return f.s.Value(f.lits[p.inst[k.a]])
	case FactDeprecated:
		return !f.s.Value(f.lits[k.a])
	case FactConstraint:
		return !f.s.Value(f.lits[k.a]) || f.modelHolds(p.requirements(nodeID(k.a))[k.b].goal)
	default:
		return false
	}
}

// modelHolds evaluates a goal in the current model.
func (f *formula) modelHolds(g *goal) bool {
	switch g.kind {
	case goalTrue:
		return true
	case goalAtom:
		for n, l := range f.lits {
			if l != 0 && f.s.Value(l) && f.p.matches(g.atom, nodeID(n)) {
				return true
			}
		}
		return false
	case goalAll:
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !f.modelHolds(k) })
	case goalAny:
		return slices.ContainsFunc(g.kids, f.modelHolds)
	case goalBan:
		return !f.modelHolds(g.kids[0])
	default:
		return false
	}
}
