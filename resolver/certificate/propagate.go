package certificate

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/constraints"
)

// What the assignments so far make of a node or a goal.
const (
	isFalse = -1
	isOpen  = 0
	isTrue  = 1
)

// checker holds a proof against a world by unit propagation. It decides nothing.
type checker struct {
	*world
	nodes   []*node // of the proof, by number
	lemmas  [][]int
	members []*node // in the set, as far as it is known, in the order of inclusion
	bans    []*goal // that must not hold
	log     []func()
}

// set changes a value until the log is rewound.
func set[T any](c *checker, at *T, value T) {
	old := *at
	*at = value
	c.log = append(c.log, func() { *at = old })
}

// rewind undoes all changes but the first ones.
func (c *checker) rewind(to int) {
	for _, undo := range slices.Backward(c.log[to:]) {
		undo()
	}
	c.log = c.log[:to]
}

// required goes through the goals of a node that count.
func (c *checker) required(n *node) iter.Seq[*goal] {
	return func(yield func(*goal) bool) {
		for _, r := range c.rulesOf(n) {
			if c.counts(r.facts...) && !yield(r.goal) {
				return
			}
		}
	}
}

// out reports whether a node cannot be in the set: it can never be, a member has a place of it
// (rule 1), or with it a prohibited goal would hold (rule 3).
func (c *checker) out(n *node) bool {
	switch {
	case n.value != isOpen:
		return n.value == isFalse
	case n.Bundle == nil:
		return n.pick != nil && c.out(n.pick)
	}
	return c.bars(n) || slices.ContainsFunc(c.placesOf(n), func(p *place) bool {
		return slices.ContainsFunc(p.members, func(m *node) bool { return m != n }) && c.counts(p.fact)
	}) || slices.ContainsFunc(c.bans, func(g *goal) bool { return c.touches(g, n) && c.eval(g, nil, n) == isTrue })
}

func (c *checker) touches(g *goal, n *node) bool {
	return g.kind == match && c.fulfils(g, n) || slices.ContainsFunc(g.kids, func(k *goal) bool { return c.touches(k, n) })
}

// eval evaluates a goal that a node requires, with one more member if that is not nil. If nothing
// requires it, the set is complete, and no match is open.
func (c *checker) eval(g *goal, of, more *node) int {
	switch g.kind {
	case match:
		switch {
		case more != nil && c.fulfils(g, more), slices.ContainsFunc(c.near(g), func(n *node) bool { return c.fulfils(g, n) }):
			return isTrue
		case of != nil && len(c.left(g, of)) > 0:
			return isOpen
		}
		return isFalse
	case ban:
		switch {
		case c.eval(g.kids[0], nil, more) == isTrue:
			return isFalse
		case slices.Contains(c.bans, g.kids[0]):
			return isTrue
		}
		return isOpen
	}
	decides, all := isTrue, isFalse
	if g.kind == allOf {
		decides, all = isFalse, isTrue
	}
	for _, k := range g.kids {
		switch c.eval(k, of, more) {
		case decides:
			return decides
		case isOpen:
			all = isOpen
		}
	}
	possible := func(n *node) bool { return !c.out(n) }
	if all == isOpen && g.kind == anyOf && len(c.options) > 0 && of != nil && !slices.ContainsFunc(c.ways(g, of), possible) {
		return isFalse // no option is left
	}
	return all
}

// near returns the members that can make a match hold.
func (c *checker) near(g *goal) []*node {
	if len(c.lenient) == 0 {
		switch k := g.atom.(type) {
		case *constraints.Package:
			return c.place(placeKey{kind: "package", name: k.Name}).members
		case *constraints.GVK:
			return c.place(placeKey{kind: "gvk", api: k.GVK}).members
		case *constraints.CEL:
			if names := k.Program.Needs().Packages; names != nil {
				// What is installed may say that it is of another package.
				near := slices.DeleteFunc(slices.Clone(c.installed), func(n *node) bool { return n.value != isTrue })
				for _, name := range names {
					near = append(near, c.place(placeKey{kind: "package", name: name}).members...)
				}
				return near
			}
		}
	}
	return c.members
}

// left returns up to two bundles that can make a match hold which no member does.
func (c *checker) left(g *goal, of *node) (open []*node) {
	for n := range c.matches(g, of.cat) {
		if c.step() {
			return []*node{n, n}
		}
		if !c.out(n) {
			if open = append(open, n); len(open) == 2 {
				break
			}
		}
	}
	return open
}

