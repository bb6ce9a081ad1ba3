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
	e, err := newExplainer(p)
	if err != nil {
		return err
	}
	facts := e.minimalFacts()
	if e.p.err != nil {
		return e.p.err
	}
	c := e.describe(facts)
	c.Stats = e.p.stats()
	c.Stats.Solves += p.solves
	return c
}

// explainer looks for the facts behind an unsatisfiable problem. It works on a
// copy of the problem in which every fact can be dropped: bundles that are barred
// or quarantined are nodes like others, kept out by a fact each.
type explainer struct {
	p     *problem
	f     *formula
	facts []factKey // all of them, the most important first
	rank  map[factKey]int
}

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
	e.rank = make(map[factKey]int, len(e.facts))
	for i, k := range e.facts {
		e.rank[k] = i
	}
	return e, q.err
}

// importance ranks the kinds of facts: what the user asked for before what the
// cluster has, before what catalogs say.
func importance(k FactKind) int {
	return slices.Index([]FactKind{FactSubscription, FactForced, FactInstalled, FactNoCandidate,
		FactPackage, FactQuarantined, FactForbidden, FactDeprecated, FactGVK, FactConstraint}, k)
}

// byImportance orders facts so that a minimal set that has a choice keeps the ones
// at the front.
func byImportance(facts []factKey) []factKey {
	facts = slices.Clone(facts)
	slices.SortStableFunc(facts, func(x, y factKey) int {
		return cmp.Or(cmp.Compare(importance(x.kind), importance(y.kind)),
			cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return facts
}

// unsatisfiable asks whether facts cannot hold together.
func (e *explainer) unsatisfiable(facts []factKey) bool {
	return e.f.solve(e.guards(facts)...) == sat.Unsatisfiable
}

func (e *explainer) guards(facts []factKey) []sat.Lit {
	lits := make([]sat.Lit, len(facts))
	for i, k := range facts {
		lits[i] = e.f.guard[k]
	}
	return lits
}

// minimize drops facts, the last ones first, until none can be dropped.
func (e *explainer) minimize(facts []factKey) []factKey {
	of := make(map[sat.Lit]factKey, len(facts))
	guards := e.guards(facts)
	for i, g := range guards {
		of[g] = facts[i]
	}
	before := e.f.s.Solves()
	core, err := sat.Minimize(e.p.ctx, e.f.s, guards, sat.MinimizeOptions{})
	e.p.solves += e.f.s.Solves() - before
	if err != nil {
		e.p.stopSolving(err)
		return nil
	}
	out := make([]factKey, len(core))
	for i, g := range core {
		out[i] = of[g]
	}
	return out
}

// minimalFacts returns facts that cannot hold together, none of which can be
// dropped; among such sets one that involves the fewest bundles, and among those
// the first in the order of the facts.
func (e *explainer) minimalFacts() []factKey {
	if !e.unsatisfiable(e.facts) {
		e.p.fail(errInternal)
		return nil
	}
	found := e.minimize(e.blamed(e.facts))
	if e.p.err != nil {
		return nil
	}
	found = e.fewestBundles(found)
	slices.SortFunc(found, func(x, y factKey) int { return cmp.Compare(e.rank[x], e.rank[y]) })
	return found
}

// blamed narrows facts that were just found unsatisfiable down to those that the
// solver blames.
func (e *explainer) blamed(facts []factKey) []factKey {
	failed := make(map[sat.Lit]bool)
	for _, l := range e.f.s.Failed() {
		failed[l] = true
	}
	return slices.DeleteFunc(slices.Clone(facts), func(k factKey) bool { return !failed[e.f.guard[k]] })
}
