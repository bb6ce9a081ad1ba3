package certificate

import (
	"slices"

	"github.com/seed109e2655/resolute/constraints"
)

// What the values so far make of a node or a goal.
const (
	isFalse = -1
	isOpen  = 0
	isTrue  = 1
)

// checker holds a proof against a world. What it assigns, it undoes in the opposite order; it
// decides nothing.
type checker struct {
	*world
	proof    []*node // the nodes of the proof by number
	lemmas   [][]int
	trail    []*node
	members  []*node   // the bundles in the set, as far as they are known
	occupied [][]*node // members by place
	bans     []banned  // of members and of selected options
}

// banned is a prohibition and the bundle that declares it.
type banned struct {
	goal *goal
	by   *node
}

func (c *checker) at0(place int) []*node {
	if place < len(c.occupied) {
		return c.occupied[place]
	}
	return nil
}

// out reports whether a node cannot be in the set with what is in it: it can never be, it clashes
// with a member (rule 1), or a prohibition forbids it (rule 3).
func (c *checker) out(n *node) bool {
	switch {
	case n.value != isOpen:
		return n.value == isFalse
	case n.Bundle == nil:
		return n.pick != nil && c.out(n.pick)
	}
	return c.bars(n) || c.clashes(n) || slices.ContainsFunc(c.bans, func(b banned) bool {
		return c.touches(b.goal.kids[0], n) && c.holds(b.goal.kids[0], b.by, true, n)
	})
}

// clashes reports whether a member has a place of a node.
func (c *checker) clashes(n *node) bool {
	return slices.ContainsFunc(n.places, func(p int) bool {
		others := c.at0(p)
		return len(others) > 0 && (others[0] != n || len(others) > 1) && c.counts(c.places[p])
	})
}

func (c *checker) touches(g *goal, n *node) bool {
	if g.kind == match {
		return c.satisfies(g.atom, n)
	}
	return slices.ContainsFunc(g.kids, func(k *goal) bool { return c.touches(k, n) })
}

// holds evaluates a goal that a bundle declares in the set as it is, with one more bundle if that
// is not nil. Prohibitions of installed bundles do not count against lenient ones.
func (c *checker) holds(g *goal, of *node, prohibited bool, more *node) bool {
	each := func(k *goal) bool { return c.holds(k, of, prohibited, more) }
	switch g.kind {
	case ban:
		return !c.holds(g.kids[0], of, true, more)
	case allOf:
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !each(k) })
	case anyOf:
		return slices.ContainsFunc(g.kids, each)
	}
	spares := prohibited && of.in != nil && len(c.stage.lenient) > 0
	fits := func(n *node) bool { return !(spares && n.in != nil && c.stage.lenient[n.Name]) && c.fulfils(g, n) }
	return more != nil && fits(more) || slices.ContainsFunc(c.near(g), fits)
}

// fulfils reports whether a bundle makes a match hold.
func (c *checker) fulfils(g *goal, n *node) bool {
	if g.demand {
		return slices.Contains(g.list, n)
	}
	return c.satisfies(g.atom, n)
}

// near returns the members that can make a match hold.
func (c *checker) near(g *goal) []*node {
	p := place{kind: "package"}
	switch k := g.atom.(type) {
	case *constraints.Package:
		p.name = k.Name
	case *constraints.GVK:
		p.kind, p.api = "gvk", k.GVK
	default:
		return c.members
	}
	if len(c.stage.lenient) > 0 {
		return c.members
	}
	if k, known := c.placeOf[p]; known {
		return c.at0(k)
	}
	return nil
}

// left returns a node that can make a match hold, a member if there is one, and whether there are
// others; nil if there is none.
func (c *checker) left(g *goal, of *node) (last *node, many bool) {
	for _, n := range c.near(g) {
		if c.fulfils(g, n) {
			return n, false
		}
	}
	for n := range c.matches(g, of.cat) {
		if c.step() {
			return n, true
		}
		if !c.out(n) {
			if last != nil {
				return last, true
			}
			last = n
		}
	}
	return last, false
}

// state evaluates a goal of a node. A prohibition is true once it is in force.
func (c *checker) state(g *goal, of *node) int {
	switch g.kind {
	case match:
		switch last, many := c.left(g, of); {
		case last == nil:
			return isFalse
		case many:
			return isOpen
		default:
			return max(last.value, isOpen)
		}
	case ban:
		if c.holds(g, of, false, nil) {
			return c.inForce(g, of)
		}
		return isFalse
	}
	decides, all := isTrue, isFalse
	if g.kind == allOf {
		decides, all = isFalse, isTrue
	}
	for _, k := range g.kids {
		switch s := c.state(k, of); s {
		case decides:
			return s
		case isOpen:
			all = isOpen
		}
	}
	if all == isOpen && g.kind == anyOf && c.noWay(g, of) {
		return isFalse
	}
	return all
}

func (c *checker) inForce(g *goal, of *node) int {
	if slices.ContainsFunc(c.bans, func(b banned) bool {
		return b.goal.kids[0] == g.kids[0] && (len(c.stage.lenient) == 0 || (b.by.in == nil) == (of.in == nil))
	}) {
		return isTrue
	}
	return isOpen
}

// noWay reports whether all options of an `any` are out, where the proof numbers options.
func (c *checker) noWay(g *goal, of *node) bool {
	if len(c.options) == 0 {
		return false
	}
	for i := range c.waysOf(g, of.cat) {
		if n := c.option(of, g, i); !c.out(n) {
			return false
		}
	}
	return true
}

