package core

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// The limits of the search for a set of facts with fewer bundles: solver calls, variables over all of
// these calls, and steps of the search for hitting sets. Beyond them the best set so far is used,
// which is always minimal.
const (
	fewestSolves    = 400
	fewestVariables = 2_000_000
	fewestSteps     = 20_000
)

// bundleOf returns the bundle that a fact involves, NoNode if none: such facts cost nothing.
func (e *Explainer) bundleOf(k formula.Fact) problem.NodeID {
	switch k.Kind {
	case formula.FactInstalled:
		return e.p.Universe.Inst[k.A]
	case formula.FactConstraint, formula.FactDeprecated, formula.FactIncompatible:
		return problem.NodeID(k.A)
	default:
		return problem.NoNode
	}
}

// fewestSolves returns the max number of solver calls for the search. The formula has a variable for
// each reached bundle, and may not be written yet.
func (e *Explainer) fewestSolves() int {
	return min(fewestSolves, fewestVariables/max(e.f.Variables(), len(e.p.Universe.Nodes), 1))
}

// fewestAffords reports whether the limits allow the search for fewer bundles than those of some
// facts.
func (e *Explainer) fewestAffords(facts []formula.Fact) bool {
	bundles, limit := make(map[problem.NodeID]bool), e.fewestSolves()
	for _, k := range facts {
		if n := e.bundleOf(k); n != problem.NoNode {
			bundles[n] = true
		}
		if len(bundles) > limit {
			return false
		}
	}
	return true
}

// fewestBundles finds a minimal set of facts that involves the fewest bundles. It
// starts from a minimal set. Bundles without which the rest of all facts is
// satisfiable are in every such set; mostly these are all there are, and the
// given set is the best. Otherwise the others are found as a smallest hitting set
// of correction sets (the implicit hitting set algorithm for smallest unsatisfiable
// subsets).
func (e *Explainer) fewestBundles(found []formula.Fact) []formula.Fact {
	h := &smallest{e: e, start: e.p.Budget.Solves, solves: e.fewestSolves()}
	if !h.prepare(found) {
		return found
	}
	for !e.p.Budget.Stopped() && h.affords(1) {
		chosen, ok := h.hittingSet()
		if !ok || len(chosen)+len(h.forced) >= h.best {
			break
		}
		h.keep(h.forced, chosen)
		if h.f.Solve(h.guards()...) == sat.Unsatisfiable {
			if set := e.minimize(intersect(h.facts, h.guards())); !e.p.Budget.Stopped() {
				found = set
			}
			break
		}
		if e.p.Budget.Stopped() || !h.learn() {
			break
		}
	}
	return found
}

// smallest searches for a smallest set of bundles.
type smallest struct {
	e       *Explainer
	f       *formula.Formula
	facts   []formula.Guarded                 // of f, the most important first
	start   int                               // solver calls before
	solves  int                               // solver calls allowed
	about   []problem.NodeID                  // by fact: the bundle that it involves
	groups  map[problem.NodeID][]formula.Fact // the facts of each bundle
	bundles []problem.NodeID                  // in the order in which they are reached
	forced  []problem.NodeID                  // in every set
	sets    [][]problem.NodeID                // each has to be hit
	best    int                               // bundles in the best set so far
	steps   int

	kept []bool    // by bundle: its facts are assumed
	lits []sat.Lit // scratch of guards
}

