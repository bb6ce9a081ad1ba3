package search

import (
	"cmp"
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// DecisionKind is the kind of a decision.
type DecisionKind uint8

const (
	DecideInstalled DecisionKind = iota // an installed bundle that must stay
	DecideSubscription
	DecideForced
	DecideGoal // a constraint of a selected bundle
)

// Decision is one entry of the queue of section 6.
type Decision struct {
	Kind DecisionKind
	Of   int32          // index of the demand, the installed or the forced bundle
	From problem.NodeID // for a goal: the bundle that declares it
	Req  int32          // for a goal: the requirement that it is part of
	Goal *problem.Goal
	// cause is the literal that requires the decision, noLiteral if it is always required.
	cause literal
}

// Option is one way to satisfy a decision: a bundle to be in the set, a part of
// an `any` to commit to, or both.
type Option struct {
	Node    problem.NodeID // NoNode if it requires no bundle
	Child   *problem.Goal  // of an `any`: the child that it is an option of
	Commits []*problem.Goal
}

// Choice is a selected option, with the data to undo it.
type Choice struct {
	Decision int // index into the queue
	Option   int // index among the decision's options
	Picked   Option
	From     problem.NodeID // for a goal: the bundle that declares it
	Fresh    bool           // the node was not in the set before
	// lengths of the lists before the choice
	queue, bans, rejected, assigned int
}

// State is the state of a search. It can backtrack to any earlier choice.
type State struct {
	p           *problem.Problem
	u           *problem.Universe // of p
	observer    *observer         // nil for none
	maxDeadEnds int               // max conflicts without progress
	memory      *Memory
	lists
	scratch    *lists           // the pooled lists in use, nil for a small search
	head       int              // the next decision
	lookDepth  int              // levels of requirements that a look follows
	byGrp      []problem.NodeID // by exclusive group
	Coexisting []problem.NodeID // selected bundles that share a place with another one, see problem.Assumptions
	bans       []prohibition
	// Indexes of the prohibitions and selected bundles, once there are many.
	bansByKey, chosenByKey problem.Index
	// Rejected are the options that the decisions of the trail rejected.
	Rejected []RejectedOption
	anys     map[anyKey][]Option // cache of AnyOptions

	few struct { // initial backing arrays of the lists
		assigned [4]assignment
		vars     [4]variable
	}
	clauses
	options   map[optionKey]int32 // variables of options with commitments
	kept      []assignment        // scratch buffer of unassign
	repeated  int                 // assignments propagated again since the latest backjump
	jump      int32               // 1 + the level to backjump to after the next decision, or 0
	resolved  []int32             // scratch buffer of analyze
	touched   []int32             // scratch buffer of touching
	proof     *proofLog           // nil for none
	why       reasons             // of the current look
	rejection rejection           // the latest
	conflict  *clause             // violated clause that the current look found
	supposing int32               // number of supposed bundles
	next      int                 // the first assignment that is not propagated yet
	root      int32               // the level up to which choices are final
	deepest   depth               // the deepest conflict so far
	reached   int                 // variables at the latest progress
	deadEnds  int                 // conflicts since the latest progress
	steps     int                 // decisions and propagated literals, repeated ones included
}

// prohibition is an active prohibition, with the bundle that declares it.
type prohibition struct {
	goal  *problem.Goal
	from  problem.NodeID
	cause literal // that activates it
}

// depth is the progress of the decisions: the number of choices, and of pending decisions.
type depth struct{ decided, pending int }

// RejectedOption is an option that was rejected before another one was selected.
type RejectedOption struct {
	Choice int // index of the choice in the trail
	Node   problem.NodeID
}

// Settings are the options of a search.
type Settings struct {
	// DeadEnds is the max number of conflicts without progress before the solver is used.
	DeadEnds int
	// Look is the number of levels of requirements that a look follows; 0 for the default, negative
	// for none. It affects the work, not the answer.
	Look int
	// Observer is called during the search, in the order of its work; nil for no observer.
	Observer func(trace.Event)
	// Proof logs the derived clauses, for [State.Proof].
	Proof bool
	// Memory pools the lists of large searches; nil for none.
	Memory *Memory
}

// newState queues the first decisions: installed bundles that must stay, demands, then forced
// bundles (step 1 of section 6).
func newState(p *problem.Problem, opts Settings) *State {
	st := &State{p: p, u: p.Universe, maxDeadEnds: opts.DeadEnds, memory: opts.Memory, lookDepth: max(cmp.Or(opts.Look, defaultDepth), 0), byGrp: make([]problem.NodeID, len(p.Demands.Groups))}
	if opts.Observer != nil {
		st.observer = &observer{call: opts.Observer, said: make(map[worded]string)}
	}
	if opts.Proof {
		st.proof = &proofLog{optionOf: make(map[int32]OptionOf)}
	}
	st.why.st, st.assigned, st.vars = st, st.few.assigned[:0], st.few.vars[:0]
	for i := range st.byGrp {
		st.byGrp[i] = problem.NoNode
	}
	for i, kept := range p.Demands.Kept {
		if kept {
			st.Queue = append(st.Queue, Decision{Kind: DecideInstalled, Of: int32(i), From: problem.NoNode, cause: noLiteral})
		}
	}
	for s := range p.Active() {
		st.Queue = append(st.Queue, Decision{Kind: DecideSubscription, Of: s.Index, From: problem.NoNode, cause: noLiteral})
	}
	for i := range p.Demands.Forced {
		st.Queue = append(st.Queue, Decision{Kind: DecideForced, Of: int32(i), From: problem.NoNode, cause: noLiteral})
	}
	return st
}

// step counts a step of the search, and reports whether the work was stopped.
func (st *State) step() bool {
	st.steps++
	if limit := st.p.Budget.Limits.Steps; limit > 0 && st.steps > limit {
		st.p.Budget.Exhaust(problem.ResourceSteps, uint64(limit))
	}
	return st.p.Budget.Step()
}

// Reached returns the best progress of the decisions.
func (st *State) Reached() (decided, pending int) {
	if len(st.Trail) < st.deepest.decided {
		return st.deepest.decided, st.deepest.pending
	}
	return len(st.Trail), len(st.Queue) - st.head
}

// Has reports whether a node is selected or supposed.
func (st *State) Has(n problem.NodeID) bool { return st.numberOf(n) != 0 }

// numberOf returns the number, from 1, of the choice that selected a node; negative if the node is
// supposed, 0 if it is not in the set.
func (st *State) numberOf(n problem.NodeID) int32 {
	if int(n) < len(st.in) {
		return st.in[n]
	}
	return 0
}

// satisfied reports whether the selected bundles already satisfy a goal of a bundle. A prohibition
// is satisfied only if it is active already.
func (st *State) satisfied(g *problem.Goal, from problem.NodeID) bool {
	if g.Kind == problem.GoalAtom { // the usual case
		return st.matched(g.Atom)
	}
	return g.Holds(st.matched, func(ban *problem.Goal) bool {
		return st.prohibited(ban, func(b *prohibition) bool {
			return !st.p.Assumptions.IgnoresLenient(b.from) || st.u.Nodes[from].Inst >= 0
		})
	})
}

// matched reports whether a selected bundle matches an atom.
func (st *State) matched(a *problem.Atom) bool { return st.Match(a) != problem.NoNode }

// Holds reports whether a goal of a bundle holds in the set.
func (st *State) Holds(g *problem.Goal, from problem.NodeID) bool {
	return g.Holds(st.matched, func(ban *problem.Goal) bool { return !st.violated(ban.Kids[0], from, nil) })
}

// violated reports whether a formula that a bundle prohibits holds, and adds the bundles that
// satisfy it to the reasons.
func (st *State) violated(g *problem.Goal, from problem.NodeID, why *reasons) bool {
	return g.HoldsWithReasons(problem.Why{Reasons: why}, func(a *problem.Atom) bool {
		n := st.violator(a, from)
		if n != problem.NoNode {
			why.node(n)
		}
		return n != problem.NoNode
	}, nil)
}

// violator returns a selected bundle that matches an atom which a bundle prohibits, or NoNode.
func (st *State) violator(a *problem.Atom, from problem.NodeID) problem.NodeID {
	if !st.p.Assumptions.IgnoresLenient(from) {
		return st.Match(a)
	}
	for _, n := range st.Chosen {
		if st.u.Matches(a, n) && !st.p.Assumptions.IsLenient(n) {
			return n
		}
	}
	return problem.NoNode
}

// Match returns a selected bundle that matches an atom, or NoNode.
func (st *State) Match(a *problem.Atom) problem.NodeID {
	switch a.Kind {
	case problem.AtomGVK:
		if n := slot(st.byGVK, a.GVK); n != problem.NoNode && st.Has(n) {
			return n
		}
	case problem.AtomPackage:
		if n := slot(st.byPkg, a.Pkg); n != problem.NoNode && st.Has(n) && st.u.Matches(a, n) {
			return n
		}
	default:
		return st.tested(a)
	}
	for _, n := range st.Coexisting {
		if st.u.Matches(a, n) {
			return n
		}
	}
	return problem.NoNode
}

// tested is Match for atoms that are evaluated per bundle.
func (st *State) tested(a *problem.Atom) problem.NodeID {
	for n := range st.Eligible(a) {
		if st.u.Matches(a, n) {
			return n
		}
	}
	return problem.NoNode
}

// Eligible yields the selected bundles that may match a tested atom.
func (st *State) Eligible(a *problem.Atom) iter.Seq[problem.NodeID] {
	if a.Tested.Within == nil {
		return st.chosenFor(a)
	}
	return func(yield func(problem.NodeID) bool) {
		for _, pkg := range a.Tested.Within {
			if n := slot(st.byPkg, pkg); n != problem.NoNode && st.Has(n) && !yield(n) {
				return
			}
		}
		for _, n := range st.u.Installed(a) {
			if n != problem.NoNode && st.Has(n) && !yield(n) {
				return
			}
		}
	}
}

// The lengths up to which lists are scanned, not indexed.
const (
	fewBans   = 8
	fewChosen = 32
)

// chosenFor yields the selected bundles that may match an atom, in the order of their selection.
func (st *State) chosenFor(a *problem.Atom) iter.Seq[problem.NodeID] {
	if len(st.Chosen) <= fewChosen {
		return slices.Values(st.Chosen)
	}
	st.chosenByKey.Grow(len(st.Chosen), st.keysOfChosen)
	found := st.chosenByKey.Find(a.Keys())
	return func(yield func(problem.NodeID) bool) {
		for _, i := range found {
			if !yield(st.Chosen[i]) {
				return
			}
		}
	}
}

func (st *State) keysOfChosen(i int) iter.Seq[problem.Key] { return st.u.KeysOf(st.Chosen[i]) }

// keysOfBan yields the key of a prohibition and the keys of its atoms.
func (st *State) keysOfBan(i int) iter.Seq[problem.Key] {
	return func(yield func(problem.Key) bool) {
		ban := st.bans[i].goal
		if !yield(problem.Prohibition(ban)) {
			return
		}
		for a := range ban.Atoms() {
			for k := range a.Keys() {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// prohibited reports whether an equal prohibition is active and satisfies a condition.
func (st *State) prohibited(ban *problem.Goal, where func(*prohibition) bool) bool {
	if len(st.bans) <= fewBans {
		return slices.ContainsFunc(st.bans, func(b prohibition) bool { return b.goal.Key == ban.Key && where(&b) })
	}
	st.bansByKey.Grow(len(st.bans), st.keysOfBan)
	return st.bansByKey.Has(problem.Prohibition(ban), func(i int32) bool { return where(&st.bans[i]) })
}

// choose selects an option, which opens a decision level.
func (st *State) choose(decision, index int, o Option) {
	d := st.Queue[decision]
	c := Choice{Decision: decision, Option: index, Picked: o, From: d.From,
		queue: len(st.Queue), bans: len(st.bans), rejected: len(st.Rejected), assigned: len(st.assigned)}
	level, cause := int32(len(st.Trail)+1), noLiteral
	if len(o.Commits) > 0 {
		cause = st.optionLiteral(d, index, o)
		if st.assignmentOf(cause) == nil {
			st.assign(assignment{literal: cause, level: level, by: noLiteral})
		}
	}
	if o.Node != problem.NoNode && !st.Has(o.Node) {
		c.Fresh = true
		if l := st.literal(o.Node); st.assignmentOf(l) == nil {
			st.assign(assignment{literal: l, level: level, by: cause})
		}
		st.put(o.Node)
	}
	for _, g := range o.Commits {
		st.enqueue(d.From, d.Req, g, cause)
	}
	st.Trail = problem.Push(st.Trail, c)
}

// put selects a node and queues its constraints.
func (st *State) put(n problem.NodeID) {
	if len(st.Chosen) >= largeSearch {
		st.grow()
	}
	st.u.Grow()
	st.mark(n, int32(len(st.Trail)+1))
	cause := st.literal(n)
	for i, r := range st.p.Requirements(n) {
		st.enqueue(n, int32(i), r.Goal, cause)
	}
}

// suppose adds a node temporarily, for a look.
func (st *State) suppose(n problem.NodeID) problem.NodeID {
	st.supposing++
	st.mark(n, -st.supposing)
	return n
}

// withdraw removes the node that was supposed last.
func (st *State) withdraw(n problem.NodeID) {
	st.supposing--
	st.unmark(n)
}

// enqueue queues a goal: the parts of an `all` in order; a prohibition becomes active at once (step
// 3 of section 6).
func (st *State) enqueue(from problem.NodeID, req int32, g *problem.Goal, cause literal) {
	switch g.Kind {
	case problem.GoalAll:
		for _, k := range g.Kids {
			st.enqueue(from, req, k, cause)
		}
	case problem.GoalBan:
		st.prohibit(prohibition{g, from, cause})
	case problem.GoalAtom, problem.GoalAny:
		st.Queue = problem.Push(st.Queue, Decision{Kind: DecideGoal, From: from, Req: req, Goal: g, cause: cause})
	}
}

// prohibit activates a prohibition, unless an equal one is active that applies to the same bundles:
// that one lasts longer.
func (st *State) prohibit(b prohibition) {
	if !st.prohibited(b.goal, func(other *prohibition) bool {
		return st.p.Assumptions.IgnoresLenient(other.from) == st.p.Assumptions.IgnoresLenient(b.from)
	}) {
		st.bans = append(st.bans, b)
	}
}

// back backtracks to level i: it undoes all choices from the i-th on.
func (st *State) back(i int, why argument.Rejection) {
	if st.observer != nil {
		st.emitBacktrack(i, why)
	}
	if len(st.Trail) <= i {
		return
	}
	first := st.Trail[i].assigned
	st.bansByKey.Shrink(st.Trail[i].bans, st.keysOfBan)
	for len(st.Trail) > i {
		c := st.Trail[len(st.Trail)-1]
		st.Trail = st.Trail[:len(st.Trail)-1]
		st.Queue, st.bans, st.Rejected = st.Queue[:c.queue], st.bans[:c.bans], st.Rejected[:c.rejected]
		st.head = c.Decision
		if c.Fresh {
			st.unmark(c.Picked.Node)
		}
	}
	st.unassign(first, int32(i))
}
