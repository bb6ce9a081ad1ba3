package resolver

import (
	"errors"
	"time"

	"github.com/seed109e2655/resolute/internal/sat"
)

// formula is the part of a problem that the request can reach, as clauses. Every
// rule of section 5 and every constraint is in it, so that the solver's word is
// final for the whole problem.
type formula struct {
	p *problem
	s *sat.Solver
	// purpose is what the coming solver calls are for.
	purpose  purpose
	observer formulaObserver

	lits  []sat.Lit          // by node; 0 for what can never be chosen
	goals map[goalOf]sat.Lit // literals that imply a goal
	atoms map[*atom]sat.Lit  // literals that imply that a candidate is chosen
	bans  map[atomOf]sat.Lit // literals that imply that no match is chosen
	admit []sat.Lit          // by installed bundle: that it counts; see guardInstalled
	level guardLevel
	only  map[fact]bool // the facts that are told; nil for all
	guard map[fact]sat.Lit
	facts []fact // in the order in which they were met

	pending   map[int]sat.Lit    // by subscription: what it owns stays or is replaced by a candidate
	exclusive map[string]sat.Lit // literals that imply that at most one of a list of nodes is chosen
	scratch   []byte
}

// goalOf is a goal as a kind of bundle declares it: prohibitions of installed bundles
// may tolerate what others do not, see lenient.go.
type goalOf struct {
	goal      *goal
	installed bool
}

// atomOf is goalOf for an atom of a prohibition.
type atomOf struct {
	atom      *atom
	installed bool
}

// guardLevel says which facts of a formula hold only while their guards are
// assumed.
type guardLevel uint8

const (
	guardNothing guardLevel = iota
	// guardInstalled: what an installed bundle asks for, and its clashes with others,
	// count only while formula.admit is assumed of it; subscriptions ask for nothing.
	guardInstalled
	guardSubscriptions
	guardFacts
)

// formulaObserver is told of formulas and of solver calls.
type formulaObserver interface {
	// Encoded: a formula was written down, which took some time.
	Encoded(f *formula, took time.Duration)
	// Solved: the solver was called, with so many assumptions.
	Solved(f *formula, status sat.Status, assumptions int, took time.Duration)
}

// purpose says what solver calls are for.
type purpose uint8

// The purposes.
const (
	purposeFeasible purpose = iota // is there a solution at all?
	purposeLocate                  // which choice led to the dead end?
	purposeAdmit                   // can this take part?
	purposeExplain                 // can these facts hold together?
	purposeMinimize                // can they without this one?
	purposeFewest                  // is there a set of facts with fewer bundles?
)

// purposeOf is what the first solver calls on a formula are for.
var purposeOf = [...]purpose{guardNothing: purposeFeasible, guardInstalled: purposeAdmit, guardSubscriptions: purposeAdmit, guardFacts: purposeExplain}

// encode reaches everything that the request can need and writes the clauses.
func encode(p *problem, level guardLevel, observer formulaObserver) *formula {
	f := newFormula(p, level, p.Limits().Solves, observer)
	start := f.clock()
	reach(p)
	f.lits = make([]sat.Lit, len(p.nodes))
	for n := range p.nodes {
		if level == guardFacts || p.nodes[n].ban == banNone || level == guardInstalled && p.nodes[n].inst >= 0 {
			f.lits[n] = f.s.NewVar()
		}
	}
	f.write()
	p.Variables, p.Clauses = f.s.Vars(), f.s.Clauses()
	if observer != nil {
		observer.Encoded(f, time.Since(start))
	}
	return f
}

// newFormula returns a formula without clauses, whose solver may be called that many
// times; 0 or less for no limit.
func newFormula(p *problem, level guardLevel, solves int, observer formulaObserver) *formula {
	return &formula{p: p, observer: observer, purpose: purposeOf[level], s: sat.New(sat.Options{MaxSolves: max(solves, 0)}),
		level: level, guard: make(map[fact]sat.Lit), exclusive: make(map[string]sat.Lit), pending: make(map[int]sat.Lit),
		goals: make(map[goalOf]sat.Lit), atoms: make(map[*atom]sat.Lit), bans: make(map[atomOf]sat.Lit)}
}

// write writes the clauses about all bundles that have a literal.
func (f *formula) write() {
	f.encodeDemands()
	f.encodeRequirements()
	f.encodeBans()
	f.encodeUniqueness()
}

