// Package core is the last stage of a resolution that fails: it finds minimal sets of
// facts that cannot hold together. A set is found by the solver, thinned out until
// nothing can be dropped (with model rotation to save solver calls), and replaced by one
// that involves the fewest bundles, if there is a smaller one.
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
)

// Explainer looks for the facts behind an unsatisfiable problem. It works on a
// copy of the problem in which every fact can be dropped: bundles that are barred
// or quarantined are nodes like others, kept out by a fact each.
type Explainer struct {
	p     *problem.Problem
	f     *formula.Formula
	facts []formula.Fact // all of them, the most important first
	guard []sat.Lit      // of each fact
	large int            // so many facts are a large set
}

// Set is a set of facts that cannot hold together. If it is minimal, the rest of it can
// without any one of them; if not, the work was stopped before that was found out.
type Set struct {
	Facts   []formula.Fact
	Minimal bool
}

// factSet are facts of an explainer, by index, ascending.
type factSet []int32

// New prepares for a problem that is being explained: its clauses are
// written with a guard for each fact. Sets of at least so many facts are large, see
// [Large].
func New(p *problem.Problem, observer formula.Observer, large int) *Explainer {
	e := &Explainer{p: p, f: formula.Encode(p, formula.ForFacts, observer), large: large}
	e.facts, e.guard = byImportance(e.f.Facts())
	return e
}

// Facts is the number of facts among which those of a further conflict would be.
func (e *Explainer) Facts() int { return len(e.facts) }

// Conflicts returns sets of facts that cannot hold together, in the order of the
// request: no two of them have in common what they start from. There are at most that
// many; more says that there would be more, or that it was not found out.
//
// A first set is looked for in the whole time. What follows, which makes sets minimal
// and finds further ones, leaves some of it for telling of the sets, and where it is
// sparing half of it. Where it uses its share up, or the solver calls, the sets are
// given as far as it got. There are none once the work was stopped.
func (e *Explainer) Conflicts(most int, sparing bool) (sets []Set, more bool) {
	if e.f.Solve(e.guard...) != sat.Unsatisfiable {
		e.p.Fail(search.ErrDisagree)
		return nil, false
	}
	blamed, whole := e.blamed(), e.p.Context()
	part, cancel := share(whole, len(blamed), sparing)
	defer cancel()
	e.p.Within(part)
	sets = []Set{e.minimized(blamed)}
	for !e.p.Stopped() && e.without(sets[len(sets)-1].Facts) {
		if more = len(sets) == most; more {
			break
		}
		sets = append(sets, e.minimized(e.blamed()))
	}
	more = more || e.p.Stopped()
	slices.SortStableFunc(sets, func(a, b Set) int { return e.compareRoots(a.Facts, b.Facts) })
	if e.p.Return(whole); e.p.Stopped() {
		return nil, false
	}
	return sets, more
}

// What is left of the time until a deadline to tell of sets of facts, at most half: this
// much, and more for each fact, about twice what was measured.
const (
	tellTime = 20 * time.Millisecond
	tellEach = 10 * time.Microsecond
)

// share is the context in which a set of so many facts is made minimal.
func share(ctx context.Context, facts int, sparing bool) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	rest := time.Until(deadline) / 2
	if !sparing {
		rest = min(rest, tellTime+time.Duration(facts)*tellEach)
	}
	return context.WithDeadline(ctx, deadline.Add(-rest))
}

// without takes what a conflict starts from out of the facts, and reports whether
// those that are left cannot hold together either. The solver then knows why.
func (e *Explainer) without(conflict []formula.Fact) bool {
	gone := make(map[formula.Fact]bool)
	for _, k := range conflict {
		gone[k] = k.IsRoot()
		if k.Kind != formula.FactForced {
			continue
		}
		for i, other := range e.p.Force { // a bundle may be forced twice
			if other.Bundle == e.p.Force[k.A].Bundle {
				gone[formula.Fact{Kind: formula.FactForced, A: int32(i)}] = true
			}
		}
	}
	facts, guard, roots := e.facts[:0], e.guard[:0], false
	for i, k := range e.facts {
		if !gone[k] {
			facts, guard = append(facts, k), append(guard, e.guard[i])
			roots = roots || k.IsRoot()
		}
	}
	e.facts, e.guard = facts, guard
	return roots && e.f.Solve(e.guard...) == sat.Unsatisfiable
}

