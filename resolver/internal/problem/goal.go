package problem

import (
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
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

// Compound returns the children of a compound, and which of all of them and any of them have
// to hold: for a negation it is any, none of which may. It is neither for an atom.
func Compound(c constraints.Constraint) (kids []constraints.Constraint, which GoalKind, negated bool) {
	switch c := c.(type) {
	case *constraints.All:
		return c.Constraints, GoalAll, false
	case *constraints.Any:
		return c.Constraints, GoalAny, false
	case *constraints.Not:
		return c.Constraints, GoalAny, true
	default:
		return nil, GoalAtom, false
	}
}

// compile turns a constraint into a goal, the same one for all that say the same.
func (u *Universe) compile(c constraints.Constraint) *Goal {
	if _, which, _ := Compound(c); which != GoalAtom && !u.Rules.PerBundle {
		return u.compileCompound(c)
	}
	return u.atomGoal(c)
}

func (u *Universe) compileCompound(c constraints.Constraint) *Goal {
	g, ok := u.goals[c]
	if ok {
		return g
	}
	if u.goals == nil {
		u.goals, u.goalsByKey = make(map[constraints.Constraint]*Goal), make(map[string]*Goal)
	}
	// Whether two bundles share a constraint depends on how their catalog was
	// read; whether they say the same does not.
	if g, ok = u.goalsByKey[c.Key()]; !ok {
		if g = u.goal(c, true); u.Budget.Stopped() { // its atoms may be incomplete
			return g
		}
		u.goalsByKey[c.Key()] = g
	}
	u.goals[c] = g
	return g
}

// goal compiles that a constraint holds, or that it does not. A formula without negation
// inside that must not hold is kept whole, as a prohibition; the others follow De Morgan.
func (u *Universe) goal(c constraints.Constraint, holds bool) *Goal {
	if !holds && !negates(c) {
		switch g := u.goal(c, true); g.Kind {
		case GoalTrue:
			return neverHolds
		case GoalFalse:
			return AlwaysHolds
		default:
			return &Goal{Kind: GoalBan, Kids: []*Goal{g}, Key: c.Key()}
		}
	}
	kids, which, negated := Compound(c)
	if which == GoalAtom {
		return u.atomGoal(c)
	}
	if holds = holds != negated; !holds {
		which = GoalAll + GoalAny - which
	}
	return u.join(which, kids, holds)
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

// join compiles that all of some constraints hold, or any of them, or do not. It flattens
// nested goals of the same kind and folds constants.
func (u *Universe) join(which GoalKind, cs []constraints.Constraint, hold bool) *Goal {
	nothing, decides := AlwaysHolds, neverHolds
	if which == GoalAny {
		nothing, decides = neverHolds, AlwaysHolds
	}
	var kids []*Goal
	decided := false
	for _, c := range cs {
		switch g := u.goal(c, hold); g.Kind {
		case nothing.Kind:
		case decides.Kind:
			decided = true
		case which:
			kids = append(kids, g.Kids...)
		default:
			kids = append(kids, g)
		}
	}
	switch {
	case decided:
		return decides
	case len(kids) == 0:
		return nothing
	case len(kids) == 1:
		return kids[0]
	default:
		return &Goal{Kind: which, Kids: kids}
	}
}

func (u *Universe) atomGoal(c constraints.Constraint) *Goal {
	a := u.AtomOf(c)
	if a.Always {
		return AlwaysHolds
	}
	return &a.goal
}

// Holds evaluates a goal in a set of bundles. match says of an atom whether one of them
// makes it hold, kept of a prohibition whether it is kept.
func (g *Goal) Holds(match func(*Atom) bool, kept func(*Goal) bool) bool {
	return g.HoldsWithReasons(Why{}, match, kept)
}

// Why is where match and kept collect the reasons for which a goal Fails, or else for which
// it holds.
type Why struct {
	Reasons Reasons // nil for none
	Fails   bool
}

// Reasons are a list that grows at its end.
type Reasons interface {
	Size() int
	Drop(n int) // all but the first n
}

// HoldsWithReasons is Holds, and leaves the reasons for the one answer: those of each part that
// comes to the other one are dropped.
func (g *Goal) HoldsWithReasons(why Why, match func(*Atom) bool, kept func(*Goal) bool) bool {
	switch g.Kind {
	case GoalAtom:
		return match(g.Atom)
	case GoalBan:
		return kept(g)
	case GoalAll, GoalAny:
		before, some := 0, g.Kind == GoalAny
		if why.Reasons != nil {
			before = why.Reasons.Size()
		}
		decides := func(k *Goal) bool { return k.HoldsWithReasons(why, match, kept) == some }
		holds := slices.ContainsFunc(g.Kids, decides) == some
		if why.Reasons != nil && holds == why.Fails {
			why.Reasons.Drop(before)
		}
		return holds
	default:
		return g.Kind == GoalTrue
	}
}

// NeedsNothing reports whether a goal needs nothing to be chosen: it is a prohibition,
// or several.
func (g *Goal) NeedsNothing() bool {
	if g.Kind == GoalAll {
		return !slices.ContainsFunc(g.Kids, func(k *Goal) bool { return !k.NeedsNothing() })
	}
	return g.Kind == GoalBan || g.Kind == GoalTrue
}

// Atoms goes through the atoms of a goal in their order, and says of each whether it is in
// a prohibition: to be kept out, not found.
func (g *Goal) Atoms() iter.Seq2[*Atom, bool] {
	return func(yield func(*Atom, bool) bool) { g.atoms(false, yield) }
}

func (g *Goal) atoms(banned bool, yield func(*Atom, bool) bool) bool {
	if g.Kind == GoalAtom {
		return yield(g.Atom, banned)
	}
	for _, k := range g.Kids {
		if !k.atoms(banned || g.Kind == GoalBan, yield) {
			return false
		}
	}
	return true
}

// String says a goal as constraints say themselves.
func (g *Goal) String() string {
	switch g.Kind {
	case GoalAtom:
		return g.Atom.Constraint.String()
	case GoalTrue:
		return "nothing"
	case GoalFalse:
		return "what cannot be"
	}
	some := [...]string{GoalAll: "all of (", GoalAny: "any of (", GoalBan: "none of ("}
	return some[g.Kind] + strings.Join(text.Each(g.Kids, (*Goal).String), "; ") + ")"
}