// assign makes a literal true, and reports whether that is a contradiction.
func (c *checker) assign(l int) bool {
	n := c.proof[max(l, -l)]
	if l > 0 {
		return c.include(n)
	}
	if n.value == isOpen {
		n.value = isFalse
		c.trail = append(c.trail, n)
	}
	return n.value == isTrue
}

// include puts a node into the set, an option with its bundle, and reports whether that is a
// contradiction.
func (c *checker) include(n *node) bool {
	if n.value == isTrue {
		return false
	}
	if c.out(n) {
		return true
	}
	n.value = isTrue
	c.trail = append(c.trail, n)
	if n.Bundle != nil {
		c.members = append(c.members, n)
	}
	for _, p := range n.places {
		for len(c.occupied) <= p {
			c.occupied = append(c.occupied, nil)
		}
		c.occupied[p] = append(c.occupied[p], n)
	}
	by := n
	if n.of != nil {
		by = n.of
	}
	for _, r := range c.rulesOf(n) {
		if c.counts(r.facts...) {
			c.prohibit(r.goal, by)
		}
	}
	return n.pick != nil && c.include(n.pick)
}

// prohibit puts the prohibitions into force that a goal consists of.
func (c *checker) prohibit(g *goal, by *node) {
	switch g.kind {
	case ban:
		c.bans = append(c.bans, banned{g, by})
	case allOf:
		for _, k := range g.kids {
			c.prohibit(k, by)
		}
	}
}

// isFalse reports whether a literal is false.
func (c *checker) isFalse(l int) bool {
	if l < 0 {
		return c.proof[-l].value == isTrue
	}
	return c.out(c.proof[l])
}

// mark is a state to return to.
type mark struct{ trail, members, bans int }

func (c *checker) mark() mark { return mark{len(c.trail), len(c.members), len(c.bans)} }

func (c *checker) undo(m mark) {
	for _, n := range slices.Backward(c.trail[m.trail:]) {
		if n.value == isTrue {
			for _, p := range n.places {
				c.occupied[p] = c.occupied[p][:len(c.occupied[p])-1]
			}
		}
		n.value = isOpen
	}
	c.trail, c.members, c.bans = c.trail[:m.trail], c.members[:m.members], c.bans[:m.bans]
}

// refutes reports whether some literals lead to a contradiction by propagation: along the hints,
// or, without any, by everything.
func (c *checker) refutes(hints []int, assume ...int) bool {
	start := c.mark()
	defer c.undo(start)
	if slices.ContainsFunc(assume, c.assign) || slices.ContainsFunc(hints, c.follow) {
		return true
	}
	for i := start.trail; i < len(c.trail); i++ {
		if c.trail[i].value == isTrue && c.fails(c.trail[i]) {
			return true
		}
	}
	return len(hints) == 0 && c.saturate()
}

// fails reports whether a rule of a node is false.
func (c *checker) fails(n *node) bool {
	of := n
	if n.of != nil {
		of = n.of
	}
	return slices.ContainsFunc(c.rulesOf(n), func(r rule) bool { return c.counts(r.facts...) && c.state(r.goal, of) == isFalse })
}

// saturate propagates everything until nothing changes, and reports whether that ends in a
// contradiction.
func (c *checker) saturate() bool {
	for before := (mark{}); before != c.mark(); {
		before = c.mark()
		for hint := 1 - len(c.proof); hint <= len(c.lemmas); hint++ {
			if c.follow(hint) {
				return true
			}
		}
		for i := 0; i < len(c.members); i++ {
			if c.propagate(c.members[i]) {
				return true
			}
		}
	}
	return false
}

// follow makes one step of a propagation, and reports whether it is a contradiction: by a lemma, by
// the demands, or by what a node requires, which is out if that is false (rule 4).
func (c *checker) follow(hint int) bool {
	switch {
	case c.step() || hint > len(c.lemmas) || -hint >= len(c.proof):
		return false
	case hint > 0:
		return c.unit(c.lemmas[hint-1])
	case hint == 0:
		for before := -1; before != len(c.trail); {
			before = len(c.trail)
			if c.propagate(c.root) {
				return true
			}
		}
		return false
	}
	n := c.proof[-hint]
	if n.Bundle != nil && n.value == isTrue {
		return c.propagate(n)
	}
	before := c.mark()
	impossible := c.assign(-hint) || c.fails(n)
	c.undo(before)
	return impossible && c.assign(hint)
}

// unit makes the last literal of a lemma true that is not false (rule 5).
func (c *checker) unit(lemma []int) bool {
	last := 0
	for _, l := range lemma {
		switch {
		case c.isFalse(l):
		case last != 0:
			return false
		default:
			last = l
		}
	}
	return last == 0 || c.assign(last)
}

// propagate applies what a node of the set requires (rules 2 and 3).
func (c *checker) propagate(n *node) bool {
	return slices.ContainsFunc(c.rulesOf(n), func(r rule) bool { return c.counts(r.facts...) && c.impose(r.goal, n) })
}

// impose has a goal hold, and reports whether that is a contradiction.
func (c *checker) impose(g *goal, of *node) bool {
	each := func(k *goal) bool { return c.impose(k, of) }
	switch g.kind {
	case match:
		last, many := c.left(g, of)
		return last == nil || !many && c.include(last)
	case ban:
		if c.inForce(g, of) == isOpen {
			c.bans = append(c.bans, banned{g, of})
		}
		return !c.holds(g, of, false, nil)
	case allOf:
		return slices.ContainsFunc(g.kids, each)
	}
	var last *goal
	for _, k := range g.kids {
		switch s := c.state(k, of); {
		case s == isTrue || s == isOpen && last != nil:
			return false
		case s == isOpen:
			last = k
		}
	}
	return last == nil || each(last)
}
