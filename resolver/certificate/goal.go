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
// holds, `any` of nothing does not. Equal constraints are one goal.
type goal struct {
	kind   kind
	kids   []*goal
	atom   constraints.Constraint // of a match: what a bundle has to match
	list   []*node                // if that is nil: the bundles that match, best first
	spares bool                   // of a match: lenient bundles do not count
	sorted map[int][]*node        // matches by the catalog that orders them
	listed map[int][]way          // of an `any`: its options, likewise
}

type goalKey struct {
	constraint string
	negated    bool
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

// compile returns the goal that a constraint holds, or that it does not.
func (w *world) compile(c constraints.Constraint, negated bool) *goal {
	key := goalKey{c.Key(), negated}
	g := w.goals[key]
	if g == nil {
		g = w.normal(c, negated)
		w.goals[key] = g
	}
	return g
}

func (w *world) normal(c constraints.Constraint, negated bool) *goal {
	nested := false
	constraints.Walk(c, func(c constraints.Constraint) bool {
		_, not := c.(*constraints.Not)
		nested = nested || not
		return !nested
	})
	api, ok := c.(*constraints.GVK)
	switch {
	case ok && w.fit.apis[api.GVK]: // the cluster serves it
		return constant(!negated)
	case negated && !nested:
		g := w.compile(c, false)
		if g.isConstant() {
			return constant(g.kind == anyOf)
		}
		return &goal{kind: ban, kids: []*goal{g}}
	}
	g := &goal{kind: match, atom: c}
	children, compound := parts(c)
	if !compound || w.req.Policy.Compounds == resolver.CompoundsPerBundle {
		return g
	}
	_, all := c.(*constraints.All)
	if _, not := c.(*constraints.Not); not {
		negated = !negated
	}
	g = constant(all != negated) // none of several: all of their opposites
	for _, child := range children {
		switch k := w.compile(child, negated); {
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

// sparing returns a goal of an installed bundle: its prohibitions spare lenient bundles.
func (w *world) sparing(g *goal, prohibited bool) *goal {
	key := sparedKey{g, prohibited}
	out := w.spared[key]
	if out == nil {
		of := *g
		out, of.kids, of.spares = &of, nil, prohibited
		for _, k := range g.kids {
			of.kids = append(of.kids, w.sparing(k, prohibited || g.kind == ban))
		}
		w.spared[key] = out
	}
	return out
}

type sparedKey struct {
	goal       *goal
	prohibited bool
}

// fulfils reports whether a node makes a match hold.
func (w *world) fulfils(g *goal, n *node) bool {
	switch {
	case n.Bundle == nil, g.spares && slices.Contains(w.lenient, n):
		return false
	case g.atom == nil:
		return slices.Contains(g.list, n)
	}
	return w.satisfies(g.atom, n)
}

// satisfies reports whether one bundle alone makes a constraint hold.
func (w *world) satisfies(c constraints.Constraint, n *node) bool {
	holds := func(k constraints.Constraint) bool { return w.satisfies(k, n) }
	fails := func(k constraints.Constraint) bool { return !holds(k) }
	switch c := c.(type) {
	case *constraints.Package:
		return n.pkg == c.Name && n.version != nil && c.Range.Contains(*n.version)
	case *constraints.All:
		return !slices.ContainsFunc(c.Constraints, fails)
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
	if w.err != nil { // the check ends
		return false
	}
	if n.subject == nil {
		n.subject = constraints.NewSubject(n.Properties)
	}
	ok, err := w.rules.Match(w.ctx, c, n.subject)
	w.fail(err)
	return ok
}

// ways lists the options of an `any` (step 3 of section 6): those that need nothing first, then by
// preference. An option is its bundle, or if it commits to more, a node of its own whose rules are
// what it commits to.
func (w *world) ways(g *goal, of *node) (out []*node) {
	for i, o := range w.waysOf(g, of.cat) {
		n := o.pick
		if len(o.commits) > 0 {
			key := optionKey{of, g, i}
			if n = w.options[key]; n == nil {
				n = &node{cat: of.cat, of: of, pick: o.pick, compiled: true}
				for _, c := range o.commits {
					n.rules = append(n.rules, rule{goal: c})
				}
				w.options[key] = n
			}
		}
		out = append(out, n)
	}
	return out
}

// waysOf lists the options of an `any` as the bundles of a catalog see them.
func (w *world) waysOf(g *goal, own int) []way {
	list, known := g.listed[own]
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
	if g.listed == nil {
		g.listed = make(map[int][]way)
	}
	g.listed[own] = list
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
		return list
	case g.kind == anyOf:
		return w.waysOf(g, own)
	}
	lead := slices.IndexFunc(g.kids, func(k *goal) bool { return k.kind == match })
	if lead < 0 {
		lead = slices.IndexFunc(g.kids, func(k *goal) bool { return k.kind == anyOf })
	}
	for _, o := range w.partWays(g.kids[lead], own) {
		list = append(list, way{o.pick, append(slices.Clip(o.commits), g)})
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
	for _, k := range g.kids {
		if g.kind != ban {
			list = append(list, k.parts()...)
		}
	}
	return list
}
