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

// conflict finds the facts and describes them; solves are the solver calls made
// before.
func (e *explainer) conflict(solves int) error {
	facts := e.minimalFacts()
	if e.p.err != nil {
		return e.p.err
	}
	c := e.describe(facts)
	if e.p.err != nil {
		return e.p.err
	}
	c.Stats = e.p.stats()
	c.Stats.Solves += solves
	return c
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
	return []FactKind{FactSubscription, FactForced, FactInstalled, FactNoCandidate,
		FactPackage, FactQuarantined, FactForbidden, FactDeprecated, FactGVK, FactConstraint}
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
	found := e.minimize(e.blamed())
	if e.p.err != nil {
		return nil
	}
	e.f.purpose = SolveFewest
	return e.keys(e.fewestBundles(found))
}
