package resolver

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// conflict explains why the problem has no solution: it finds a minimal set of
// facts that cannot hold together. The result is a *Conflict, or what stopped the
// search for one.
func (p *problem) conflict() error {
	before := p.ctx
	defer func() { p.ctx = before }()
	start := p.explainBegan()
	e, err := newExplainer(p)
	if err == nil {
		err = e.conflict(p.solves)
	}
	p.explainEnded(e, err, start)
	return err
}

// MaxFurther bounds the independent conflicts that are told of one request, beside
// the first.
const MaxFurther = 50

// conflict finds the facts of each independent conflict and describes them; solves
// are the solver calls made before.
func (e *explainer) conflict(solves int) error {
	sets := [][]factKey{e.minimalFacts()}
	more := false
	for e.p.err == nil && e.without(sets[len(sets)-1]) {
		if more = len(sets) > MaxFurther; more {
			break
		}
		sets = append(sets, e.minimized())
	}
	slices.SortStableFunc(sets, e.p.compareRoots)
	var all []*Conflict
	for _, facts := range sets {
		if e.p.err != nil {
			return e.p.err
		}
		all = append(all, e.describe(facts))
	}
	if e.p.err != nil {
		return e.p.err
	}
	c := all[0]
	c.Further, c.MoreFurther = all[1:], more
	c.Stats = e.p.stats()
	c.Stats.Solves += solves
	return c
}

// without takes what a conflict starts from out of the facts, and reports whether
// those that are left cannot hold together either. The solver then knows why.
func (e *explainer) without(conflict []factKey) bool {
	told := make(map[factKey]bool)
	for _, k := range conflict {
		told[k] = isRoot(k.kind)
		if k.kind != FactForced {
			continue
		}
		for i, ref := range e.p.req.Force { // a bundle may be forced twice
			if ref == e.p.req.Force[k.a] {
				told[factKey{FactForced, int32(i), 0}] = true
			}
		}
	}
	facts, guard, roots := e.facts[:0], e.guard[:0], false
	for i, k := range e.facts {
		if !told[k] {
			facts, guard = append(facts, k), append(guard, e.guard[i])
			roots = roots || isRoot(k.kind)
		}
	}
	e.facts, e.guard = facts, guard
	return roots && e.f.solve(e.guard...) == sat.Unsatisfiable
}

// compareRoots orders sets of facts by what they start from: those that are about
// installed bundles alone come first, then by their first subscription.
func (p *problem) compareRoots(a, b []factKey) int {
	firstOf := func(set []factKey) (sub, inst int32) {
		sub, inst = -1, int32(len(p.inst))
		for _, k := range set {
			switch {
			case k.kind == FactSubscription && (sub < 0 || k.a < sub):
				sub = k.a
			case k.kind == FactForced && sub < 0:
				sub = int32(len(p.subs)) + k.a
			case k.kind == FactInstalled:
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
	facts []factKey // all of them, the most important first
	guard []sat.Lit // of each fact
}

// factSet are facts of an explainer, by index, ascending.
type factSet []int32

func newExplainer(p *problem) (*explainer, error) {
	q, err := newProblem(p.ctx, p.req, p.config, true)
	if err != nil {
		return nil, err
	}
	for i := range p.subs {
		q.subs[i].left = p.subs[i].left
	}
	if p.lenient != nil {
		q.excuse(p.lenient, p.broken)
	}
	if q.placing = p.placing; q.placing {
		q.keepOwned()
	}
	q.deciding = p.deciding
	e := &explainer{p: q, f: q.encode(guardFacts)}
	e.facts = byImportance(e.f.facts)
	e.guard = make([]sat.Lit, len(e.facts))
	for i, k := range e.facts {
		e.guard[i] = e.f.guard[k]
	}
	return e, q.err
}

// importance lists the kinds of facts: what the user asked for before what the
// cluster has, before what catalogs say.
func importance() []FactKind {
	return []FactKind{FactSubscription, FactHold, FactForced, FactInstalled, FactNoCandidate,
		FactPackage, FactQuarantined, FactForbidden, FactDeprecated, FactIncompatible, FactGVK, FactConstraint}
}

// byImportance orders facts so that a minimal set that has a choice keeps the ones
// at the front.
func byImportance(facts []factKey) []factKey {
	sorted := make([]factKey, 0, len(facts))
	for _, kind := range importance() {
		first := len(sorted)
		for _, k := range facts {
			if k.kind == kind {
				sorted = append(sorted, k)
			}
		}
		slices.SortFunc(sorted[first:], func(x, y factKey) int {
			return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
		})
	}
	return sorted
}

// keys names the facts of a set.
func (e *explainer) keys(set factSet) []factKey {
	keys := make([]factKey, len(set))
	for i, k := range set {
		keys[i] = e.facts[k]
	}
	return keys
}

// blamed returns the facts that the solver found to clash just now.
func (e *explainer) blamed() factSet { return setOf(e.guard, e.f.s.Failed()) }

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
	if e.p.err != nil {
		return nil
	}
	guards := make([]sat.Lit, len(keys))
	for i, k := range keys {
		guards[i] = part.guard[k]
	}
	core, err := sat.Minimize(e.p.ctx, part.s, guards, sat.MinimizeOptions{Also: newRotor(part, keys).also, Observe: part.observer()})
	e.p.solves += part.s.Solves()
	if err != nil {
		e.p.stopSolving(err)
	}
	if e.p.err != nil {
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
func (e *explainer) minimalFacts() []factKey {
	if e.f.solve(e.guard...) != sat.Unsatisfiable {
		e.p.fail(errInternal)
		return nil
	}
	return e.minimized()
}

// minimized is minimalFacts once the solver has found that what is left cannot hold
// together.
func (e *explainer) minimized() []factKey {
	found := e.minimize(e.blamed())
	if e.p.err != nil {
		return nil
	}
	e.f.purpose = SolveFewest
	return e.keys(e.fewestBundles(found))
}
