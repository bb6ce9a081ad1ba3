package search

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// DecisionKind says what a decision is about.
type DecisionKind uint8

const (
	DecideInstalled DecisionKind = iota // an installed bundle that must stay
	DecideSubscription
	DecideForced
	DecideGoal // a constraint of a chosen bundle
)

// Decision is one entry of the queue of section 6.
type Decision struct {
	Kind DecisionKind
	Of   int32          // index of the subscription, the installed or the forced bundle
	From problem.NodeID // for a goal: the bundle that declares it
	Req  int32          // for a goal: the requirement that it is part of
	Goal *problem.Goal
}

// Option is one way to satisfy a decision: a bundle to be in the set, a part of
// an `any` to commit to, or both.
type Option struct {
	Node    problem.NodeID // NoNode for what needs nothing
	Child   *problem.Goal  // of an `any`: the child that it is an option of
	Commits []*problem.Goal
}

// Choice is an option that was chosen, with what it takes to undo it.
type Choice struct {
	Decision int // index into the queue
	Option   int // index among the decision's options
	Picked   Option
	From     problem.NodeID // for a goal: the bundle that declares it
	Fresh    bool           // the node was not in the set before
	// sizes before the choice
	queue, bans, passed int
}

// State is what has been chosen so far. It can go back to any earlier choice.
type State struct {
	p        *problem.View
	observer *observer // nil for none
	most     int       // dead ends that may lead no deeper
	memory   *Memory
	lists                     // what grows with what is chosen
	scratch  *lists           // that these are in, nil for a small search
	head     int              // the next decision
	Look     int              // how many levels a quick refutation follows
	byGrp    []problem.NodeID // by exclusive group
	Beside   []problem.NodeID // chosen bundles whose place another one has, see problem.Terms
	bans     []prohibition
	// passed are the options refused by the decisions of the trail, each with
	// the index of the choice that was made instead.
	Passed []PassedOver

	proof    *proof                                // what refutations are to name their reasons to, nil mostly
	refusal  *refusal                              // likewise, the last of them
	nogoods  map[problem.NodeID][][]problem.NodeID // by each bundle of a set that cannot be together: the others
	deepest  depth                                 // the deepest dead end so far
	deadEnds int                                   // how many have come since that led no deeper
}

// prohibition is a prohibition in force, and the bundle that declares it.
type prohibition struct {
	goal *problem.Goal
	from problem.NodeID
}

// depth says how far decisions have got: how many choices are made, and how many
// decisions are left.
type depth struct{ decided, pending int }

// supposed is the number of the choice of a node that is in the set for the sake of
// the argument only.
const supposed int32 = -1

// PassedOver is an option that a choice was made instead of.
type PassedOver struct {
	Choice int
	Node   problem.NodeID
}

// Settings are the options of a search.
type Settings struct {
	// DeadEnds is how many dead ends in a row may lead no deeper than an earlier one
	// before the solver is asked.
	DeadEnds int
	// Observer is called during the search, in the order of its work; nil for no observer.
	Observer func(trace.Event)
	// Memory is where large searches get memory to use again; nil for none.
	Memory *Memory
}

// newState queues the first decisions: installed bundles that must stay, the
// subscriptions, then what is forced (step 1 of section 6).
func newState(p *problem.View, opts Settings) *State {
	st := &State{p: p, most: opts.DeadEnds, memory: opts.Memory, Look: shortLook, byGrp: make([]problem.NodeID, len(p.Groups))}
	if opts.Observer != nil {
		st.observer = &observer{call: opts.Observer, said: make(map[fmt.Stringer]string)}
	}
	for i := range st.byGrp {
		st.byGrp[i] = problem.NoNode
	}
	for i := range p.Inst {
		if p.MustStay(i) {
			st.Queue = append(st.Queue, Decision{Kind: DecideInstalled, Of: int32(i), From: problem.NoNode})
		}
	}
	for s := range p.Asking() {
		st.Queue = append(st.Queue, Decision{Kind: DecideSubscription, Of: s.Index, From: problem.NoNode})
	}
	for i := range p.Force {
		st.Queue = append(st.Queue, Decision{Kind: DecideForced, Of: int32(i), From: problem.NoNode})
	}
	return st
}

