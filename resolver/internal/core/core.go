// Package core is the fourth stage of a resolution. If there is no solution, it finds minimal
// unsatisfiable cores. The solver finds a core, which is minimized (with model rotation to save
// solver calls), and then replaced by one with the fewest bundles, if there is a smaller one.
package core

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Explainer finds the cores of an unsatisfiable problem. It works on a copy of the problem in which
// every fact has a guard: excluded bundles are nodes like others, each with a fact that excludes it.
type Explainer struct {
	// Quick accepts minimal sets that involve more bundles than others.
	Quick bool

	p        *problem.Problem
	f        *formula.Formula
	ruledOut *formula.Unsatisfiable
	roots    []formula.Fact        // that are ruled out, and were not tried yet
	first    *Set                  // result of RuledOut
	found    int                   // facts of the latest set found without a solver
	gone     map[formula.Fact]bool // roots of the sets so far
	facts    []formula.Guarded     // facts that are not gone, most important first; nil until the formula is written
	large    int                   // number of facts from which on a set is large
}

// Set is an unsatisfiable core: facts in order that are unsatisfiable together. If it is minimal, it
// is satisfiable without any one of them. If not, the budget was exhausted before it was minimized.
type Set struct {
	Facts   []formula.Fact
	Minimal bool
}

// New returns an Explainer of a problem, given what propagation rules out. Sets of
// at least so many facts are large, see [Large].
func New(p *problem.Problem, ruledOut *formula.Unsatisfiable, observer func(trace.Event), large int) *Explainer {
	return &Explainer{p: p, f: formula.New(p, formula.GuardAll, observer), gone: make(map[formula.Fact]bool), large: large,
		ruledOut: ruledOut, roots: ruledOut.Roots}
}

// RuledOut reports whether there is a large set that needs no solver.
func (e *Explainer) RuledOut() bool {
	e.first = e.nextRuledOut()
	return e.first != nil
}

// Facts returns the number of facts that the sets were selected from.
func (e *Explainer) Facts() int { return max(len(e.facts), e.found) }

// Conflicts returns at most limit unsatisfiable sets of facts with disjoint roots, in the order of
// the request. more reports whether there may be further sets.
//
// The first set may use the whole time. Minimizing and finding further sets leaves some time for
// describing them, half of it if sparing. If that share or the solver calls are exhausted, the sets
// found so far are returned. If the whole budget is exhausted, there are none.
func (e *Explainer) Conflicts(limit int, sparing bool) (sets []Set, more bool) {
	found, ok := e.next()
	if !ok {
		e.p.Budget.Fail(search.ErrDisagree)
		return nil, false
	}
	whole := e.p.Budget.Context()
	part, cancel := share(whole, len(found.Facts), sparing)
	defer cancel()
	e.p.Budget.SetContext(part)
	for ; ok; found, ok = e.next() {
		if more = len(sets) == limit; more {
			break
		}
		sets = append(sets, e.minimized(found))
		e.removeRoots(sets[len(sets)-1].Facts)
	}
	more = more || e.p.Budget.Stopped()
	slices.SortStableFunc(sets, func(a, b Set) int { return e.compareRoots(a.Facts, b.Facts) })
	if e.p.Budget.Restore(whole); e.p.Budget.Stopped() {
		return nil, false
	}
	return sets, more
}

// next finds a core without the facts that are gone. Propagation finds large sets
// without a solver.
func (e *Explainer) next() (Set, bool) {
	if found := e.nextRuledOut(); found != nil {
		return *found, true
	}
	if !slices.ContainsFunc(formula.Roots(e.p), func(k formula.Fact) bool { return !e.gone[k] }) {
		return Set{}, false
	}
	e.write()
	if e.f.Solve(guardsOf(e.facts)...) != sat.Unsatisfiable {
		return Set{}, false
	}
	return Set{Facts: intersect(e.facts, e.f.FailedAssumptions())}, true
}

// nextRuledOut finds the next large set by propagation alone.
func (e *Explainer) nextRuledOut() *Set {
	if found := e.first; found != nil {
		e.first = nil
		return found
	}
	for len(e.roots) > 0 && !e.p.Budget.Stopped() {
		root := e.roots[0]
		e.roots = e.roots[1:]
		if e.gone[root] {
			continue
		}
		if facts, minimal := e.ruledOut.Reasons(root); len(facts) >= e.large {
			e.found = len(facts)
			return &Set{facts, minimal}
		}
	}
	return nil
}

// write writes the formula on first use, and removes the facts that are gone.
func (e *Explainer) write() {
	if e.facts == nil && !e.p.Budget.Stopped() {
		e.f.Write()
		e.facts = e.f.Facts
		slices.SortFunc(e.facts, func(a, b formula.Guarded) int { return a.Fact.Compare(b.Fact) })
	}
	e.facts = slices.DeleteFunc(e.facts, func(k formula.Guarded) bool { return e.gone[k.Fact] })
}

