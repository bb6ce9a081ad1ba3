package resolver

import (
	"github.com/seed109e2655/resolute/constraints"
)

// goalKind is the shape of a goal.
type goalKind uint8

const (
	goalTrue  goalKind = iota // holds whatever is chosen
	goalFalse                 // holds never
	goalAtom                  // some bundle of the set matches atom
	goalAll                   // every kid holds
	goalAny                   // some kid holds
	goalBan                   // kids[0], a formula without negation, does not hold
)

// goal is a constraint with its negations pushed down as far as they go and its
// constants folded, so that each part is either something to be found (atoms
// under all and any) or something to be kept out (ban).
type goal struct {
	kind goalKind
	atom *atom
	kids []*goal
	// key identifies a ban: bans of equal keys are the same prohibition.
	key string
}

var (
	alwaysHolds = &goal{kind: goalTrue}
	neverHolds  = &goal{kind: goalFalse}
)

// compile turns a constraint into a goal, the same one for all that say the same.
func (p *matching) compile(c constraints.Constraint) *goal {
	switch c.(type) {
	case *constraints.All, *constraints.Any, *constraints.Not:
		if !p.rules.PerBundle {
			return p.compileCompound(c)
		}
	}
	return p.atomGoal(c)
}

func (p *matching) compileCompound(c constraints.Constraint) *goal {
	g, ok := p.goals[c]
	if ok {
		return g
	}
	if p.goals == nil {
		p.goals, p.goalsByKey = make(map[constraints.Constraint]*goal), make(map[string]*goal)
	}
	// Whether two bundles share a constraint depends on how their catalog was
	// read; whether they say the same does not.
	if g, ok = p.goalsByKey[c.Key()]; !ok {
		g = p.positive(c)
		p.goalsByKey[c.Key()] = g
	}
	p.goals[c] = g
	return g
}

// positive compiles "c holds".
func (p *matching) positive(c constraints.Constraint) *goal {
	switch c := c.(type) {
	case *constraints.All:
		return allOf(p.each(c.Constraints, p.positive))
	case *constraints.Any:
		return anyOf(p.each(c.Constraints, p.positive))
	case *constraints.Not:
		return allOf(p.each(c.Constraints, p.negative))
	default:
		return p.atomGoal(c)
	}
}

// negative compiles "c does not hold". A formula without negation inside is kept
// whole, as a prohibition; the others follow De Morgan.
func (p *matching) negative(c constraints.Constraint) *goal {
	if !negates(c) {
		g := p.positive(c)
		switch g.kind {
		case goalTrue:
			return neverHolds
		case goalFalse:
			return alwaysHolds
		default:
			return &goal{kind: goalBan, kids: []*goal{g}, key: c.Key()}
		}
	}
	switch c := c.(type) {
	case *constraints.Not:
		return anyOf(p.each(c.Constraints, p.positive))
	case *constraints.All:
		return anyOf(p.each(c.Constraints, p.negative))
	case *constraints.Any:
		return allOf(p.each(c.Constraints, p.negative))
	default:
		return neverHolds // no other kind has a negation inside
	}
}

func (p *matching) each(cs []constraints.Constraint, f func(constraints.Constraint) *goal) []*goal {
	gs := make([]*goal, len(cs))
	for i, c := range cs {
		gs[i] = f(c)
	}
	return gs
}

// negates reports whether a constraint has a `not` anywhere inside.
func negates(c constraints.Constraint) bool {
	found := false
	constraints.Walk(c, func(c constraints.Constraint) bool {
		if _, ok := c.(*constraints.Not); ok {
			found = true
		}
		return !found
	})
	return found
}

// allOf flattens nested conjunctions and folds constants.
func allOf(gs []*goal) *goal {
	var kids []*goal
	for _, g := range gs {
		switch g.kind {
		case goalTrue:
		case goalFalse:
			return neverHolds
		case goalAll:
			kids = append(kids, g.kids...)
		default:
			kids = append(kids, g)
		}
	}
	return joined(goalAll, kids, alwaysHolds)
}

// anyOf flattens nested disjunctions and folds constants.
func anyOf(gs []*goal) *goal {
	var kids []*goal
	for _, g := range gs {
		switch g.kind {
		case goalFalse:
		case goalTrue:
			return alwaysHolds
		case goalAny:
			kids = append(kids, g.kids...)
		default:
			kids = append(kids, g)
		}
	}
	return joined(goalAny, kids, neverHolds)
}

// joined is a compound of the kids, the only kid, or what stands for none.
func joined(kind goalKind, kids []*goal, none *goal) *goal {
	switch len(kids) {
	case 0:
		return none
	case 1:
		return kids[0]
	default:
		return &goal{kind: kind, kids: kids}
	}
}

func (p *matching) atomGoal(c constraints.Constraint) *goal {
	a := p.atomOf(c)
	if a.always {
		return alwaysHolds
	}
	return &a.goal
}

// restful reports whether a goal needs nothing to be chosen: it is a prohibition,
// or several.
func (g *goal) restful() bool {
	if g.kind == goalAll {
		for _, k := range g.kids {
			if !k.restful() {
				return false
			}
		}
		return true
	}
	return g.kind == goalBan || g.kind == goalTrue
}
