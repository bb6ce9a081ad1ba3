package formula

import (
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/budget"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Excerpt writes a formula that is about some facts alone, and about no bundle but
// those that could satisfy one of them. For these facts it is as good as the whole,
// and the solver is done with it sooner. Nothing is to be done with it once the work was
// stopped.
func (f *Formula) Excerpt(facts []Fact) *Formula {
	p := f.p
	left := p.Limits.Solves
	if left > 0 {
		if left -= f.s.Solves(); left <= 0 {
			p.Exceed(budget.Solves, uint64(p.Limits.Solves))
			return nil
		}
	}
	part := newFormula(p, f.level, left, f.observer)
	part.only, part.guard = make(map[Fact]bool, len(facts)), make(map[Fact]sat.Lit, len(facts))
	part.lits = make([]sat.Lit, len(p.Nodes))
	for _, k := range facts {
		part.only[k] = true
		part.guardOf(k)
	}
	for _, k := range facts {
		if p.Tick(); p.Stopped() {
			return nil
		}
		part.involve(k)
	}
	encoder{part}.write()
	return part
}

// involve gives a literal to each bundle that could satisfy a fact.
func (f *Formula) involve(k Fact) {
	switch k.Kind {
	case FactSubscription, FactInstalled, FactForced:
		f.involveAll(NodesOf(f.p, k))
	case FactConstraint:
		f.involveGoal(f.p.Requirements(problem.NodeID(k.A))[k.B].Goal)
	}
}

// involveGoal does so for a goal. Without its bundles a prohibition holds.
func (f *Formula) involveGoal(g *problem.Goal) {
	switch g.Kind {
	case problem.GoalAtom:
		f.involveAll(f.p.AnyList(g.Atom))
	case problem.GoalAll, problem.GoalAny:
		for _, k := range g.Kids {
			f.involveGoal(k)
		}
	}
}

func (f *Formula) involveAll(nodes []problem.NodeID) {
	for _, n := range nodes {
		if f.lits[n] == 0 {
			f.lits[n] = f.s.NewVar()
		}
	}
}
