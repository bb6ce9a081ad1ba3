// Package formula is the third stage of a resolution: it encodes the reachable part of a problem as
// clauses for a SAT solver. The clauses cover every rule of section 5 of the semantics and every
// constraint, but no preferences, so that the result of the solver is final for the whole problem.
//
// A formula consists of [Fact]s. The clauses of a fact can have a guard literal: they bind only while
// it is assumed. With all guards assumed, the solver finds which choice of a search was impossible.
// Assuming guards one by one admits subscriptions and installed bundles under policy Partial.
// Dropping them one by one minimizes an unsatisfiable core. [Guards] are the kinds of facts with
// guard literals; all other facts always bind, and cost no variable.
package formula

import (
	"errors"
	"time"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Formula is the reachable part of a problem as clauses.
type Formula struct {
	p        *problem.Problem
	u        *problem.Universe // of p
	s        *sat.Solver
	Purpose  trace.Purpose // of the next solver calls
	observer func(trace.Event)

	Literal  []sat.Lit                          // by node: the variable of a bundle, 0 if excluded
	goals    map[goalOf]sat.Lit                 // literals that imply a goal
	matching map[*problem.Atom][]problem.NodeID // cache of Matching
	byKey    problem.Index                      // of bundles; built on first use
	guards   Guards
	only     map[Fact]bool    // the included facts; nil for all
	Guard    map[Fact]sat.Lit // guard literals
	Facts    []Guarded        // facts with guards, in order of creation; those of an excerpt come first

	exclusive map[string]sat.Lit // literals that imply that at most one of a list of nodes is selected
	scratch   []byte
	// lists are the candidate lists that several demands share.
	lists map[*problem.Listed]*shared
}

// goalOf is a goal that must hold, or must not if it is banned, as declared by a kind of bundle:
// prohibitions of installed bundles may ignore lenient bundles, see problem.Assumptions.
type goalOf struct {
	goal              *problem.Goal
	banned, installed bool
}

// Encode reaches everything that the request can need and writes the clauses.
func Encode(p *problem.Problem, guards Guards, observer func(trace.Event)) *Formula {
	f := New(p, guards, observer)
	f.Write()
	return f
}

// New returns a formula without clauses.
func New(p *problem.Problem, guards Guards, observer func(trace.Event)) *Formula {
	return newFormula(p, guards, p.Budget.Limits.Solves, observer)
}

// Write reaches everything that the request can need and writes the clauses.
func (f *Formula) Write() {
	p, start := f.p, time.Now()
	bars, counting := f.guards == GuardAll, f.guards.has(FactCounting)
	if reach(p, bars); bars {
		f.Guard = make(map[Fact]sat.Lit, 2*len(p.Universe.Nodes))
	}
	f.Literal = make([]sat.Lit, len(p.Universe.Nodes))
	for n := range p.Universe.Nodes {
		if bars || !p.Excluded(problem.NodeID(n)) || counting && p.Universe.Nodes[n].Inst >= 0 {
			f.Literal[n] = f.s.NewVar()
		}
	}
	for i := range p.Universe.Inst {
		if counting {
			f.guardOf(Fact{Kind: FactCounting, A: int32(i)})
		}
	}
	f.encode()
	p.Budget.Variables, p.Budget.Clauses = f.s.Vars(), f.s.Clauses()
	if f.observer != nil {
		f.observer(trace.Event{Formula: &trace.Formula{Purpose: f.Purpose, Bundles: len(p.Universe.Nodes), Variables: p.Budget.Variables, Clauses: p.Budget.Clauses,
			Took: trace.Duration(time.Since(start))}})
	}
}

// newFormula returns a formula without clauses. solves is the max number of solver calls; 0 or less
// for no limit.
func newFormula(p *problem.Problem, guards Guards, solves int, observer func(trace.Event)) *Formula {
	purpose := trace.Purpose(trace.PurposeAdmit)
	switch guards {
	case GuardNone:
		purpose = trace.PurposeFeasible
	case GuardAll:
		purpose = trace.PurposeExplain
	}
	return &Formula{p: p, u: p.Universe, observer: observer, Purpose: purpose, s: sat.New(sat.Options{MaxSolves: max(solves, 0)}),
		guards: guards, Guard: make(map[Fact]sat.Lit), exclusive: make(map[string]sat.Lit),
		goals: make(map[goalOf]sat.Lit), matching: make(map[*problem.Atom][]problem.NodeID)}
}

// reach makes a node of every bundle that is reachable through candidates and requirements. It
// follows the requirements of excluded bundles only if throughExcluded is set.
func reach(p *problem.Problem, throughExcluded bool) {
	for i := range p.Demands.List {
		p.Budget.Step()
		p.Demands.List[i].Candidates(p.Universe)
	}
	for i := range p.Demands.Forced {
		p.Universe.NodesFor(p.Demands.Forced[i])
	}
	for n := problem.NodeID(0); int(n) < len(p.Universe.Nodes) && !p.Budget.Stopped(); n++ {
		if p.Universe.Nodes[n].Ban != problem.BanNone && p.Universe.Nodes[n].Inst < 0 && !throughExcluded {
			continue
		}
		for _, r := range p.Requirements(n) {
			for a, banned := range r.Goal.Atoms() {
				if !banned {
					p.Universe.AllMatches(a)
				}
			}
		}
	}
}

// guard returns the literal that makes a clause bind only while a fact is assumed: the negated guard
// literal, or 0 if the fact has none.
func (f *Formula) guard(k Fact) sat.Lit {
	if !f.guards.has(k.Kind) {
		return 0
	}
	return f.guardOf(k).Not()
}

// exemption returns a literal that is true unless the requirements of an installed bundle are
// active; 0, which is never true, if they always are.
func (f *Formula) exemption(n problem.NodeID) sat.Lit {
	if i := f.u.Nodes[n].Inst; i >= 0 {
		return f.guard(Fact{Kind: FactCounting, A: i})
	}
	return 0
}

// included reports whether the formula includes a fact.
func (f *Formula) included(k Fact) bool { return f.only == nil || f.only[k] }

// guardOf returns the guard literal of a fact, and creates it on first use.
func (f *Formula) guardOf(k Fact) sat.Lit {
	g, ok := f.Guard[k]
	if !ok {
		g = f.s.NewVar()
		f.Guard[k] = g
		f.Facts = append(f.Facts, Guarded{k, g})
	}
	return g
}

// Solve calls the solver, counts the call in the budget and emits an event.
func (f *Formula) Solve(assumptions ...sat.Lit) sat.Status {
	p := f.p
	if p.Budget.Stopped() {
		return sat.Unknown
	}
	start := time.Now()
	status, err := f.s.Solve(p.Budget.Context(), assumptions...)
	p.Budget.Solves++
	f.solved(status, len(assumptions), time.Since(start))
	f.failed(err)
	return status
}

// solved emits an event for a solver call with a number of assumptions.
func (f *Formula) solved(status sat.Status, assumptions int, took time.Duration) {
	if f.observer == nil {
		return
	}
	e := trace.Solve{Purpose: f.Purpose, Calls: 1, Assumptions: assumptions,
		Variables: f.s.Vars(), Clauses: f.s.Clauses(), Took: trace.Duration(took)}
	switch status {
	case sat.Satisfiable:
		e.Satisfiable = 1
	case sat.Unsatisfiable:
		e.Unsatisfiable = 1
	default:
		e.Stopped = 1
	}
	f.observer(trace.Event{Solve: &e})
}

// failed stops the work with the error of a solver call, if there is one.
func (f *Formula) failed(err error) {
	var exhausted *sat.BudgetError
	if errors.As(err, &exhausted) {
		f.p.Budget.Exhaust(problem.ResourceSolves, uint64(f.p.Budget.Limits.Solves))
		return
	}
	f.p.Budget.Fail(err)
}

// Variables returns the number of variables.
func (f *Formula) Variables() int { return f.s.Vars() }

// Clauses returns the number of clauses.
func (f *Formula) Clauses() int { return f.s.Clauses() }

// FailedAssumptions lists the failed assumptions of the latest solve, an unsatisfiable core.
func (f *Formula) FailedAssumptions() []sat.Lit { return f.s.Failed() }

// Minimize drops assumptions, the last ones first, until the rest is a minimal unsatisfiable core.
// If the budget is exhausted, it returns the core found so far, nil if nothing was dropped.
func (f *Formula) Minimize(guards []sat.Lit, opts sat.MinimizeOptions) []sat.Lit {
	f.Purpose = trace.PurposeMinimize
	if f.observer != nil {
		opts.Observe = f.solved
	}
	core, err := sat.Minimize(f.p.Budget.Context(), f.s, guards, opts)
	f.p.Budget.Solves += f.s.Solves()
	f.failed(err)
	return core
}
