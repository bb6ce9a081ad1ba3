package certificate

import (
	"slices"

	"github.com/seed109e2655/resolute/properties"
)

// checker holds a certificate against a world. What it assigns, it takes back in the opposite
// order; it decides nothing.
type checker struct {
	*world
	literals []variable // by number
	byOption map[optionKey]*variable
	lemmas   [][]int
	trail    []*variable
	members  []*bundle // in the set, as far as it is known
	bans     []*goal   // of members and of options that are chosen
	byPlace  map[string]*bundle
	byAPI    map[properties.GVK]*bundle
	unnamed  map[*bundle]*variable
}

// variable is a bundle, or an option of an `any` of a bundle.
type variable struct {
	node   *bundle // of an option nil, if it needs nothing
	of     *bundle // of an option: whose it is
	option *option // nil for a bundle
	value  int     // of an option
}

type optionKey struct {
	of    *bundle
	goal  *goal
	index int
}

// variableOf is the variable of a bundle, which the certificate may not mention.
func (c *checker) variableOf(n *bundle) *variable {
	if n.id > 0 {
		return &c.literals[n.id]
	}
	v := c.unnamed[n]
	if v == nil {
		v = &variable{node: n}
		c.unnamed[n] = v
	}
	return v
}

// include puts a bundle into the set, and reports whether that is a contradiction.
func (c *checker) include(n *bundle) bool {
	if n.value > 0 {
		return false
	}
	if c.out(n) {
		return true
	}
	v := c.variableOf(n)
	n.value = isTrue
	c.members, c.trail = append(c.members, n), append(c.trail, v)
	if c.facts == nil {
		c.byPlace[n.place] = n
		for _, g := range n.apis {
			c.byAPI[g] = n
		}
	}
	for i, g := range c.needs(n) {
		if c.counts(factKey{kind: "constraint", bundle: n, index: i}) {
			c.prohibit(g)
		}
	}
	return false
}

// prohibit puts the prohibitions into force that a goal consists of.
func (c *checker) prohibit(g *goal) {
	if g.kind == ban {
		c.bans = append(c.bans, g)
	}
	if g.kind == allOf {
		for _, k := range g.kids {
			c.prohibit(k)
		}
	}
}

// assign makes a literal true, and reports whether that is a contradiction.
func (c *checker) assign(l int) bool {
	v := &c.literals[max(l, -l)]
	switch {
	case v.option == nil && l > 0:
		return c.include(v.node)
	case v.option == nil:
		if v.node.value == 0 {
			v.node.value = isFalse
			c.trail = append(c.trail, v)
		}
		return v.node.value > 0
	case v.value != 0:
		return v.value > 0 != (l > 0)
	case l < 0:
		v.value = isFalse
		c.trail = append(c.trail, v)
		return false
	}
	return c.commit(v)
}

// commit chooses an option.
func (c *checker) commit(v *variable) bool {
	v.value = isTrue
	c.trail = append(c.trail, v)
	for _, g := range v.option.commits {
		c.prohibit(g)
	}
	return v.node != nil && c.include(v.node)
}

// isFalse reports whether a literal is false.
func (c *checker) isFalse(l int) bool {
	v := &c.literals[max(l, -l)]
	switch {
	case v.option == nil && l > 0:
		return c.out(v.node)
	case v.option == nil:
		return v.node.value > 0
	case l < 0:
		return v.value > 0
	}
	return v.value < 0 || v.node != nil && c.out(v.node)
}

// mark is a state to go back to.
type mark struct{ trail, members, bans int }

func (c *checker) mark() mark { return mark{len(c.trail), len(c.members), len(c.bans)} }

func (c *checker) undo(m mark) {
	for _, v := range c.trail[m.trail:] {
		if v.option != nil {
			v.value = 0
			continue
		}
		n := v.node
		if n.value > 0 && c.facts == nil {
			delete(c.byPlace, n.place)
			for _, g := range n.apis {
				delete(c.byAPI, g)
			}
		}
		n.value = 0
	}
	c.trail, c.members, c.bans = c.trail[:m.trail], c.members[:m.members], c.bans[:m.bans]
}

// broken reports whether something that a variable needs cannot be.
func (c *checker) broken(v *variable) bool {
	if v.option != nil {
		return slices.ContainsFunc(v.option.commits, func(g *goal) bool { return c.state(g, v.of) == isFalse })
	}
	for i, g := range c.needs(v.node) {
		if !c.counts(factKey{kind: "constraint", bundle: v.node, index: i}) {
			continue
		}
		if c.state(g, v.node) == isFalse {
			return true
		}
	}
	return false
}