// assign makes a literal true, and reports whether that is a contradiction.
func (c *checker) assign(l int) bool {
	n := c.nodes[max(l, -l)]
	if c.step() {
		return false
	}
	if l > 0 {
		return c.include(n)
	}
	if n.value == isOpen {
		set(c, &n.value, isFalse)
	}
	return n.value == isTrue
}

// include adds a node to the set, an option with its bundle, and reports whether that is a
// contradiction.
func (c *checker) include(n *node) bool {
	if n.value == isTrue || c.out(n) {
		return n.value != isTrue
	}
	set(c, &n.value, isTrue)
	set(c, &c.members, append(c.members, n))
	for _, p := range c.placesOf(n) {
		set(c, &p.members, append(p.members, n))
	}
	for g := range c.required(n) {
		c.prohibit(g)
	}
	return n.pick != nil && c.include(n.pick)
}

// prohibit puts the prohibitions into force that a goal consists of.
func (c *checker) prohibit(g *goal) {
	switch {
	case g.kind == allOf:
		for _, k := range g.kids {
			c.prohibit(k)
		}
	case g.kind == ban && !slices.Contains(c.bans, g.kids[0]):
		set(c, &c.bans, append(c.bans, g.kids[0]))
	}
}

// refutes reports whether some literals lead to a contradiction by propagation: along the hints,
// or, without any, of everything.
func (c *checker) refutes(hints []int, assume ...int) bool {
	start, before := len(c.log), len(c.members)
	defer func() { c.rewind(start) }()
	ends := func(step func(int) bool) func(int) bool { // stops at a contradiction, or with the work
		return func(x int) bool { return step(x) || c.err != nil }
	}
	contradicts := slices.ContainsFunc(assume, ends(c.assign)) || slices.ContainsFunc(hints, ends(c.follow)) ||
		slices.ContainsFunc(c.members[before:], c.fails) || len(hints) == 0 && c.saturate()
	return contradicts && c.err == nil
}

// fails reports whether something that a node requires is false.
func (c *checker) fails(n *node) bool {
	for g := range c.required(n) {
		if c.eval(g, n.of, nil) == isFalse {
			return true
		}
	}
	return false
}

// saturate propagates everything until nothing changes, and reports whether that ends in a
// contradiction.
func (c *checker) saturate() bool {
	for before := -1; before != len(c.log); {
		before = len(c.log)
		for hint := 1 - len(c.nodes); hint <= len(c.lemmas); hint++ {
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
	case c.step() || hint > len(c.lemmas) || -hint >= len(c.nodes):
		return false
	case hint > 0:
		return c.unit(c.lemmas[hint-1])
	case hint == 0:
		for before := -1; before != len(c.log); {
			if before = len(c.log); c.propagate(c.root) {
				return true
			}
		}
		return false
	}
	n := c.nodes[-hint]
	if n.Bundle != nil && n.value == isTrue {
		return c.propagate(n)
	}
	before := len(c.log)
	impossible := c.assign(-hint) || c.fails(n)
	c.rewind(before)
	return impossible && c.assign(hint)
}

// unit makes the last literal of a lemma true that is not false (rule 5).
func (c *checker) unit(lemma []int) bool {
	last := 0
	for _, l := range lemma {
		if l < 0 && c.nodes[-l].value == isTrue || l > 0 && c.out(c.nodes[l]) {
			continue
		}
		if last != 0 || c.step() {
			return false
		}
		last = l
	}
	return last == 0 || c.assign(last)
}

// propagate applies what a node requires (rules 2 and 3).
func (c *checker) propagate(n *node) bool {
	for g := range c.required(n) {
		if c.impose(g, n.of) {
			return true
		}
	}
	return false
}

// impose makes a goal hold as far as only one way is left, and reports whether none is.
func (c *checker) impose(g *goal, of *node) bool {
	switch c.eval(g, of, nil) {
	case isFalse:
		return true
	case isTrue:
		return false
	}
	switch open := 0; g.kind {
	case match:
		left := c.left(g, of)
		return len(left) == 1 && c.include(left[0])
	case ban:
		c.prohibit(g)
	case allOf:
		return slices.ContainsFunc(g.kids, func(k *goal) bool { return c.impose(k, of) })
	case anyOf:
		at := 0
		for i, k := range g.kids {
			if c.eval(k, of, nil) == isOpen {
				at = i
				open++
			}
		}
		return open == 1 && c.impose(g.kids[at], of)
	}
	return false
}
