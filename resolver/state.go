package resolver

import (
	"iter"
	"slices"
)

// decisionKind says what a decision is about.
type decisionKind uint8

const (
	decideInstalled decisionKind = iota // an installed bundle that must stay
	decideSubscription
	decideForced
	decideGoal // a constraint of a chosen bundle
)

// decision is one entry of the queue of section 6.
type decision struct {
	kind decisionKind
	sub  int32  // index of the subscription, the installed or the forced bundle
	from nodeID // for a goal: the bundle that declares it
	req  int32  // for a goal: the requirement that it is part of
	goal *goal
}

// option is one way to satisfy a decision: a bundle to be in the set, a part of
// an `any` to commit to, or both.
type option struct {
	node    nodeID // noNode for what needs nothing
	child   *goal  // of an `any`: the child that it is an option of
	commits []*goal
}

// choice is an option that was chosen, with what it takes to undo it.
type choice struct {
	decision int // index into the queue
	option   int // index among the decision's options
	opt      option
	from     nodeID // for a goal: the bundle that declares it
	fresh    bool   // the node was not in the set before
	// sizes before the choice
	queue, bans, passed int
}

// state is what has been chosen so far. It can go back to any earlier choice.
type state struct {
	p      *problem
	opts   searchOptions
	queue  []decision
	head   int // the next decision
	look   int // how many levels a quick refutation follows
	trail  []choice
	chosen []nodeID
	in     []int32  // by node: 0 if it is out, the number of its choice from 1, or supposed
	byPkg  []nodeID // by package, noNode if free
	byGVK  []nodeID // by GVK, noNode if free
	byGrp  []nodeID // by exclusive group
	beside []nodeID // chosen bundles whose place another one has, see lenient.go
	bans   []prohibition
	// passed are the options refused by the decisions of the trail, each with
	// the index of the choice that was made instead.
	passed []passedOver

	proof    *proof         // what refutations are to name their reasons to, nil mostly
	nogoods  nogoods        // which choices were found not to go together
	deepest  depth          // the deepest dead end so far
	deadEnds int            // how many have come since that led no deeper
	scratch  *searchScratch // that all of this is in, nil for a small search
}

// prohibition is a prohibition in force, and the bundle that declares it.
type prohibition struct {
	goal *goal
	from nodeID
}

// depth says how far decisions have got: how many choices are made, and how many
// decisions are left.
type depth struct{ decided, pending int }

// supposed is the number of the choice of a node that is in the set for the sake of
// the argument only.
const supposed int32 = -1

type passedOver struct {
	choice int
	node   nodeID
}

// options are the settings of a search.
type searchOptions struct {
	// DeadEnds is how many dead ends in a row may lead no deeper than an earlier one
	// before the solver is asked.
	DeadEnds int
	// Observer is told what the search does; nil for nobody.
	Observer observer
	// Memory is where large searches get memory to use again; nil for none.
	Memory *searchMemory
}

// newState queues the first decisions: installed bundles that must stay, the
// subscriptions, then what is forced (step 1 of section 6).
func newState(p *problem, opts searchOptions) *state {
	st := &state{p: p, opts: opts, look: shortLook, byGrp: make([]nodeID, len(p.groups))}
	for i := range st.byGrp {
		st.byGrp[i] = noNode
	}
	owned := p.ownedInstalled()
	for i, n := range p.inst {
		if n != noNode && p.stays(int32(i), owned) {
			st.queue = append(st.queue, decision{kind: decideInstalled, sub: int32(i), from: noNode})
		}
	}
	for i := range p.subs {
		if !p.subs[i].left {
			st.queue = append(st.queue, decision{kind: decideSubscription, sub: int32(i), from: noNode})
		}
	}
	for i := range p.force {
		if !p.force[i].Left {
			st.queue = append(st.queue, decision{kind: decideForced, sub: int32(i), from: noNode})
		}
	}
	return st
}

// reached says how far the decisions got at best.
func (st *state) reached() (decided, pending int) {
	if len(st.trail) < st.deepest.decided {
		return st.deepest.decided, st.deepest.pending
	}
	return len(st.trail), len(st.queue) - st.head
}

// has reports whether a node is chosen.
func (st *state) has(n nodeID) bool { return int(n) < len(st.in) && st.in[n] != 0 }

// slot reads a table that grows with the problem.
func slot(table []nodeID, i int32) nodeID {
	if int(i) < len(table) {
		return table[i]
	}
	return noNode
}

func setSlot(table []nodeID, i int32, n nodeID) []nodeID {
	if int(i) >= cap(table) {
		table = slices.Grow(table, max(int(i)+1-len(table), len(table), 16))
	}
	for len(table) <= int(i) {
		table = append(table, noNode)
	}
	table[i] = n
	return table
}

// satisfied reports whether what is chosen makes a goal of a bundle hold already. A
// prohibition counts only once it was made.
func (st *state) satisfied(g *goal, from nodeID) bool {
	switch g.kind {
	case goalTrue:
		return true
	case goalAtom:
		return st.matched(g.atom)
	case goalAll:
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !st.satisfied(k, from) })
	case goalAny:
		return slices.ContainsFunc(g.kids, func(k *goal) bool { return st.satisfied(k, from) })
	case goalBan:
		return slices.ContainsFunc(st.bans, func(b prohibition) bool {
			return b.goal.key == g.key && (st.p.lenient == nil || st.p.nodes[b.from].inst < 0 || st.p.nodes[from].inst >= 0)
		})
	default:
		return false
	}
}