// Reached says how far the decisions got at best.
func (st *State) Reached() (decided, pending int) {
	if len(st.Trail) < st.deepest.decided {
		return st.deepest.decided, st.deepest.pending
	}
	return len(st.Trail), len(st.Queue) - st.head
}

// Has reports whether a node is chosen.
func (st *State) Has(n problem.NodeID) bool { return int(n) < len(st.in) && st.in[n] != 0 }

// slot reads a table that grows with the problem.
func slot(table []problem.NodeID, i int32) problem.NodeID {
	if int(i) < len(table) {
		return table[i]
	}
	return problem.NoNode
}

func setSlot(table []problem.NodeID, i int32, n problem.NodeID) []problem.NodeID {
	if int(i) >= cap(table) {
		table = slices.Grow(table, max(int(i)+1-len(table), len(table), 16))
	}
	for len(table) <= int(i) {
		table = append(table, problem.NoNode)
	}
	table[i] = n
	return table
}

// satisfied reports whether what is chosen makes a goal of a bundle hold already. A
// prohibition counts only once it was made.
func (st *State) satisfied(g *problem.Goal, from problem.NodeID) bool {
	if g.Kind == problem.GoalAtom { // as mostly
		return st.matched(g.Atom)
	}
	return g.Holds(st.matched, func(ban *problem.Goal) bool {
		return slices.ContainsFunc(st.bans, func(b prohibition) bool {
			return b.goal.Key == ban.Key && (!st.p.Tolerant(b.from) || st.p.Nodes[from].Inst >= 0)
		})
	})
}

// matched reports whether a chosen bundle matches an atom.
func (st *State) matched(a *problem.Atom) bool { return st.Match(a) != problem.NoNode }

// Holds reports whether a goal of a bundle holds in what is chosen.
func (st *State) Holds(g *problem.Goal, from problem.NodeID) bool {
	return g.Holds(st.matched, func(ban *problem.Goal) bool { return !st.violated(ban.Kids[0], from) })
}

// violated reports whether a formula without negation, which a bundle prohibits, holds. It
// adds the choices that make it to the proof.
func (st *State) violated(g *problem.Goal, from problem.NodeID) bool {
	return g.HoldsFor(problem.Why{Reasons: st.proof}, func(a *problem.Atom) bool {
		n := st.violator(a, from)
		if n != problem.NoNode {
			st.proof.node(n)
		}
		return n != problem.NoNode
	}, nil)
}

// violator is a chosen bundle that matches an atom which a bundle prohibits, or
// NoNode.
func (st *State) violator(a *problem.Atom, from problem.NodeID) problem.NodeID {
	if !st.p.Tolerant(from) {
		return st.Match(a)
	}
	for _, n := range st.Chosen {
		if st.p.Matches(a, n) && !st.p.IsLenient(n) {
			return n
		}
	}
	return problem.NoNode
}

// Match returns a chosen bundle that matches an atom, or NoNode.
func (st *State) Match(a *problem.Atom) problem.NodeID {
	switch a.Kind {
	case problem.AtomGVK:
		return slot(st.byGVK, a.GVK)
	case problem.AtomPackage:
		if n := slot(st.byPkg, a.Pkg); n != problem.NoNode && st.p.Matches(a, n) {
			return n
		}
		for _, n := range st.Beside {
			if st.p.Matches(a, n) {
				return n
			}
		}
		return problem.NoNode
	default:
		return st.tested(a)
	}
}

// tested is match for atoms that have to be evaluated per bundle.
func (st *State) tested(a *problem.Atom) problem.NodeID {
	for n := range st.Eligible(a) {
		if st.p.Matches(a, n) {
			return n
		}
	}
	return problem.NoNode
}

// Eligible goes through the chosen bundles that can match a tested atom at all.
func (st *State) Eligible(a *problem.Atom) iter.Seq[problem.NodeID] {
	if a.Tested.Within == nil {
		return slices.Values(st.Chosen)
	}
	return func(yield func(problem.NodeID) bool) {
		for _, pkg := range a.Tested.Within {
			if n := slot(st.byPkg, pkg); n != problem.NoNode && !yield(n) {
				return
			}
		}
		for _, n := range st.p.Installed(a) {
			if n != problem.NoNode && st.Has(n) && !yield(n) {
				return
			}
		}
	}
}

