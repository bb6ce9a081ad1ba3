package certificate

import (
	"cmp"
	"slices"
)

// checker holds a proof against a world by unit propagation. It decides nothing.
type checker struct {
	*assignment
	nodes  []*node // of the proof, by number; the root is 0
	lemmas [][]int
}

// refutes reports whether some literals, or their opposites if sign is -1, lead to a contradiction by
// propagation along a list of hints.
func (c *checker) refutes(lists [][]int, number int, assume []int, sign int) bool {
	hints := slices.Concat(lists[min(number, len(lists)):min(number+1, len(lists))]...)
	before := len(c.members)
	defer c.rewind(len(c.log))
	ends := func(step func(int) bool) func(int) bool { // stops at a contradiction, or with the work
		return func(x int) bool { return c.step() || step(x) }
	}
	contradicts := slices.ContainsFunc(assume, ends(func(l int) bool { return c.assign(sign * l) })) || slices.ContainsFunc(hints, ends(c.follow)) ||
		slices.ContainsFunc(c.members[before:], c.fails)
	return contradicts && c.err == nil
}

// literal returns the node of a literal, and whether it says that the node is in the set.
func (c *checker) literal(l int) (*node, bool) {
	if l < 0 {
		return c.nodes[-l], false
	}
	return c.nodes[l], true
}

// assign makes a literal true, and reports whether that is a contradiction.
func (c *checker) assign(l int) bool {
	n, in := c.literal(l)
	if in {
		return c.include(n)
	}
	return c.exclude(n)
}

// follow makes one step of a propagation, and reports whether it is a contradiction: by a lemma, by
// the demands, or by what a node requires, which is out if that is false (rule 4).
func (c *checker) follow(hint int) bool {
	if hint > 0 {
		return hint <= len(c.lemmas) && c.unit(c.lemmas[hint-1])
	}
	n := c.nodes[-hint]
	if n.Bundle != nil && n.value == isTrue || n == c.root {
		return c.propagate(n)
	}
	before := len(c.log)
	impossible := c.include(n) || c.fails(n)
	c.rewind(before)
	return impossible && c.exclude(n)
}

// unit makes the last literal of a lemma true that is not false (rule 5).
func (c *checker) unit(lemma []int) bool {
	last := 0
	for _, l := range lemma {
		n, in := c.literal(l)
		switch {
		case in && c.out(n), !in && n.value == isTrue:
		case last != 0 || c.step():
			return false
		default:
			last = l
		}
	}
	return last == 0 || c.assign(last)
}

// fails reports whether something that a node requires is false.
func (c *checker) fails(n *node) bool {
	return slices.ContainsFunc(c.required(n), func(g *goal) bool { return c.eval(g, cmp.Or(n.of, n)) == isFalse })
}

// propagate applies what a node requires (rules 2 and 3) until nothing changes.
func (c *checker) propagate(n *node) bool {
	for before := -1; before != len(c.log); {
		before = len(c.log)
		if slices.ContainsFunc(c.required(n), func(g *goal) bool { return c.impose(g, cmp.Or(n.of, n)) }) {
			return true
		}
	}
	return false
}

// impose makes a goal hold as far as only one way is left, and reports whether none is.
func (c *checker) impose(g *goal, of *node) bool {
	if value := c.eval(g, of); value != isOpen {
		return value == isFalse
	}
	switch g.kind {
	case match:
		n, only := one(g.list, func(n *node) bool { return c.possible(g, n) })
		return only && c.include(n)
	case anyOf:
		k, only := one(g.kids, func(k *goal) bool { return c.eval(k, of) == isOpen })
		return only && c.impose(k, of)
	case allOf:
		return slices.ContainsFunc(g.kids, func(k *goal) bool { return c.impose(k, of) })
	}
	c.prohibit(g)
	return false
}

// one returns the one element of a list that is possible, and reports whether it is the only one.
func one[T any](list []T, possible func(T) bool) (T, bool) {
	i := slices.IndexFunc(list, possible)
	return list[i], !slices.ContainsFunc(list[i+1:], possible)
}
