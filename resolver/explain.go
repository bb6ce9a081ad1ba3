package resolver

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// without takes what a conflict starts from out of the facts, and reports whether
// those that are left cannot hold together either. The solver then knows why.
func (e *explainer) without(conflict []fact) bool {
	told := make(map[fact]bool)
	for _, k := range conflict {
		told[k] = k.isRoot()
		if k.kind != factForced {
			continue
		}
		for i, other := range e.p.force { // a bundle may be forced twice
			if other.Bundle == e.p.force[k.a].Bundle {
				told[fact{kind: factForced, a: int32(i)}] = true
			}
		}
	}
	facts, guard, roots := e.facts[:0], e.guard[:0], false
	for i, k := range e.facts {
		if !told[k] {
			facts, guard = append(facts, k), append(guard, e.guard[i])
			roots = roots || k.isRoot()
		}
	}
	e.facts, e.guard = facts, guard
	return roots && e.f.solve(e.guard...) == sat.Unsatisfiable
}

// compareRoots orders sets of facts by what they start from: those that are about
// installed bundles alone come first, then by their first subscription.
func (e *explainer) compareRoots(a, b []fact) int {
	p := e.p
	firstOf := func(set []fact) (sub, inst int32) {
		sub, inst = -1, int32(len(p.inst))
		for _, k := range set {
			switch {
			case k.kind == factSubscription && (sub < 0 || k.a < sub):
				sub = k.a
			case k.kind == factForced && sub < 0:
				sub = int32(len(p.subs)) + k.a
			case k.kind == factInstalled:
				inst = min(inst, k.a)
			}
		}
		return sub, inst
	}
	subA, instA := firstOf(a)
	subB, instB := firstOf(b)
	return cmp.Or(cmp.Compare(subA, subB), cmp.Compare(instA, instB))
}

// explainer looks for the facts behind an unsatisfiable problem. It works on a
// copy of the problem in which every fact can be dropped: bundles that are barred
// or quarantined are nodes like others, kept out by a fact each.
type explainer struct {
	p     *problem
	f     *formula
	facts []fact    // all of them, the most important first
	guard []sat.Lit // of each fact
}

// factSet are facts of an explainer, by index, ascending.
type factSet []int32

// newExplainer prepares for a problem that is being explained: its clauses are
// written with a guard for each fact.
func newExplainer(p *problem, observer formulaObserver) *explainer {
	e := &explainer{p: p, f: encode(p, guardFacts, observer)}
	e.facts = byImportance(e.f.Facts())
	e.guard = make([]sat.Lit, len(e.facts))
	for i, k := range e.facts {
		e.guard[i] = e.f.Guard(k)
	}
	return e
}

// Facts is the number of facts among which those of a further conflict would be.
func (e *explainer) Facts() int { return len(e.facts) }

// Conflicts returns minimal sets of facts that cannot hold together, in the order of
// the request: no two of them have in common what they start from. There are at most
// that many; more says that there would be more. Nothing is to be read out of it once
// the work was stopped.
func (e *explainer) Conflicts(most int) (sets [][]fact, more bool) {
	sets = [][]fact{e.minimalFacts()}
	for !e.p.stopped() && e.without(sets[len(sets)-1]) {
		if more = len(sets) == most; more {
			break
		}
		sets = append(sets, e.minimized())
	}
	slices.SortStableFunc(sets, e.compareRoots)
	return sets, more
}

// byImportance orders facts so that a minimal set that has a choice keeps the ones
// at the front.
func byImportance(facts []fact) []fact {
	sorted := slices.Clone(facts)
	slices.SortFunc(sorted, func(x, y fact) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return sorted
}

// keys names the facts of a set.
func (e *explainer) keys(set factSet) []fact {
	keys := make([]fact, len(set))
	for i, k := range set {
		keys[i] = e.facts[k]
	}
	return keys
}

// blamed returns the facts that the solver found to clash just now.
func (e *explainer) blamed() factSet { return setOf(e.guard, e.f.Blamed()) }

// setOf returns the places at which some literals stand among others.
func setOf(all, some []sat.Lit) factSet {
	among := make(map[sat.Lit]bool, len(some))
	for _, l := range some {
		among[l] = true
	}
	set := make(factSet, 0, len(some))
	for i, l := range all {
		if among[l] {
			set = append(set, int32(i))
		}
	}
	return set
}

// minimize drops facts, the last ones first, until none can be dropped.
func (e *explainer) minimize(set factSet) factSet {
	keys := e.keys(set)
	part := e.f.excerpt(keys)
	if e.p.stopped() {
		return nil
	}
	guards := make([]sat.Lit, len(keys))
	for i, k := range keys {
		guards[i] = part.Guard(k)
	}
	core := part.Minimize(guards, newRotation(e.p, part, keys).also)
	if e.p.stopped() {
		return nil
	}
	out := make(factSet, len(core))
	for i, k := range setOf(guards, core) {
		out[i] = set[k]
	}
	return out
}

// minimalFacts returns facts that cannot hold together, none of which can be
// dropped; among such sets one that involves the fewest bundles, and among those
// the first in the order of the facts.
func (e *explainer) minimalFacts() []fact {
	if e.f.solve(e.guard...) != sat.Unsatisfiable {
		e.p.fail(errDisagree)
		return nil
	}
	return e.minimized()
}

// minimized is minimalFacts once the solver has found that what is left cannot hold
// together.
func (e *explainer) minimized() []fact {
	found := e.minimize(e.blamed())
	if e.p.stopped() {
		return nil
	}
	e.f.For(purposeFewest)
	return e.keys(e.fewestBundles(found))
}