// choose takes an option.
func (st *State) choose(decision, index int, o Option) {
	d := st.Queue[decision]
	c := Choice{Decision: decision, Option: index, Picked: o, From: d.From,
		queue: len(st.Queue), bans: len(st.bans), passed: len(st.Passed)}
	if o.Node != problem.NoNode && !st.Has(o.Node) {
		c.Fresh = true
		st.put(o.Node)
	}
	for _, g := range o.Commits {
		st.enqueue(d.From, d.Req, g)
	}
	st.Trail = problem.Push(st.Trail, c)
}

// put adds a node and queues its constraints.
func (st *State) put(n problem.NodeID) {
	if len(st.Chosen) >= largeSearch {
		st.grow()
	}
	st.p.Grow()
	st.mark(n, int32(len(st.Trail)+1))
	for i, r := range st.p.Requirements(n) {
		st.enqueue(n, int32(i), r.Goal)
	}
}

// mark adds a node, as part of the choice of that number. Where another bundle has a place
// of it already, as terms may allow, it stands beside that.
func (st *State) mark(n problem.NodeID, number int32) {
	nd := &st.p.Nodes[n]
	for len(st.in) <= int(n) {
		st.in = problem.Push(st.in, 0)
	}
	st.in[n] = number
	st.Chosen = problem.Push(st.Chosen, n)
	beside := slot(st.byPkg, nd.Pkg) != problem.NoNode
	if !beside {
		st.byPkg = setSlot(st.byPkg, nd.Pkg, n)
	}
	for _, g := range nd.GVKs {
		if has := slot(st.byGVK, g); has == problem.NoNode {
			st.byGVK = setSlot(st.byGVK, g, n)
		} else {
			beside = beside || has != n
		}
	}
	for _, g := range nd.Exclusive {
		st.byGrp[g] = n
	}
	if beside {
		st.Beside = append(st.Beside, n)
	}
}

// enqueue queues a goal: the parts of an `all` in their order, a prohibition at
// once (step 3 of section 6).
func (st *State) enqueue(from problem.NodeID, req int32, g *problem.Goal) {
	switch g.Kind {
	case problem.GoalAll:
		for _, k := range g.Kids {
			st.enqueue(from, req, k)
		}
	case problem.GoalBan:
		st.bans = append(st.bans, prohibition{g, from})
	case problem.GoalAtom, problem.GoalAny:
		st.Queue = problem.Push(st.Queue, Decision{Kind: DecideGoal, From: from, Req: req, Goal: g})
	}
}

// back undoes all choices from the i-th on.
func (st *State) back(i int, why argument.Rejection) {
	if st.observer != nil {
		st.tellBack(i, why)
	}
	for len(st.Trail) > i {
		c := st.Trail[len(st.Trail)-1]
		st.Trail = st.Trail[:len(st.Trail)-1]
		st.Queue, st.bans, st.Passed = st.Queue[:c.queue], st.bans[:c.bans], st.Passed[:c.passed]
		st.head = c.Decision
		if c.Fresh {
			st.unmark(c.Picked.Node)
		}
	}
}

// unmark removes the node that was added last.
func (st *State) unmark(n problem.NodeID) {
	nd := &st.p.Nodes[n]
	st.in[n] = 0
	st.Chosen = st.Chosen[:len(st.Chosen)-1]
	if k := len(st.Beside) - 1; k >= 0 && st.Beside[k] == n {
		st.Beside = st.Beside[:k]
	}
	if st.byPkg[nd.Pkg] == n {
		st.byPkg[nd.Pkg] = problem.NoNode
	}
	for _, g := range nd.GVKs {
		if st.byGVK[g] == n {
			st.byGVK[g] = problem.NoNode
		}
	}
	for _, g := range nd.Exclusive {
		st.byGrp[g] = problem.NoNode
	}
}
