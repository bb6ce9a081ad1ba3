package certificate

import (
	"slices"

	"github.com/seed109e2655/resolute/constraints"
)

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
