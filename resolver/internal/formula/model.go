package formula

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// ModelHas evaluates a fact that involves a bundle in the current model.
func (f *Formula) ModelHas(k Fact) bool {
	p := f.p
	switch k.Kind {
	case FactInstalled:
		return f.s.Value(f.lits[p.Inst[k.A]])
	case FactDeprecated, FactIncompatible:
		return !f.s.Value(f.lits[k.A])
	case FactConstraint:
		return !f.s.Value(f.lits[k.A]) || f.modelHolds(p.Requirements(problem.NodeID(k.A))[k.B].Goal, problem.NoNode, problem.NodeID(k.A))
	default:
		return false
	}
}

// modelHolds evaluates a goal in the current model; one that a bundle prohibits
// without the bundles that are tolerated there.
func (f *Formula) modelHolds(g *problem.Goal, prohibits, from problem.NodeID) bool {
	switch g.Kind {
	case problem.GoalTrue:
		return true
	case problem.GoalAtom:
		for n, l := range f.lits {
			if l != 0 && f.s.Value(l) && f.p.Matches(g.Atom, problem.NodeID(n)) && !f.p.ToleratedBy(prohibits, problem.NodeID(n)) {
				return true
			}
		}
		return false
	case problem.GoalAll:
		return !slices.ContainsFunc(g.Kids, func(k *problem.Goal) bool { return !f.modelHolds(k, prohibits, from) })
	case problem.GoalAny:
		return slices.ContainsFunc(g.Kids, func(k *problem.Goal) bool { return f.modelHolds(k, prohibits, from) })
	case problem.GoalBan:
		return !f.modelHolds(g.Kids[0], from, from)
	default:
		return false
	}
}
