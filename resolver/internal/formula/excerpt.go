package formula

import (
	"github.com/seed109e2655/resolute/internal/sat"
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
			p.Exceed(problem.SpentSolves, uint64(p.Limits.Solves))
			return nil
		}
	}
	part := newFormula(p, f.guards, left, f.observer)
	part.only, part.Guard = make(map[Fact]bool, len(facts)), make(map[Fact]sat.Lit, len(facts))
	part.Literal = make([]sat.Lit, len(p.Nodes))
	for _, k := range facts {
		part.only[k] = true
		part.guardOf(k)
	}
	for _, k := range facts {
		if p.Tick() {
			return nil
		}
		if k.IsRoot() {
			part.involve(NodesOf(p, k))
		} else if k.Kind == FactConstraint { // without its bundles a prohibition holds
			for a, banned := range p.Requirements(problem.NodeID(k.A))[k.B].Goal.Atoms() {
				if !banned {
					part.involve(p.AnyList(a))
				}
			}
		}
	}
	part.encode()
	return part
}

// involve gives a literal to each bundle that could satisfy a fact.
func (f *Formula) involve(nodes []problem.NodeID) {
	for _, n := range nodes {
		if f.Literal[n] == 0 {
			f.Literal[n] = f.s.NewVar()
		}
	}
}
