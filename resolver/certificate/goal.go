package certificate

import (
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver"
)

type kind int

const (
	match kind = iota // a bundle that fulfils it is in the set
	anyOf
	allOf
	ban // the formula below does not hold
)

// goal is a constraint in normal form: negations are pushed down to formulas without any, which
// are prohibited, nested goals of one kind are flat, and constants are folded: `all` of nothing
// holds, `any` of nothing does not. Equal constraints are one goal.
type goal struct {
	kind   kind
	kids   []*goal
	atom   constraints.Constraint // of a match: what a bundle of the list has to match; nil for nothing
	list   []*node                // of a match, best first
	spares bool                   // of a match: lenient bundles do not count
	banned bool                   // it must not hold
}

type goalKey struct {
	constraint string
	negated    bool
	own        int  // the catalog that orders the matches
	installed  bool // an installed bundle declares it
	spares     bool // it is below a prohibition of an installed bundle
}

// goal returns the goal that a constraint holds, or that it does not.
func (w *world) goal(c constraints.Constraint, key goalKey) *goal {
	key.constraint = c.Key()
	if w.normal[key] == nil {
		w.normal[key] = w.normalize(c, key)
	}
	return w.normal[key]
}

func (w *world) normalize(c constraints.Constraint, key goalKey) *goal {
	if api, ok := c.(*constraints.GVK); ok && w.served[api.GVK] {
		return constant(!key.negated)
	}
	if key.negated && !negates(c) {
		g := w.goal(c, goalKey{own: -1, spares: key.installed})
		if g.isConstant() {
			return constant(g.kind == anyOf)
		}
		for _, part := range g.parts() {
			for _, n := range part.list {
				n.bans = append(n.bans, g)
			}
		}
		return &goal{kind: ban, kids: []*goal{g}}
	}
	var children []constraints.Constraint
	all, compound := false, w.req.Policy.Compounds != resolver.CompoundsPerBundle
	switch c := c.(type) {
	case *constraints.All:
		children, all = c.Constraints, true
	case *constraints.Any:
		children = c.Constraints
	case *constraints.Not:
		children, key.negated = c.Constraints, !key.negated
	default:
		compound = false
	}
	if !compound {
		return &goal{atom: c, list: w.matches(c, key.own), spares: key.spares}
	}
	g := constant(all != key.negated) // none of several: all of their opposites
	for _, child := range children {
		switch k := w.goal(child, key); {
		case k.kind == g.kind:
			g.kids = append(g.kids, k.kids...)
		case k.isConstant():
			return k
		default:
			g.kids = append(g.kids, k)
		}
	}
	if len(g.kids) == 1 {
		return g.kids[0]
	}
	return g
}

func constant(holds bool) *goal {
	if holds {
		return &goal{kind: allOf}
	}
	return &goal{kind: anyOf}
}

func (g *goal) isConstant() bool { return len(g.kids) == 0 && g.kind != match }

// negates reports whether a constraint contains a `not`.
func negates(c constraints.Constraint) (found bool) {
	constraints.Walk(c, func(c constraints.Constraint) bool {
		_, not := c.(*constraints.Not)
		found = found || not
		return !found
	})
	return found
}

// parts lists a goal and its parts outside of prohibitions, in preorder.
func (g *goal) parts() []*goal {
	list := []*goal{g}
	for _, k := range g.kids {
		if g.kind != ban {
			list = append(list, k.parts()...)
		}
	}
	return list
}