// reach makes a node of every bundle that some chain of candidates leads to.
func reach(p *problem) {
	for i := range p.subs {
		p.allCandidates(&p.subs[i])
	}
	for i := range p.force {
		p.forcedNodes(int32(i))
	}
	for n := nodeID(0); int(n) < len(p.nodes) && !p.stopped(); n++ {
		if p.nodes[n].ban != banNone && p.nodes[n].inst < 0 && !p.explaining {
			continue
		}
		for _, r := range p.requirements(n) {
			reachGoal(p, r.goal)
		}
	}
}

func reachGoal(p *problem, g *goal) {
	switch g.kind {
	case goalAtom:
		p.anyList(g.atom)
	case goalAll, goalAny:
		for _, k := range g.kids {
			reachGoal(p, k)
		}
	}
}

// unless returns what to add to a clause so that it only binds while a fact
// holds: the negated guard, or nothing.
func (f *formula) unless(kind factKind, a, b int32) sat.Lit {
	if f.level < guardSubscriptions || f.level == guardSubscriptions && kind != factSubscription {
		return 0
	}
	return f.guardOf(fact{kind: kind, a: a, b: b}).Not()
}

// tells reports whether the formula is about a fact.
func (f *formula) tells(kind factKind, a, b int32) bool {
	return f.only == nil || f.only[fact{kind: kind, a: a, b: b}]
}

// guardOf returns the guard of a fact, making it when the fact is first met.
func (f *formula) guardOf(k fact) sat.Lit {
	g, ok := f.guard[k]
	if !ok {
		g = f.s.NewVar()
		f.guard[k] = g
		f.facts = append(f.facts, k)
	}
	return g
}

// clock is the time where somebody wants to know how long things take.
func (f *formula) clock() time.Time {
	if f.observer == nil {
		return time.Time{}
	}
	return time.Now()
}

// solve asks the solver, and keeps the books.
func (f *formula) solve(assumptions ...sat.Lit) sat.Status {
	p := f.p
	if p.stopped() {
		return sat.Unknown
	}
	start := f.clock()
	status, err := f.s.Solve(p.Context(), assumptions...)
	p.Solves++
	if f.observer != nil {
		f.observer.Solved(f, status, len(assumptions), time.Since(start))
	}
	f.failed(err)
	return status
}

// failed ends the work with what ended a solve, if anything did.
func (f *formula) failed(err error) {
	var budget *sat.BudgetError
	if errors.As(err, &budget) {
		f.p.exceed(resourceSolves, uint64(f.p.Limits().Solves))
		return
	}
	f.p.fail(err)
}

// Variables is how many variables the formula has.
func (f *formula) Variables() int { return f.s.Vars() }

// Clauses is how many clauses it has.
func (f *formula) Clauses() int { return f.s.Clauses() }

// Bundles is how many bundles it is about.
func (f *formula) Bundles() int { return len(f.p.nodes) }

// Purpose is what the latest solver call was for.
func (f *formula) Purpose() purpose { return f.purpose }

// For says what the coming solver calls are for.
func (f *formula) For(p purpose) { f.purpose = p }

// Facts are the facts that can be dropped, in the order in which they were met.
func (f *formula) Facts() []fact { return f.facts }

// Guard is the literal that has a fact count.
func (f *formula) Guard(k fact) sat.Lit { return f.guard[k] }

// Has reports whether a bundle is in the latest model.
func (f *formula) Has(n nodeID) bool { return f.lits[n] != 0 && f.s.Value(f.lits[n]) }

// Blamed lists the assumptions that the solver found to clash just now.
func (f *formula) Blamed() []sat.Lit { return f.s.Failed() }

// Minimize drops assumptions, the last ones first, until none can be dropped for the
// rest to clash; nil if the work was stopped. also is for sat.MinimizeOptions.
func (f *formula) Minimize(guards []sat.Lit, also func(sat.Lit, []sat.Lit) []sat.Lit) []sat.Lit {
	f.purpose = purposeMinimize
	opts := sat.MinimizeOptions{Also: also}
	if f.observer != nil {
		opts.Observe = func(status sat.Status, assumptions int, took time.Duration) {
			f.observer.Solved(f, status, assumptions, took)
		}
	}
	core, err := sat.Minimize(f.p.Context(), f.s, guards, opts)
	f.p.Solves += f.s.Solves()
	f.failed(err)
	if f.p.stopped() {
		return nil
	}
	return core
}
