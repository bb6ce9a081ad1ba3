package certificate

import (
	"slices"

	"github.com/seed109e2655/resolute/constraints"
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

// out reports whether a bundle cannot be in the set with what is in it (rules 1 and 3).
func (c *checker) out(n *bundle) bool {
	return n.value < 0 || n.value == 0 && (c.bars(n) || c.clashes(n) || c.banned(n))
}

// clashes reports whether a member has the package, an API or the group of a bundle.
func (c *checker) clashes(n *bundle) bool {
	if c.facts != nil {
		return slices.ContainsFunc(c.members, func(m *bundle) bool { return m != n && c.share(m, n) })
	}
	if m := c.byPlace[n.place]; m != nil && m != n {
		return true
	}
	for _, g := range n.apis {
		if m := c.byAPI[g]; m != nil && m != n {
			return true
		}
	}
	for _, d := range n.groups {
		if slices.ContainsFunc(c.members, func(m *bundle) bool { return m != n && slices.Contains(m.groups, d) }) {
			return true
		}
	}
	return false
}

// share reports whether two bundles exclude each other, by the facts that count.
func (c *checker) share(m, n *bundle) bool {
	if m.place == n.place && c.counts(factKey{kind: "package", subject: m.Package}) {
		return true
	}
	for _, g := range m.apis {
		if slices.Contains(n.apis, g) && c.counts(factKey{kind: "gvk", subject: g.String()}) {
			return true
		}
	}
	return slices.ContainsFunc(m.groups, func(d *demand) bool {
		return slices.Contains(n.groups, d) && c.counts(factKey{kind: "subscription", subject: d.sub.Name})
	})
}

// banned reports whether a prohibition that is in force forbids a bundle with what is in the set.
func (c *checker) banned(n *bundle) bool {
	return slices.ContainsFunc(c.bans, func(b *goal) bool { return c.touches(b, n) && c.holds(b.kids[0], n) })
}

func (c *checker) touches(g *goal, n *bundle) bool {
	if g.kind == match {
		return c.matches(g.atom, n)
	}
	return slices.ContainsFunc(g.kids, func(k *goal) bool { return c.touches(k, n) })
}

// holds evaluates a goal in the set as it is, and one more bundle if that is not nil.
func (c *checker) holds(g *goal, more *bundle) bool {
	switch g.kind {
	case match:
		return more != nil && c.matches(g.atom, more) || c.matched(g.atom) != nil
	case ban:
		return !c.holds(g.kids[0], more)
	case allOf:
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !c.holds(k, more) })
	case anyOf:
		return slices.ContainsFunc(g.kids, func(k *goal) bool { return c.holds(k, more) })
	}
	return g.kind == always
}

// matched returns a member that makes an atom hold, nil if there is none.
func (c *checker) matched(a *atom) *bundle {
	list := c.members
	if c.facts == nil { // at most one member has each package and API
		switch k := a.c.(type) {
		case *constraints.Package:
			list = []*bundle{c.byPlace[k.Name]}
		case *constraints.GVK:
			list = []*bundle{c.byAPI[k.GVK]}
		case *constraints.CEL:
			if names := k.Program.Needs().Packages; names != nil { // what is installed may say that it is of another one
				list = slices.DeleteFunc(slices.Clone(c.installed), func(n *bundle) bool { return n != nil && n.value <= 0 })
				for _, name := range names {
					list = append(list, c.byPlace[name])
				}
			}
		}
	}
	for _, n := range list {
		if n != nil && c.matches(a, n) {
			return n
		}
	}
	return nil
}

// state of a goal: what the values so far make of it.
const (
	isFalse = -1
	isOpen  = 0
	isTrue  = 1
)

// state evaluates a goal of a bundle.
func (c *checker) state(g *goal, of *bundle) int {
	switch g.kind {
	case always:
		return isTrue
	case never:
		return isFalse
	case match:
		switch left, many := c.left(g.atom, of); {
		case left == nil:
			return isFalse
		case many || left.value == 0:
			return isOpen
		}
		return isTrue
	case ban:
		if c.holds(g.kids[0], nil) {
			return isFalse
		}
		return isOpen
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
	if all == isOpen && g.kind == anyOf && c.optionsOut(g, of) {
		return isFalse
	}
	return all
}

// optionsOut reports whether all options of an `any` are out, some of which the certificate
// has numbers for.
func (c *checker) optionsOut(g *goal, of *bundle) bool {
	if len(c.byOption) == 0 {
		return false
	}
	for i, o := range c.anyOptions(g, of.cat) {
		v := c.byOption[optionKey{of, g, i}]
		if (v == nil || v.value >= 0) && (o.node == nil || !c.out(o.node)) {
			return false
		}
	}
	return true
}

// left returns a bundle that can make an atom hold, one of the set if there is any, and whether
// there are others; nil if there is none.
func (c *checker) left(a *atom, of *bundle) (last *bundle, many bool) {
	if n := c.matched(a); n != nil {
		return n, false
	}
	for n := range c.options(a, of.cat) {
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
