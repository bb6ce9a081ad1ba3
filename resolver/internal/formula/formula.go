// Package formula is the third stage of a resolution: the part of a problem that a
// request can reach, written as clauses for a solver. Every rule of section 5 of the
// semantics and every constraint is in it, and no preference, so that the solver's word
// is final for the whole problem.
//
// What a formula says, it says of [Fact]s, and the clauses of a fact can have a guard: they
// bind only while that is assumed. With all of them assumed it is the plain formula, which
// finds which choice of a search was impossible; assumed one after the other it admits
// subscriptions and what is installed under policy Partial; and dropped one after the other it
// finds which facts cannot hold together. [Guards] says which kinds of facts a formula can do
// without; those of all others are assumed for good, and cost no variable.
package formula

import (
	"errors"
	"time"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Formula is the part of a problem that the request can reach, as clauses. Every
// rule of section 5 and every constraint is in it, so that the solver's word is
// final for the whole problem.
type Formula struct {
	p        *problem.Problem
	u        *problem.Universe // of p
	s        *sat.Solver
	Purpose  trace.Purpose // what the coming solver calls are for
	observer func(trace.Event)

	Literal  []sat.Lit                          // by node: the variable of a bundle, 0 for what can never be chosen
	goals    map[goalOf]sat.Lit                 // literals that imply a goal
	matching map[*problem.Atom][]problem.NodeID // what Matching found
	byKey    problem.Index                      // of bundles; made when first needed
	guards   Guards
	only     map[Fact]bool    // the facts that are told; nil for all
	Guard    map[Fact]sat.Lit // what has a fact count
	Facts    []Guarded        // that can be dropped, in the order in which they were met: first those of an excerpt

	exclusive map[string]sat.Lit // literals that imply that at most one of a list of nodes is chosen
	scratch   []byte
	// lists are the lists of candidates that several subscriptions share.
	lists map[*problem.Listed]*shared
}

// goalOf is a goal that is to hold, or not to hold where it is banned, as a kind of bundle
// declares it: prohibitions of installed bundles may tolerate what others do not, see
// problem.Assumptions.
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

// newFormula returns a formula without clauses, whose solver may be called that many
// times; 0 or less for no limit.
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

// reach makes a node of every bundle that some chain of candidates leads to, of those that
// are not barred unless they are to be looked through as well.
func reach(p *problem.Problem, barred bool) {
	for i := range p.Demands.List {
		p.Budget.Step()
		p.Demands.List[i].Candidates(p.Universe)
	}
	for i := range p.Demands.Forced {
		p.Universe.NodesFor(p.Demands.Forced[i])
	}
	for n := problem.NodeID(0); int(n) < len(p.Universe.Nodes) && !p.Budget.Stopped(); n++ {
		if p.Universe.Nodes[n].Ban != problem.BanNone && p.Universe.Nodes[n].Inst < 0 && !barred {
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

// unless returns what to add to a clause so that it only binds while a fact
// holds: the negated guard, or nothing.
func (f *Formula) unless(k Fact) sat.Lit {
	if !f.guards.has(k.Kind) {
		return 0
	}
	return f.guardOf(k).Not()
}

// exemption returns a literal that is true unless an installed bundle is admitted, so that
// what it asks for counts; 0, which never holds, where that is no question.
func (f *Formula) exemption(n problem.NodeID) sat.Lit {
	if i := f.u.Nodes[n].Inst; i >= 0 {
		return f.unless(Fact{Kind: FactCounting, A: i})
	}
	return 0
}

// included reports whether the formula includes a fact.
func (f *Formula) included(k Fact) bool { return f.only == nil || f.only[k] }

// guardOf returns the guard of a fact, making it when the fact is first met.
func (f *Formula) guardOf(k Fact) sat.Lit {
	g, ok := f.Guard[k]
	if !ok {
		g = f.s.NewVar()
		f.Guard[k] = g
		f.Facts = append(f.Facts, Guarded{k, g})
	}
	return g
}

// Solve asks the solver, and keeps the books.
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

// solved tells of a solver call with so many assumptions.
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

// failed ends the work with what ended a solve, if anything did.
func (f *Formula) failed(err error) {
	var spent *sat.BudgetError
	if errors.As(err, &spent) {
		f.p.Budget.Exhaust(problem.ResourceSolves, uint64(f.p.Budget.Limits.Solves))
		return
	}
	f.p.Budget.Fail(err)
}

// Variables is how many variables the formula has.
func (f *Formula) Variables() int { return f.s.Vars() }

// Clauses is how many clauses it has.
func (f *Formula) Clauses() int { return f.s.Clauses() }

// FailedAssumptions lists the assumptions that the solver found to clash just now.
func (f *Formula) FailedAssumptions() []sat.Lit { return f.s.Failed() }

// Minimize drops assumptions, the last ones first, until none can be dropped for the
// rest to clash. If the work was stopped, it is what is left by then, which clashes as
// well; nil if nothing was dropped.
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