// violated reports whether a formula without negation, which a bundle prohibits,
// holds.
func (st *state) violated(g *goal, from nodeID) bool {
	if st.p.lenient == nil {
		return st.satisfied(g, from)
	}
	switch g.kind {
	case goalAtom:
		return st.violator(g.atom, from) != noNode
	case goalAll:
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !st.violated(k, from) })
	case goalAny:
		return slices.ContainsFunc(g.kids, func(k *goal) bool { return st.violated(k, from) })
	default:
		return g.kind == goalTrue
	}
}

// violator is a chosen bundle that matches an atom which a bundle prohibits, or
// noNode.
func (st *state) violator(a *atom, from nodeID) nodeID {
	if st.p.lenient == nil {
		return st.match(a)
	}
	for _, n := range st.chosen {
		if st.p.matches(a, n) && !st.p.toleratedBy(from, n) {
			return n
		}
	}
	return noNode
}

// matched reports whether a chosen bundle matches an atom.
func (st *state) matched(a *atom) bool { return st.match(a) != noNode }

// match returns a chosen bundle that matches an atom, or noNode.
func (st *state) match(a *atom) nodeID {
	switch a.kind {
	case atomGVK:
		return slot(st.byGVK, a.gvk)
	case atomPackage:
		if n := slot(st.byPkg, a.pkg); n != noNode && st.p.matches(a, n) {
			return n
		}
		for _, n := range st.beside {
			if st.p.matches(a, n) {
				return n
			}
		}
		return noNode
	default:
		return st.tested(a)
	}
}

// tested is match for atoms that have to be evaluated per bundle.
func (st *state) tested(a *atom) nodeID {
	for n := range st.eligible(a) {
		if st.p.matches(a, n) {
			return n
		}
	}
	return noNode
}

// eligible goes through the chosen bundles that can match a tested atom at all.
func (st *state) eligible(a *atom) iter.Seq[nodeID] {
	if a.tests.within == nil {
		return slices.Values(st.chosen)
	}
	return func(yield func(nodeID) bool) {
		for _, pkg := range a.tests.within {
			if n := slot(st.byPkg, pkg); n != noNode && !yield(n) {
				return
			}
		}
		for _, n := range st.p.inst {
			if n != noNode && st.has(n) && !yield(n) {
				return
			}
		}
	}
}

// choose takes an option.
func (st *state) choose(decision, index int, o option) {
	d := st.queue[decision]
	c := choice{decision: decision, option: index, opt: o, from: d.from,
		queue: len(st.queue), bans: len(st.bans), passed: len(st.passed)}
	if o.node != noNode && !st.has(o.node) {
		c.fresh = true
		st.put(o.node)
	}
	for _, g := range o.commits {
		st.enqueue(d.from, d.req, g)
	}
	st.trail = push(st.trail, c)
}

// put adds a node and queues its constraints.
func (st *state) put(n nodeID) {
	if len(st.chosen) >= largeSearch {
		st.grow()
	}
	st.p.grow()
	st.mark(n, int32(len(st.trail)+1))
	for i, r := range st.p.requirements(n) {
		st.enqueue(n, int32(i), r.goal)
	}
}

// mark adds a node, as part of the choice of that number.
func (st *state) mark(n nodeID, number int32) {
	nd := &st.p.nodes[n]
	for len(st.in) <= int(n) {
		st.in = push(st.in, 0)
	}
	st.in[n] = number
	st.chosen = push(st.chosen, n)
	if st.p.lenient != nil && st.standBeside(n) {
		return
	}
	st.byPkg = setSlot(st.byPkg, nd.pkg, n)
	for _, g := range nd.gvks {
		st.byGVK = setSlot(st.byGVK, g, n)
	}
	for _, g := range nd.exclusive {
		st.byGrp[g] = n
	}
}

// enqueue queues a goal: the parts of an `all` in their order, a prohibition at
// once (step 3 of section 6).
func (st *state) enqueue(from nodeID, req int32, g *goal) {
	switch g.kind {
	case goalAll:
		for _, k := range g.kids {
			st.enqueue(from, req, k)
		}
	case goalBan:
		st.bans = append(st.bans, prohibition{g, from})
	case goalAtom, goalAny:
		st.queue = push(st.queue, decision{kind: decideGoal, from: from, req: req, goal: g})
	}
}

// back undoes all choices from the i-th on.
func (st *state) back(i int) {
	for len(st.trail) > i {
		c := st.trail[len(st.trail)-1]
		st.trail = st.trail[:len(st.trail)-1]
		st.queue, st.bans, st.passed = st.queue[:c.queue], st.bans[:c.bans], st.passed[:c.passed]
		st.head = c.decision
		if c.fresh {
			st.unmark(c.opt.node)
		}
	}
}

// unmark removes the node that was added last.
func (st *state) unmark(n nodeID) {
	nd := &st.p.nodes[n]
	st.in[n] = 0
	st.chosen = st.chosen[:len(st.chosen)-1]
	if k := len(st.beside) - 1; k >= 0 && st.beside[k] == n {
		st.leaveBeside(n)
		return
	}
	st.byPkg[nd.pkg] = noNode
	for _, g := range nd.gvks {
		st.byGVK[g] = noNode
	}
	for _, g := range nd.exclusive {
		st.byGrp[g] = noNode
	}
}
