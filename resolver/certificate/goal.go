package certificate

import (
	"slices"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver"
)

type kind int

const (
	always kind = iota
	never
	match // some bundle of the set matches
	allOf
	anyOf
	ban // the formula below does not hold
)

// goal is a constraint in normal form: negations are pushed down to formulas without any, which
// are prohibited, nested goals of one kind are flat, and constants are folded.
type goal struct {
	kind   kind
	atom   *atom
	kids   []*goal
	key    string // of a prohibition
	listed map[int][]*option
}

// atom is what one bundle at a time makes hold.
type atom struct {
	c       constraints.Constraint
	goal    *goal
	always  bool
	matched map[*bundle]bool // of what has to be evaluated
	lists   map[int][]*bundle
}

// option is a way to satisfy an `any`, or a part of it.
type option struct {
	node    *bundle // nil if it needs nothing
	commits []*goal
}

// needs are the goals of a bundle in the order in which they are declared.
func (w *world) needs(n *bundle) []*goal {
	if n.compiled {
		return n.goals
	}
	n.compiled = true
	add := func(c constraints.Constraint) {
		for _, r := range w.req.Relax {
			if w.means(r.Bundle, n) && (r.Constraint == nil || r.Constraint.Key() == c.Key()) {
				return
			}
		}
		n.goals = append(n.goals, w.compile(c))
	}
	for _, c := range n.ownNeeds {
		add(c)
	}
	if !n.installed {
		for _, r := range n.Constraints {
			add(r.Constraint)
		}
	}
	for _, c := range w.req.Constraints {
		if w.means(c.Bundle, n) {
			add(c.Constraint)
		}
	}
	return n.goals
}

func (w *world) compile(c constraints.Constraint) *goal {
	g := w.goals[c]
	if g == nil {
		if _, compound := parts(c); compound && w.req.Policy.Compounds != resolver.CompoundsPerBundle {
			if g = w.byKey[c.Key()]; g == nil {
				g = w.normal(c, true)
				w.byKey[c.Key()] = g
			}
		} else {
			g = w.leaf(c)
		}
		w.goals[c] = g
	}
	return g
}

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

// normal is that a constraint holds, or that it does not.
func (w *world) normal(c constraints.Constraint, holds bool) *goal {
	negated := false
	constraints.Walk(c, func(c constraints.Constraint) bool {
		_, not := c.(*constraints.Not)
		negated = negated || not
		return !negated
	})
	if !holds && !negated {
		switch g := w.normal(c, true); g.kind {
		case always:
			return &goal{kind: never}
		case never:
			return &goal{kind: always}
		default:
			return &goal{kind: ban, kids: []*goal{g}, key: c.Key()}
		}
	}
	children, compound := parts(c)
	if !compound {
		return w.leaf(c)
	}
	_, isAll := c.(*constraints.All)
	if _, not := c.(*constraints.Not); not {
		holds = !holds
	}
	which, empty, decides := anyOf, never, always
	if isAll == holds { // none of several: all of their opposites
		which, empty, decides = allOf, always, never
	}
	g := &goal{kind: which}
	for _, k := range children {
		switch k := w.normal(k, holds); k.kind {
		case empty:
		case decides:
			return &goal{kind: decides}
		case which:
			g.kids = append(g.kids, k.kids...)
		default:
			g.kids = append(g.kids, k)
		}
	}
	switch len(g.kids) {
	case 0:
		return &goal{kind: empty}
	case 1:
		return g.kids[0]
	}
	return g
}

func (w *world) leaf(c constraints.Constraint) *goal {
	key := c.Key()
	a := w.atoms[key]
	if a == nil {
		a = &atom{c: c, goal: &goal{kind: match}, matched: make(map[*bundle]bool), lists: make(map[int][]*bundle)}
		if g, ok := c.(*constraints.GVK); ok {
			a.always = w.apis[g.GVK]
		}
		a.goal.atom = a
		w.atoms[key] = a
	}
	if a.always {
		return &goal{kind: always}
	}
	return a.goal
}