// compareRoots orders sets of facts by what they start from: those that are about
// installed bundles alone come first, then by their first subscription.
func (e *Explainer) compareRoots(a, b []formula.Fact) int {
	p := e.p
	firstOf := func(set []formula.Fact) (sub, inst int32) {
		sub, inst = -1, int32(len(p.Inst))
		for _, k := range set {
			switch {
			case k.Kind == formula.FactSubscription && (sub < 0 || k.A < sub):
				sub = k.A
			case k.Kind == formula.FactForced && sub < 0:
				sub = int32(len(p.Subs)) + k.A
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

// byImportance orders facts so that a minimal set that has a choice keeps the ones
// at the front. Those of most kinds come in their order already.
func byImportance(met []formula.Guarded) (facts []formula.Fact, guards []sat.Lit) {
	var kinds [formula.Kinds][]formula.Guarded
	for _, k := range met {
		kinds[k.Fact.Kind] = append(kinds[k.Fact.Kind], k)
	}
	compare := func(x, y formula.Guarded) int {
		return cmp.Or(cmp.Compare(x.Fact.A, y.Fact.A), cmp.Compare(x.Fact.B, y.Fact.B))
	}
	facts, guards = make([]formula.Fact, 0, len(met)), make([]sat.Lit, 0, len(met))
	for _, same := range kinds {
		if !slices.IsSortedFunc(same, compare) {
			slices.SortFunc(same, compare)
		}
		for _, k := range same {
			facts, guards = append(facts, k.Fact), append(guards, k.Guard)
		}
	}
	return facts, guards
}

// keys names the facts of a set.
func (e *Explainer) keys(set factSet) []formula.Fact {
	keys := make([]formula.Fact, len(set))
	for i, k := range set {
		keys[i] = e.facts[k]
	}
	return keys
}

// blamed returns the facts that the solver found to clash just now.
func (e *Explainer) blamed() factSet { return setOf(e.guard, e.f.Blamed()) }

// setOf returns the places at which some literals stand among others.
// All are positive.
func setOf(all, some []sat.Lit) factSet {
	if len(some) == 0 {
		return nil
	}
	among := make([]bool, slices.Max(some)+1)
	for _, l := range some {
		among[l] = true
	}
	set := make(factSet, 0, len(some))
	for i, l := range all {
		if int(l) < len(among) && among[l] {
			set = append(set, int32(i))
		}
	}
	return set
}

// minimize drops facts, the last ones first, until none can be dropped, or the work is
// stopped.
func (e *Explainer) minimize(set factSet) factSet {
	part, guards := e.excerpt(set)
	for len(set) >= e.large && !e.p.Stopped() && part.Solve(guards...) == sat.Unsatisfiable {
		before, blamed := len(set), setOf(guards, part.Blamed())
		set = set.of(blamed)
		if before-len(set) <= before/trimWorth {
			for i, k := range blamed {
				guards[i] = guards[k]
			}
			guards = guards[:len(blamed)]
			break
		}
		part, guards = e.excerpt(set)
	}
	if e.p.Stopped() {
		return set
	}
	opts := sat.MinimizeOptions{Any: len(set) >= e.large, Also: newRotation(e.p, part, e.keys(set)).also}
	core := part.Minimize(guards, opts)
	if core == nil && e.p.Stopped() {
		return set
	}
	return set.of(setOf(guards, core))
}

// Large is the usual size of a large set of facts. Which of them are left is a matter of
// time then: it is trimmed first, which is to have a new solver say which of them it
// blames, as long as that drops one in trimWorth.
const (
	Large     = 500
	trimWorth = 100
)

// excerpt writes a formula about a set of facts, with the guard of each.
func (e *Explainer) excerpt(set factSet) (*formula.Formula, []sat.Lit) {
	keys := e.keys(set)
	part := e.f.Excerpt(keys)
	if e.p.Stopped() {
		return nil, nil
	}
	guards := make([]sat.Lit, len(keys))
	for i, k := range keys {
		guards[i] = part.Guard(k)
	}
	return part, guards
}

// of takes some of a set, by their places in it.
func (s factSet) of(places factSet) factSet {
	out := make(factSet, len(places))
	for i, k := range places {
		out[i] = s[k]
	}
	return out
}

// minimized makes a set minimal; among minimal sets it is one that involves the fewest
// bundles, and among those the first in the order of the facts.
func (e *Explainer) minimized(blamed factSet) Set {
	found := e.minimize(blamed)
	if !e.p.Stopped() {
		e.f.For(formula.PurposeFewest)
		found = e.fewestBundles(found)
	}
	return Set{Facts: e.keys(found), Minimal: !e.p.Stopped()}
}
