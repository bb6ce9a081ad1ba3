package formula

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Has reports whether a bundle is in the latest model.
func (f *Formula) Has(n problem.NodeID) bool { return f.lits[n] != 0 && f.s.Value(f.lits[n]) }

// ModelHas evaluates a fact that involves a bundle in the current model.
func (f *Formula) ModelHas(k Fact) bool {
	switch k.Kind {
	case FactInstalled:
		return f.Has(f.p.Inst[k.A])
	case FactDeprecated, FactIncompatible:
		return !f.Has(problem.NodeID(k.A))
	case FactConstraint:
		return f.Holds(k, f.Has)
	default:
		return false
	}
}

// Holds evaluates a constraint in a set of bundles.
func (f *Formula) Holds(k Fact, has func(problem.NodeID) bool) bool {
	n := problem.NodeID(k.A)
	return !has(n) || f.holds(f.p.Requirements(n)[k.B].Goal, n, has, f.p.AnyList)
}

// holds evaluates a goal of a bundle, given which bundles make an atom hold.
func (f *Formula) holds(g *problem.Goal, from problem.NodeID, has func(problem.NodeID) bool, matching func(*problem.Atom) []problem.NodeID) bool {
	holds := func(k *problem.Goal) bool { return f.holds(k, from, has, matching) }
	switch g.Kind {
	case problem.GoalAtom:
		return slices.ContainsFunc(matching(g.Atom), has)
	case problem.GoalAll:
		return !slices.ContainsFunc(g.Kids, func(k *problem.Goal) bool { return !holds(k) })
	case problem.GoalAny:
		return slices.ContainsFunc(g.Kids, holds)
	case problem.GoalBan:
		return !f.holds(g.Kids[0], from, has, func(a *problem.Atom) []problem.NodeID {
			list := f.Matching(a)
			if f.Tolerant(from) {
				list = slices.DeleteFunc(slices.Clone(list), f.p.IsLenient)
			}
			return list
		})
	default:
		return g.Kind == problem.GoalTrue
	}
}

// Matching lists the bundles with a literal that match an atom, candidates or not.
func (f *Formula) Matching(a *problem.Atom) []problem.NodeID {
	list, ok := f.matching[a]
	if !ok {
		for n := range f.lits {
			if f.lits[n] != 0 && f.p.Matches(a, problem.NodeID(n)) {
				list = append(list, problem.NodeID(n))
			}
		}
		f.matching[a] = list
	}
	return list
}