// refutes reports whether some literals lead to a contradiction by propagation.
func (c *checker) refutes(assume []int, hints []int) bool {
	start := c.mark()
	defer c.undo(start)
	for _, l := range assume {
		if c.assign(l) {
			return true
		}
	}
	for _, h := range hints {
		if c.step() {
			return false
		}
		if c.follow(h) {
			return true
		}
	}
	for i := start.trail; i < len(c.trail); i++ {
		if v := c.trail[i]; (v.option != nil && v.value > 0 || v.option == nil && v.node.value > 0) && c.broken(v) {
			return true
		}
	}
	return len(hints) == 0 && c.saturate()
}

// follow makes one step of a propagation, and reports whether it is a contradiction.
func (c *checker) follow(hint int) bool {
	switch {
	case hint > 0:
		return hint <= len(c.lemmas) && c.unit(c.lemmas[hint-1])
	case hint == 0:
		return c.demanded()
	case -hint >= len(c.literals):
		return false
	}
	if v := &c.literals[-hint]; v.option == nil && v.node.value > 0 {
		return c.propagate(v.node)
	}
	before := c.mark()
	impossible := c.assign(-hint) || c.broken(&c.literals[-hint])
	c.undo(before)
	return impossible && c.assign(hint)
}

// unit makes the last literal of a lemma true that is not false.
func (c *checker) unit(lemma []int) bool {
	left := 0
	for _, l := range lemma {
		switch {
		case c.isFalse(l):
		case left != 0:
			return false
		default:
			left = l
		}
	}
	return left == 0 || c.assign(left)
}

// demanded meets the demands that have one candidate left, until there is none.
func (c *checker) demanded() bool {
	for before := -1; before != len(c.trail); {
		before = len(c.trail)
		for _, d := range c.demands {
			if c.step() {
				return false
			}
			key := d.key()
			if !c.counts(key) || len(d.wanted) == 0 && d.what.Subscription != "" && !c.counts(factKey{kind: "noCandidate", subject: key.subject}) {
				continue
			}
			if c.oneOf(d.wanted) || d.held && c.counts(factKey{kind: "hold", subject: key.subject}) && c.oneOf(d.candidates) {
				return true
			}
		}
	}
	return false
}

// oneOf puts the only bundle of a list into the set that is not out.
func (c *checker) oneOf(list []*bundle) bool {
	var last *bundle
	for _, n := range list {
		if c.out(n) {
			continue
		}
		if n.value > 0 || last != nil {
			return false
		}
		last = n
	}
	return last == nil || c.include(last)
}

// saturate propagates everything until nothing changes, and reports whether that ends in a
// contradiction.
func (c *checker) saturate() bool {
	for before := -1; before != len(c.trail)+len(c.bans) && !c.step(); {
		before = len(c.trail) + len(c.bans)
		if c.demanded() || slices.ContainsFunc(c.lemmas, c.unit) {
			return true
		}
		for i := 0; i < len(c.members); i++ {
			if c.propagate(c.members[i]) {
				return true
			}
		}
		if c.drop() {
			return true
		}
	}
	return false
}

// propagate applies what a member needs (rules 2 to 4).
func (c *checker) propagate(n *bundle) bool {
	for i, g := range c.needs(n) {
		if c.counts(factKey{kind: "constraint", bundle: n, index: i}) && c.impose(g, n) {
			return true
		}
	}
	return false
}

// impose has a goal hold, and reports whether that is a contradiction.
func (c *checker) impose(g *goal, of *bundle) bool {
	switch g.kind {
	case match:
		left, many := c.left(g.atom, of)
		return left == nil || !many && c.include(left)
	case ban:
		if !slices.Contains(c.bans, g) {
			c.bans = append(c.bans, g)
		}
		return c.holds(g.kids[0], nil)
	case allOf:
		return slices.ContainsFunc(g.kids, func(k *goal) bool { return c.impose(k, of) })
	case anyOf:
		var last *goal
		for _, k := range g.kids {
			switch s := c.state(k, of); {
			case s == isTrue || s == isOpen && last != nil:
				return false
			case s == isOpen:
				last = k
			}
		}
		return last == nil || c.impose(last, of)
	}
	return g.kind == never
}

// drop excludes the bundles of the certificate that need what cannot be.
func (c *checker) drop() bool {
	for i := 1; i < len(c.literals) && !c.step(); i++ {
		if v := &c.literals[i]; v.option == nil && v.node.value == 0 && !c.out(v.node) && c.follow(-i) {
			return true
		}
	}
	return false
}