// matches reports whether a bundle makes an atom hold.
func (w *world) matches(a *atom, n *bundle) bool {
	switch a.c.(type) {
	case *constraints.GVK, *constraints.Package, *constraints.Label:
		return w.satisfies(a.c, n)
	}
	m, known := a.matched[n]
	if !known {
		m = w.satisfies(a.c, n)
		a.matched[n] = m
	}
	return m
}

// satisfies reports whether one bundle alone makes a constraint hold.
func (w *world) satisfies(c constraints.Constraint, n *bundle) bool {
	holds := func(k constraints.Constraint) bool { return w.satisfies(k, n) }
	switch c := c.(type) {
	case *constraints.GVK:
		return slices.Contains(n.apis, c.GVK) || w.apis[c.GVK]
	case *constraints.Package:
		return n.place == c.Name && n.version != nil && c.Range.Contains(*n.version)
	case *constraints.Label:
		return n.Properties.HasLabel(c.Label)
	case *constraints.All:
		return !slices.ContainsFunc(c.Constraints, func(k constraints.Constraint) bool { return !holds(k) })
	case *constraints.Any:
		return slices.ContainsFunc(c.Constraints, holds)
	case *constraints.Not:
		return !slices.ContainsFunc(c.Constraints, holds)
	}
	return w.test(c, n)
}

// anyOptions lists the options of an `any` (step 3 of section 6).
func (w *world) anyOptions(g *goal, own int) []*option {
	list, known := g.listed[own]
	if known {
		return list
	}
	var busy []*option
	for _, k := range g.kids {
		for _, o := range w.partOptions(k, own) {
			if o.node == nil {
				list = append(list, o)
			} else {
				busy = append(busy, o)
			}
		}
	}
	slices.SortStableFunc(busy, func(a, b *option) int { return w.compare(a.node, b.node, own) })
	list = append(list, busy...)
	if g.listed == nil {
		g.listed = make(map[int][]*option)
	}
	g.listed[own] = list
	return list
}

func (w *world) partOptions(g *goal, own int) []*option {
	var out []*option
	switch {
	case g.needsNothing():
		return []*option{{commits: []*goal{g}}}
	case g.kind == match:
		for n := range w.options(g.atom, own) {
			out = append(out, &option{node: n})
		}
	case g.kind == anyOf:
		return w.anyOptions(g, own)
	case g.kind == allOf:
		lead := slices.IndexFunc(g.kids, func(k *goal) bool { return k.kind == match })
		if lead < 0 {
			lead = slices.IndexFunc(g.kids, func(k *goal) bool { return k.kind == anyOf })
		}
		for _, o := range w.partOptions(g.kids[lead], own) {
			out = append(out, &option{o.node, append(slices.Clip(o.commits), g)})
		}
	}
	return out
}

// needsNothing reports whether a goal is a prohibition, or several.
func (g *goal) needsNothing() bool {
	if g.kind == allOf {
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !k.needsNothing() })
	}
	return g.kind == ban || g.kind == always
}

// walk goes through the parts of a goal that are outside of prohibitions, in preorder. Equal
// atoms are one part.
func (g *goal) walk(yield func(*goal) bool) bool {
	if !yield(g) {
		return false
	}
	if g.kind == allOf || g.kind == anyOf {
		for _, k := range g.kids {
			if !k.walk(yield) {
				return false
			}
		}
	}
	return true
}

// find returns the part of a goal with a number, nil if there is none.
func (g *goal) find(part int) (found *goal) {
	g.walk(func(k *goal) bool {
		found = nil
		if part == 0 {
			found = k
		}
		part--
		return found == nil
	})
	return found
}

// number is the number of a part.
func (g *goal) number(part *goal) (n int) {
	g.walk(func(k *goal) bool {
		if k != part {
			n++
		}
		return k != part
	})
	return n
}