// removeRoots removes the roots of a conflict from the facts.
func (e *Explainer) removeRoots(conflict []formula.Fact) {
	for _, k := range conflict {
		if !k.IsRoot() {
			continue
		}
		e.gone[k] = true
		if k.Kind != formula.FactForced {
			continue
		}
		for i, other := range e.p.Demands.Forced { // a bundle may be forced twice
			if other == e.p.Demands.Forced[k.A] {
				e.gone[formula.Fact{Kind: formula.FactForced, A: int32(i)}] = true
			}
		}
	}
}

// The time before a deadline that is reserved for describing sets of facts, at most half of it: a
// constant and an amount for each fact, about twice the measured time.
const (
	describeTime = 20 * time.Millisecond
	describeEach = 10 * time.Microsecond
)

// share returns the context for minimizing a set with a number of facts.
func share(ctx context.Context, facts int, sparing bool) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	rest := time.Until(deadline) / 2
	if !sparing {
		rest = min(rest, describeTime+time.Duration(facts)*describeEach)
	}
	return context.WithDeadline(ctx, deadline.Add(-rest))
}

// compareRoots orders sets of facts by their roots: those with installed bundles alone come first,
// then by the first demand.
func (e *Explainer) compareRoots(a, b []formula.Fact) int {
	p := e.p
	firstOf := func(set []formula.Fact) (sub, inst int32) {
		sub, inst = -1, int32(len(p.Universe.Inst))
		for _, k := range set {
			switch {
			case k.Kind == formula.FactSubscription && (sub < 0 || k.A < sub):
				sub = k.A
			case k.Kind == formula.FactForced && sub < 0:
				sub = int32(len(p.Demands.List)) + k.A
			case k.Kind == formula.FactInstalled:
				inst = min(inst, k.A)
			}
		}
		return sub, inst
	}
	subA, instA := firstOf(a)
	subB, instB := firstOf(b)
	return cmp.Or(cmp.Compare(subA, subB), cmp.Compare(instA, instB))
}

// guardsOf lists the guard literals of facts.
func guardsOf(facts []formula.Guarded) []sat.Lit {
	guards := make([]sat.Lit, len(facts))
	for i, k := range facts {
		guards[i] = k.Guard
	}
	return guards
}

// intersect returns the facts whose guards are among some literals, all of them positive.
func intersect(facts []formula.Guarded, some []sat.Lit) []formula.Fact {
	if len(some) == 0 {
		return nil
	}
	is := make([]bool, slices.Max(some)+1)
	for _, l := range some {
		is[l] = true
	}
	set := make([]formula.Fact, 0, len(some))
	for _, k := range facts {
		if int(k.Guard) < len(is) && is[k.Guard] {
			set = append(set, k.Fact)
		}
	}
	return set
}

// Large is the default size of a large set of facts. Because its minimization takes long, a large set
// is trimmed first: new solver calls replace it by their failed assumptions while that drops at
// least one fact in trimWorth.
const (
	Large     = 500
	trimWorth = 100
)

// minimize drops facts, the last ones first, until none can be dropped or the budget is exhausted.
func (e *Explainer) minimize(set []formula.Fact) []formula.Fact {
	part := e.f.Excerpt(set)
	for len(set) >= e.large && !e.p.Budget.Stopped() && part.Solve(guardsOf(part.Facts[:len(set)])...) == sat.Unsatisfiable {
		before := len(set)
		if set = intersect(part.Facts, part.FailedAssumptions()); before-len(set) <= before/trimWorth {
			break
		}
		part = e.f.Excerpt(set)
	}
	if e.p.Budget.Stopped() {
		return set
	}
	opts := sat.MinimizeOptions{Last: true, Any: len(set) >= e.large, Also: newRotation(e.p, part, set).also}
	guards := make([]sat.Lit, len(set))
	for i, k := range set {
		guards[i] = part.Guard[k]
	}
	core := part.Minimize(guards, opts)
	if core == nil && e.p.Budget.Stopped() {
		return set
	}
	return intersect(part.Facts, core)
}

// minimized returns a minimal set; unless Quick, one with the fewest bundles, and among those the first
// in the order of the facts.
func (e *Explainer) minimized(found Set) Set {
	if !found.Minimal {
		found.Facts = e.minimize(found.Facts)
	}
	if !e.Quick && !e.p.Budget.Stopped() && e.fewestAffords(found.Facts) {
		e.write()
		e.f.Purpose = trace.PurposeFewest
		found.Facts = e.fewestBundles(found.Facts)
	}
	return Set{Facts: found.Facts, Minimal: found.Minimal || !e.p.Budget.Stopped()}
}