// prepare sorts the facts by bundle and finds the forced ones. It reports whether
// a smaller set than the given one is possible at all.
func (h *smallest) prepare(found []formula.Fact) bool {
	e := h.e
	if !h.write(found) {
		return false
	}
	h.about, h.kept = make([]problem.NodeID, len(h.facts)), make([]bool, len(e.p.Universe.Nodes))
	h.groups = make(map[problem.NodeID][]formula.Fact)
	for i, k := range h.facts {
		n := e.bundleOf(k.Fact)
		h.about[i] = n
		if n == problem.NoNode {
			continue
		}
		if h.groups[n] == nil {
			h.bundles = append(h.bundles, n)
		}
		h.groups[n] = append(h.groups[n], k.Fact)
	}
	slices.Sort(h.bundles)
	var mine []problem.NodeID
	for _, k := range found {
		if n := e.bundleOf(k); n != problem.NoNode && !h.kept[n] {
			h.kept[n] = true
			mine = append(mine, n)
		}
	}
	h.best = len(mine)
	h.keep(h.bundles)
	for _, n := range mine {
		h.kept[n] = false
		if h.f.Solve(h.guards()...) == sat.Satisfiable {
			h.forced = append(h.forced, n)
		}
		if e.p.Budget.Stopped() {
			return false
		}
		h.kept[n] = true
	}
	return len(h.forced) < h.best
}

// write selects the formula. The first conflict uses that of all facts, because a smaller set may
// have other roots. Later ones use an excerpt of the facts reachable from their roots: other bundles
// need not be selected, and another conflict would make every solve fail. It reports whether the
// budget is not exhausted.
func (h *smallest) write(found []formula.Fact) bool {
	e := h.e
	if h.f, h.facts = e.f, e.facts; len(e.gone) > 0 {
		if h.f = e.f.Excerpt(e.f.LeadingFrom(found)); h.f == nil {
			return false
		}
		h.facts = h.f.Facts
	}
	h.f.Purpose = trace.PurposeFewest
	return !e.p.Budget.Stopped()
}

// affords reports whether n more solver calls are allowed.
func (h *smallest) affords(n int) bool { return h.e.p.Budget.Solves-h.start+n <= h.solves }

// keep assumes the facts of some bundles and no others.
func (h *smallest) keep(lists ...[]problem.NodeID) {
	clear(h.kept)
	for _, list := range lists {
		for _, n := range list {
			h.kept[n] = true
		}
	}
}

// guards lists the guards of the assumed facts: those of the kept bundles, and those that involve no
// bundle. The slice is reused.
func (h *smallest) guards() []sat.Lit {
	h.lits = h.lits[:0]
	for i, n := range h.about {
		if n == problem.NoNode || h.kept[n] {
			h.lits = append(h.lits, h.facts[i].Guard)
		}
	}
	return h.lits
}

// learn adds a minimal correction set: the bundles to remove so that the others are satisfiable
// together with the kept ones. Every set contains at least one of them. It must follow a solve that
// found a model.
func (h *smallest) learn() bool {
	left := slices.DeleteFunc(slices.Clone(h.bundles), func(n problem.NodeID) bool { return h.kept[n] })
	left = h.absorb(left)
	for i := 0; i < len(left); {
		e := h.e
		if !h.affords(1) {
			return false
		}
		h.kept[left[i]] = true
		if h.f.Solve(h.guards()...) == sat.Satisfiable {
			left = h.absorb(slices.Delete(left, i, i+1))
			i = 0
			continue
		}
		h.kept[left[i]] = false
		if e.p.Budget.Stopped() {
			return false
		}
		i++
	}
	h.sets = append(h.sets, left)
	return len(left) > 0
}

// absorb keeps the bundles whose facts all hold in the current model, and returns the others.
func (h *smallest) absorb(left []problem.NodeID) []problem.NodeID {
	return slices.DeleteFunc(left, func(n problem.NodeID) bool {
		for _, k := range h.groups[n] {
			if !h.f.Holds(k, formula.NodesOf(h.e.p, k), h.f.Has) {
				return false
			}
		}
		h.kept[n] = true
		return true
	})
}

// hittingSet returns a smallest set of bundles that hits all sets, the first one
// in the order of the bundles; false if it would take too long to find.
func (h *smallest) hittingSet() ([]problem.NodeID, bool) {
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
func (h *smallest) hit(chosen []problem.NodeID, size int) ([]problem.NodeID, bool) {
	if h.steps++; h.steps > fewestSteps {
		return nil, false
	}
	i := slices.IndexFunc(h.sets, func(set []problem.NodeID) bool {
		return !slices.ContainsFunc(set, func(n problem.NodeID) bool { return slices.Contains(chosen, n) })
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
