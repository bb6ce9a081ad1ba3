package formula

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Has reports whether a bundle is in the latest model.
func (f *Formula) Has(n problem.NodeID) bool { return f.Literal[n] != 0 && f.s.Value(f.Literal[n]) }

// Holds evaluates a fact in a set of bundles, given the bundles that it depends on. It is stricter
// than the formula for a hold, whose clauses bind only together with its subscription.
func (f *Formula) Holds(k Fact, about []problem.NodeID, has func(problem.NodeID) bool) bool {
	count := func(nodes []problem.NodeID) (c int) {
		for _, n := range nodes {
			if has(n) {
				c++
			}
		}
		return c
	}
	switch k.Kind {
	case FactSubscription:
		s := &f.p.Demands.List[k.A]
		return count(s.Candidates(f.u)) > 0 && (s.Owned == problem.NoNode || s.HeldBack() || count(about) < 2)
	case FactInstalled, FactForced, FactHold:
		return count(about) > 0
	case FactPackage, FactGVK:
		if f.p.Assumptions.Lenient != nil {
			return !f.p.Assumptions.ViolatesUniqueness(about, has)
		}
		return count(about) < 2
	case FactConstraint:
		n := problem.NodeID(k.A)
		return !has(n) || f.holds(f.p.Requirements(n)[k.B].Goal, n, has)
	case FactForbidden, FactDeprecated, FactIncompatible, FactQuarantined:
		return count(about) == 0
	default:
		return true
	}
}

// holds evaluates a goal of a bundle in a set of bundles.
func (f *Formula) holds(g *problem.Goal, from problem.NodeID, has func(problem.NodeID) bool) bool {
	found := func(a *problem.Atom) bool { return slices.ContainsFunc(f.u.AllMatches(a), has) }
	return g.Holds(found, func(ban *problem.Goal) bool {
		return !ban.Kids[0].Holds(func(a *problem.Atom) bool {
			return slices.ContainsFunc(f.Matching(a), func(n problem.NodeID) bool {
				return has(n) && !(f.p.Assumptions.IgnoresLenient(from) && f.p.Assumptions.IsLenient(n))
			})
		}, nil)
	})
}

// Matching lists the bundles with a literal that match an atom, even if they are no candidates.
func (f *Formula) Matching(a *problem.Atom) []problem.NodeID {
	list, ok := f.matching[a]
	if !ok {
		f.byKey.Grow(len(f.Literal), f.keysOf)
		for _, n := range f.byKey.Find(a.Keys()) {
			if f.u.Matches(a, problem.NodeID(n)) {
				list = append(list, problem.NodeID(n))
			}
		}
		f.matching[a] = list
	}
	return list
}

// keysOf yields the keys of a bundle that has a literal.
func (f *Formula) keysOf(n int) iter.Seq[problem.Key] {
	if f.Literal[n] == 0 {
		return func(func(problem.Key) bool) {}
	}
	return f.u.KeysOf(problem.NodeID(n))
}
