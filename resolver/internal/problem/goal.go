package problem

import (
	"slices"

	"github.com/seed109e2655/resolute/constraints"
)

// GoalKind is the shape of a goal.
type GoalKind uint8

const (
	GoalTrue  GoalKind = iota // holds whatever is chosen
	GoalFalse                 // holds never
	GoalAtom                  // some bundle of the set matches atom
	GoalAll                   // every kid holds
	GoalAny                   // some kid holds
	GoalBan                   // kids[0], a formula without negation, does not hold
)

// Goal is a constraint with its negations pushed down as far as they go and its
// constants folded, so that each part is either something to be found (atoms
// under all and any) or something to be kept out (ban).
type Goal struct {
	Kind GoalKind
	Atom *Atom
	Kids []*Goal
	// key identifies a ban: bans of equal keys are the same prohibition.
	Key string
}

var (
	// AlwaysHolds is what needs nothing.
	AlwaysHolds = &Goal{Kind: GoalTrue}
	neverHolds  = &Goal{Kind: GoalFalse}
)

// compile turns a constraint into a goal, the same one for all that say the same.
func (p *Problem) compile(c constraints.Constraint) *Goal {
	switch c.(type) {
	case *constraints.All, *constraints.Any, *constraints.Not:
		if !p.Rules.PerBundle {
			return p.compileCompound(c)
		}
	}
	return p.atomGoal(c)
}

func (p *Problem) compileCompound(c constraints.Constraint) *Goal {
	g, ok := p.goals[c]
	if ok {
		return g
	}
	if p.goals == nil {
		p.goals, p.goalsByKey = make(map[constraints.Constraint]*Goal), make(map[string]*Goal)
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
func (p *Problem) positive(c constraints.Constraint) *Goal {
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
func (p *Problem) negative(c constraints.Constraint) *Goal {
	if !negates(c) {
		g := p.positive(c)
		switch g.Kind {
		case GoalTrue:
			return neverHolds
		case GoalFalse:
			return AlwaysHolds
		default:
			return &Goal{Kind: GoalBan, Kids: []*Goal{g}, Key: c.Key()}
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

func (p *Problem) each(cs []constraints.Constraint, f func(constraints.Constraint) *Goal) []*Goal {
	gs := make([]*Goal, len(cs))
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
func allOf(gs []*Goal) *Goal {
	var kids []*Goal
	for _, g := range gs {
		switch g.Kind {
		case GoalTrue:
		case GoalFalse:
			return neverHolds
		case GoalAll:
			kids = append(kids, g.Kids...)
		default:
			kids = append(kids, g)
		}
	}
	return joined(GoalAll, kids, AlwaysHolds)
}

// anyOf flattens nested disjunctions and folds constants.
func anyOf(gs []*Goal) *Goal {
	var kids []*Goal
	for _, g := range gs {
		switch g.Kind {
		case GoalFalse:
		case GoalTrue:
			return AlwaysHolds
		case GoalAny:
			kids = append(kids, g.Kids...)
		default:
			kids = append(kids, g)
		}
	}
	return joined(GoalAny, kids, neverHolds)
}

// joined is a compound of the kids, the only kid, or what stands for none.
func joined(kind GoalKind, kids []*Goal, none *Goal) *Goal {
	switch len(kids) {
	case 0:
		return none
	case 1:
		return kids[0]
	default:
		return &Goal{Kind: kind, Kids: kids}
	}
}

func (p *Problem) atomGoal(c constraints.Constraint) *Goal {
	a := p.AtomOf(c)
	if a.Always {
		return AlwaysHolds
	}
	return &a.goal
}

// Holds evaluates a goal in a set of bundles. match says of an atom whether one of them
// makes it hold, kept of a prohibition whether it is kept.
func (g *Goal) Holds(match func(*Atom) bool, kept func(*Goal) bool) bool {
	switch g.Kind {
	case GoalAtom:
		return match(g.Atom)
	case GoalAll:
		for _, k := range g.Kids {
			if !k.Holds(match, kept) {
				return false
			}
		}
		return true
	case GoalAny:
		for _, k := range g.Kids {
			if k.Holds(match, kept) {
				return true
			}
		}
		return false
	case GoalBan:
		return kept(g)
	default:
		return g.Kind == GoalTrue
	}
}

// Restful reports whether a goal needs nothing to be chosen: it is a prohibition,
// or several.
func (g *Goal) Restful() bool {
	if g.Kind == GoalAll {
		return !slices.ContainsFunc(g.Kids, func(k *Goal) bool { return !k.Restful() })
	}
	return g.Kind == GoalBan || g.Kind == GoalTrue
}

// Wanted appends the atoms of a goal that are to be found, not kept out.
func (g *Goal) Wanted(out []*Atom) []*Atom {
	switch g.Kind {
	case GoalAtom:
		out = append(out, g.Atom)
	case GoalAll, GoalAny:
		for _, k := range g.Kids {
			out = k.Wanted(out)
		}
	}
	return out
}
