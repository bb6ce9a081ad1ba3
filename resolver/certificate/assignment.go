package certificate

import "slices"

// What the assignments so far make of a node or a goal.
const (
	isFalse = -1
	isOpen  = 0
	isTrue  = 1
)

// assignment is a partial set: some nodes are in it, some are out, the others are open.
type assignment struct {
	*world
	members []*node // in the set, in the order of inclusion
	log     []change
}

// change is one of a node that was open, or of a goal that was not prohibited.
type change struct {
	node *node
	goal *goal
}

// set decides an open node until the log is rewound.
func (a *assignment) set(n *node, value int8) {
	n.value = value
	a.log = append(a.log, change{node: n})
	if value == isTrue {
		a.members = append(a.members, n)
		for _, p := range n.places {
			p.members = append(p.members, n)
		}
	}
}

// rewind undoes all changes but the first ones.
func (a *assignment) rewind(to int) {
	for _, c := range slices.Backward(a.log[to:]) {
		switch n := c.node; {
		case n == nil:
			c.goal.banned = false
		case n.value == isTrue:
			a.members = a.members[:len(a.members)-1]
			for _, p := range n.places {
				p.members = p.members[:len(p.members)-1]
			}
			fallthrough
		default:
			n.value = isOpen
		}
	}
	a.log = a.log[:to]
}

// include adds a node to the set, an option with its bundle, and reports whether that is a
// contradiction.
func (a *assignment) include(n *node) bool {
	if n.value == isTrue || a.out(n) {
		return n.value != isTrue
	}
	a.set(n, isTrue)
	for _, g := range a.required(n) {
		a.prohibit(g)
	}
	return n.pick != nil && a.include(n.pick)
}

// exclude takes a node out of the set, and reports whether that is a contradiction.
func (a *assignment) exclude(n *node) bool {
	if n.value == isOpen {
		a.set(n, isFalse)
	}
	return n.value == isTrue
}

// prohibit puts the prohibitions into force that a goal consists of.
func (a *assignment) prohibit(g *goal) {
	for _, k := range g.kids {
		switch {
		case g.kind == allOf:
			a.prohibit(k)
		case g.kind == ban && !k.banned:
			k.banned = true
			a.log = append(a.log, change{goal: k})
		}
	}
}

// out reports whether a node cannot be in the set: a fact excludes it, a member has a place of it
// (rule 1), or with it a prohibited goal would hold (rule 3).
func (a *assignment) out(n *node) bool {
	switch {
	case n.value != isOpen:
		return n.value == isFalse
	case n.Bundle == nil:
		return n.pick != nil && a.out(n.pick)
	}
	a.step()
	a.settle(n)
	taken := func(p *place) bool {
		rival := func(m *node) bool { return m != n && (m.in == nil || n.in == nil || !m.lenient && !n.lenient) }
		return slices.ContainsFunc(p.members, rival) && a.counts(p.fact)
	}
	violated := func(g *goal) bool {
		defer a.rewind(len(a.log))
		a.set(n, isTrue)
		return g.banned && a.holds(g)
	}
	return slices.ContainsFunc(n.exclusions, func(f fact) bool { return a.counts(f) }) || slices.ContainsFunc(n.places, taken) ||
		slices.ContainsFunc(n.bans, violated)
}

// holds reports whether a goal holds if all that is open is out.
func (a *assignment) holds(g *goal) bool {
	fails := func(k *goal) bool { return !a.holds(k) }
	switch g.kind {
	case match:
		among := a.members
		if g.atom == nil || len(g.list) < len(among) {
			among = g.list
		}
		return slices.ContainsFunc(among, func(n *node) bool { return n.value == isTrue && a.fulfils(g, n) })
	case anyOf:
		return slices.ContainsFunc(g.kids, a.holds)
	}
	return slices.ContainsFunc(g.kids, fails) == (g.kind == ban)
}

// possible reports whether a node that is open can make a match hold.
func (a *assignment) possible(g *goal, n *node) bool { return a.fulfils(g, n) && !a.out(n) }

// eval evaluates a goal that a node declares.
func (a *assignment) eval(g *goal, of *node) int {
	switch g.kind {
	case match:
		switch {
		case a.holds(g):
			return isTrue
		case slices.ContainsFunc(g.list, func(n *node) bool { return a.possible(g, n) }):
			return isOpen
		}
		return isFalse
	case ban:
		switch {
		case a.holds(g.kids[0]):
			return isFalse
		case g.kids[0].banned:
			return isTrue
		}
		return isOpen
	}
	decides, all := isTrue, isFalse
	if g.kind == allOf {
		decides, all = isFalse, isTrue
	}
	for _, k := range g.kids {
		switch a.eval(k, of) {
		case decides:
			return decides
		case isOpen:
			all = isOpen
		}
	}
	if all == isOpen && g.kind == anyOf && !slices.ContainsFunc(a.choices(g, of), func(n *node) bool { return !a.out(n) }) {
		return isFalse
	}
	return all
}
