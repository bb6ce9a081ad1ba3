package certificate

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
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

// options goes through the bundles that match an atom, in the order of section 4 as a bundle
// of a catalog sees them.
func (w *world) options(a *atom, own int) iter.Seq[*bundle] {
	if w.ranked {
		return slices.Values(w.sorted(a, own))
	}
	return func(yield func(*bundle) bool) {
		var in []*bundle
		for _, n := range w.installed {
			if n != nil && w.matches(a, n) {
				in = append(in, n)
			}
		}
		if len(in) > 1 {
			slices.SortStableFunc(in, func(a, b *bundle) int { return w.compare(a, b, own) })
		}
		for _, n := range in {
			if !yield(n) {
				return
			}
		}
		for n := range w.drawn(a, own) {
			if !yield(n) {
				return
			}
		}
	}
}

// drawn goes through the matches of the catalogs: the own one first, each in its order.
func (w *world) drawn(a *atom, own int) iter.Seq[*bundle] {
	return func(yield func(*bundle) bool) {
		for turn := -1; turn < len(w.cats); turn++ {
			c := turn
			switch {
			case turn < 0:
				c = own
			case turn == own:
				continue
			}
			if c < 0 {
				continue
			}
			for id := range w.narrow(c, a.c) {
				if b := w.cats[c].Content.Bundle(id); len(b.Places) > 0 || w.declares(b) || w.facts != nil && w.quarantined(c, b) {
					if n := w.of(c, b); w.matches(a, n) && !yield(n) {
						return
					}
				}
			}
		}
	}
}

// declares reports whether a bundle without a place can be chosen, as extensions may.
func (w *world) declares(b *graph.Bundle) bool {
	return len(w.req.Extensions) > 0 && b.Quarantine == nil
}

// offered reports whether a bundle can be chosen at all.
func (w *world) offered(n *bundle) bool {
	return n.installed || len(n.Places) > 0 || w.declares(n.Bundle) || w.facts != nil && w.quarantined(n.cat, n.Bundle)
}

// narrow finds the numbers of the bundles of a catalog that can match a constraint, and perhaps
// others, in ascending order.
func (w *world) narrow(cat int, c constraints.Constraint) iter.Seq[int32] {
	content := w.cats[cat].Content
	every := func(yield func(int32) bool) {
		for id := range int32(content.Len()) {
			if !yield(id) {
				return
			}
		}
	}
	merge := func(lists ...[]int32) iter.Seq[int32] {
		all := slices.Concat(lists...)
		slices.Sort(all)
		return slices.Values(slices.Compact(all))
	}
	switch c := c.(type) {
	case *constraints.GVK:
		return slices.Values(content.Providers(c.GVK))
	case *constraints.Package:
		return slices.Values(content.InPackage(c.Name))
	case *constraints.Label:
		return slices.Values(content.Labelled(c.Label))
	case *constraints.CEL:
		needs := c.Program.Needs()
		var lists [][]int32
		switch {
		case needs.Never:
			return slices.Values([]int32(nil))
		case needs.Anything || needs.ClusterOnly:
			return every
		}
		for _, name := range needs.Packages {
			lists = append(lists, content.InPackage(name))
		}
		for _, typ := range needs.Types {
			if needs.Packages == nil {
				lists = append(lists, content.WithType(typ))
			}
		}
		return merge(lists...)
	}
	return every
}

// sorted lists the matches where the policy has another order than the catalogs.
func (w *world) sorted(a *atom, own int) []*bundle {
	list, known := a.lists[own]
	if !known {
		for _, n := range w.installed {
			if n != nil && w.matches(a, n) {
				list = append(list, n)
			}
		}
		list = slices.AppendSeq(list, w.drawn(a, own))
		slices.SortStableFunc(list, func(a, b *bundle) int { return w.compare(a, b, own) })
		a.lists[own] = list
	}
	return list
}

// compare orders candidates of a dependency (section 4).
func (w *world) compare(a, b *bundle, own int) int {
	if w.req.Policy.Deprecations == resolver.DeprecationsAvoid {
		if c := first(!w.avoided(a), !w.avoided(b)); c != 0 {
			return c
		}
	}
	if c := first(a.installed, b.installed); c != 0 {
		return c
	}
	if len(w.req.Extensions) > 0 && !a.installed {
		if c := first(len(a.Places) > 0, len(b.Places) > 0); c != 0 {
			return c
		}
	}
	if c := first(own >= 0 && a.cat == own, own >= 0 && b.cat == own); c != 0 || a.cat != b.cat {
		return cmp.Or(c, cmp.Compare(uint(a.cat), uint(b.cat)))
	}
	if a.installed {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.channel, b.channel), cmp.Compare(a.inst, b.inst))
	}
	x, y := w.bestPlace(a.Bundle), w.bestPlace(b.Bundle)
	if x == nil || y == nil {
		if len(w.req.Extensions) > 0 && x == nil && y == nil {
			return cmp.Or(strings.Compare(a.Package, b.Package), declared(a.Bundle, b.Bundle), cmp.Compare(a.ID, b.ID))
		}
		return cmp.Or(first(x != nil, y != nil), cmp.Compare(a.ID, b.ID))
	}
	nearer := cmp.Compare(x.Position, y.Position)
	if w.req.Policy.Goal == resolver.Oldest {
		nearer = -nearer
	}
	return cmp.Or(first(x.Channel.Default(), y.Channel.Default()), strings.Compare(a.Package, b.Package),
		strings.Compare(x.Channel.Name, y.Channel.Name), nearer, cmp.Compare(a.ID, b.ID))
}

// bestPlace is the place at which a bundle stands, nil if it has none.
func (w *world) bestPlace(b *graph.Bundle) *graph.Place {
	if len(b.Places) == 0 {
		return nil
	}
	if w.req.Policy.Deprecations == resolver.DeprecationsAvoid && !b.Deprecated && !b.Places[0].Channel.Package.Deprecated {
		if i := slices.IndexFunc(b.Places, func(p graph.Place) bool { return !p.Channel.Deprecated }); i >= 0 {
			return &b.Places[i]
		}
	}
	return &b.Places[0]
}

// avoided reports whether the policy puts a candidate of a dependency last.
func (w *world) avoided(n *bundle) bool {
	channel := n.channel
	if p := w.bestPlace(n.Bundle); !n.installed {
		if p == nil {
			return false
		}
		channel = p.Channel.Name
	}
	return w.deprecated(n, channel)
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
