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
	GoalTrue  GoalKind = iota // always holds
	GoalFalse                 // never holds
	GoalAtom                  // some bundle of the set matches Atom
	GoalAll                   // every kid holds
	GoalAny                   // some kid holds
	GoalBan                   // Kids[0], a formula without negation, does not hold
)

// Goal is a constraint in a normal form: constants are folded, and negations are pushed inwards
// until each covers a formula without negation. So each part either requires a match (atoms under
// all and any) or prohibits matches (ban).
type Goal struct {
	Kind GoalKind
	Atom *Atom
	Kids []*Goal
	// Key identifies a ban: bans with equal keys are the same prohibition.
	Key string
}

var (
	// AlwaysHolds is the goal that is always true.
	AlwaysHolds = &Goal{Kind: GoalTrue}
	neverHolds  = &Goal{Kind: GoalFalse}
)

// Compound returns the children of a compound and whether all or any of them have to hold. For a
// negation it returns GoalAny and negated: none of them may hold. For an atom it returns GoalAtom.
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

// compile turns a constraint into a goal. Equal constraints share one goal.
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
	// Whether two bundles share the value of a constraint depends on how their catalog was read.
	// Whether their constraints are equal does not.
	if g, ok = u.goalsByKey[c.Key()]; !ok {
		if g = u.goal(c, true); u.Budget.Stopped() { // its atoms may be incomplete
			return g
		}
		u.goalsByKey[c.Key()] = g
	}
	u.goals[c] = g
	return g
}

// goal compiles a constraint, or its negation if holds is false. The negation of a formula without
// negation is one prohibition; otherwise De Morgan's laws push the negation inwards.
func (u *Universe) goal(c constraints.Constraint, holds bool) *Goal {
	if !holds && !negates(c) {
		switch g := u.banned(c); g.Kind {
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

// banned compiles a constraint without negation for a prohibition of it.
func (u *Universe) banned(c constraints.Constraint) *Goal {
	defer func(before bool) { u.banning = before }(u.banning)
	u.banning = u.unread
	return u.goal(c, true)
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

// join compiles the conjunction or disjunction of some constraints, or of their negations if hold
// is false. It flattens nested goals of the same kind and folds constants.
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

// Holds evaluates a goal in a set of bundles. match reports whether one of them matches an atom,
// kept whether a prohibition is satisfied.
func (g *Goal) Holds(match func(*Atom) bool, kept func(*Goal) bool) bool {
	return g.HoldsWithReasons(Why{}, match, kept)
}

// Why collects, through match and kept, the reasons why a goal Fails, or why it holds.
type Why struct {
	Reasons Reasons // nil for none
	Fails   bool
}

// Reasons is a list that grows at its end.
type Reasons interface {
	Size() int
	Drop(n int) // removes all but the first n
}

// HoldsWithReasons is Holds, and collects the reasons for the result that why selects. It drops the
// reasons of parts with the opposite result.
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

// NeedsNothing reports whether a goal requires no bundle: it only prohibits.
func (g *Goal) NeedsNothing() bool {
	if g.Kind == GoalAll {
		return !slices.ContainsFunc(g.Kids, func(k *Goal) bool { return !k.NeedsNothing() })
	}
	return g.Kind == GoalBan || g.Kind == GoalTrue
}

// Atoms yields the atoms of a goal in order, each with whether it is inside a prohibition.
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

// Words renders a goal as [constraints.Describe] does.
func (g *Goal) Words(operator string) string {
	switch g.Kind {
	case GoalAtom:
		return constraints.Describe(g.Atom.Constraint, operator)
	case GoalTrue:
		return "nothing"
	case GoalFalse:
		return "an unsatisfiable constraint"
	}
	some := [...]string{GoalAll: "all of (", GoalAny: "any of (", GoalBan: "none of ("}
	return some[g.Kind] + strings.Join(text.Each(g.Kids, func(k *Goal) string { return k.Words(operator) }), "; ") + ")"
}
