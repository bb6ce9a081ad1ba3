package certificate

import (
	"slices"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver"
)

type kind int

const (
	match kind = iota // some bundle of the set matches
	allOf
	anyOf
	ban // the formula below does not hold
)

// goal is a constraint in normal form: negations are pushed down to formulas without any, which
// are prohibited, nested goals of one kind are flat, and constants are folded: `all` of nothing
// holds, `any` of nothing does not.
type goal struct {
	kind   kind
	atom   constraints.Constraint // of a match
	kids   []*goal
	demand bool    // a match of a bundle of a list
	list   []*node // of a demand
	sorted map[int][]*node
	ways   map[int][]way
}

// way is an option of an `any`, or of a part of it: the bundle that it selects, nil for none, and
// the goals that it commits to, the innermost first.
type way struct {
	pick    *node
	commits []*goal
}

// optionKey identifies an option of an `any` with commitments.
type optionKey struct {
	of    *node
	goal  *goal
	index int
}

func (w *world) compile(c constraints.Constraint) *goal {
	g := w.goals[c]
	if g == nil {
		if g = w.atoms[c.Key()]; g == nil {
			g = w.normal(c, false)
			w.atoms[c.Key()] = g
		}
		w.goals[c] = g
	}
	return g
}

// parts returns the children of a compound constraint.
func parts(c constraints.Constraint) ([]constraints.Constraint, bool) {
	switch c := c.(type) {
	case *constraints.All:
		return c.Constraints, true
	case *constraints.Any:
		return c.Constraints, true
	case *constraints.Not:
		return c.Constraints, true
	}
	return nil, false
}

// normal is the goal that a constraint holds, or that it does not.
func (w *world) normal(c constraints.Constraint, negated bool) *goal {
	children, compound := parts(c)
	if !compound || w.req.Policy.Compounds == resolver.CompoundsPerBundle {
		api, ok := c.(*constraints.GVK)
		if ok && w.fit.apis[api.GVK] { // the cluster serves it
			return constant(!negated)
		}
		if !negated {
			return w.atom(c)
		}
	}
	nested := false
	constraints.Walk(c, func(c constraints.Constraint) bool {
		_, not := c.(*constraints.Not)
		nested = nested || not
		return !nested
	})
	if negated && !nested {
		g := w.compile(c)
		if g.isConstant() {
			return constant(g.kind == anyOf)
		}
		return &goal{kind: ban, kids: []*goal{g}}
	}
	_, all := c.(*constraints.All)
	if _, not := c.(*constraints.Not); not {
		negated = !negated
	}
	g := constant(all != negated) // none of several: all of their opposites
	for _, child := range children {
		switch k := w.normal(child, negated); {
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

func (w *world) atom(c constraints.Constraint) *goal {
	g := w.atoms[c.Key()]
	if g == nil {
		g = &goal{kind: match, atom: c}
		w.atoms[c.Key()] = g
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

// satisfies reports whether one bundle alone makes a constraint hold.
func (w *world) satisfies(c constraints.Constraint, n *node) bool {
	holds := func(k constraints.Constraint) bool { return w.satisfies(k, n) }
	switch c := c.(type) {
	case *constraints.Package:
		return n.pkg == c.Name && n.version != nil && c.Range.Contains(*n.version)
	case *constraints.All:
		return !slices.ContainsFunc(c.Constraints, func(k constraints.Constraint) bool { return !holds(k) })
	case *constraints.Any:
		return slices.ContainsFunc(c.Constraints, holds)
	case *constraints.Not:
		return !slices.ContainsFunc(c.Constraints, holds)
	case *constraints.Label:
		return n.Properties.HasLabel(c.Label)
	case *constraints.CEL:
		if !c.Program.Needs().Maybe(n.Properties) {
			return false
		}
	}
	if n.subject == nil {
		n.subject = constraints.NewSubject(n.Properties)
	}
	ok, err := w.eval.Match(w.ctx, c, n.subject)
	w.fail(err)
	return ok
}

// waysOf lists the options of an `any` as a bundle of a catalog sees them (step 3 of section 6):
// those that need nothing first, then by preference.
func (w *world) waysOf(g *goal, own int) []way {
	list, known := g.ways[own]
	if known {
		return list
	}
	for _, k := range g.kids {
		list = append(list, w.partWays(k, own)...)
	}
	slices.SortStableFunc(list, func(a, b way) int {
		if c := before(a.pick == nil, b.pick == nil); c != 0 || a.pick == nil {
			return c
		}
		return w.compare(a.pick, b.pick, own)
	})
	if g.ways == nil {
		g.ways = make(map[int][]way)
	}
	g.ways[own] = list
	return list
}

// partWays lists the options of a part of an `any`. Those of an `all` are those of its first
// positive atom, each of which commits to all of it.
func (w *world) partWays(g *goal, own int) (list []way) {
	switch {
	case g.needsNothing():
		return []way{{commits: []*goal{g}}}
	case g.kind == match:
		for n := range w.matches(g, own) {
			list = append(list, way{pick: n})
		}
	case g.kind == anyOf:
		return w.waysOf(g, own)
	default:
		lead := slices.IndexFunc(g.kids, func(k *goal) bool { return k.kind == match })
		if lead < 0 {
			lead = slices.IndexFunc(g.kids, func(k *goal) bool { return k.kind == anyOf })
		}
		for _, o := range w.partWays(g.kids[lead], own) {
			list = append(list, way{o.pick, append(slices.Clip(o.commits), g)})
		}
	}
	return list
}

// needsNothing reports whether a goal is a prohibition, or several.
func (g *goal) needsNothing() bool {
	return g.kind == ban || g.kind == allOf && !slices.ContainsFunc(g.kids, func(k *goal) bool { return !k.needsNothing() })
}

// parts lists a goal and its parts outside of prohibitions, in preorder.
func (g *goal) parts() []*goal {
	list := []*goal{g}
	if g.kind == allOf || g.kind == anyOf {
		for _, k := range g.kids {
			list = append(list, k.parts()...)
		}
	}
	return list
}

// option returns the node of an option of an `any`: its bundle, or if it commits to more, a node
// of its own whose rules are the commitments. nil if there is no such option.
func (w *world) option(of *node, g *goal, i int) *node {
	ways := w.waysOf(g, of.cat)
	if i >= len(ways) {
		return nil
	}
	if len(ways[i].commits) == 0 {
		return ways[i].pick
	}
	key := optionKey{of, g, i}
	n := w.options[key]
	if n == nil {
		n = &node{cat: of.cat, inst: -1, of: of, pick: ways[i].pick, compiled: true}
		for _, c := range ways[i].commits {
			n.rules = append(n.rules, rule{goal: c})
		}
		w.options[key] = n
	}
	return n
}
