package formula

import (
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Excerpt encodes some facts alone, with only the bundles that could satisfy one of them. For these
// facts it is equivalent to the whole formula, and cheaper to solve. It must not be used if the budget
// is exhausted.
func (f *Formula) Excerpt(facts []Fact) *Formula {
	p := f.p
	left := p.Budget.Limits.Solves
	if left > 0 {
		if left -= f.s.Solves(); left <= 0 {
			p.Budget.Exhaust(problem.ResourceSolves, uint64(p.Budget.Limits.Solves))
			return nil
		}
	}
	part := newFormula(p, f.guards, left, f.observer)
	part.only, part.Guard = make(map[Fact]bool, len(facts)), make(map[Fact]sat.Lit, len(facts))
	part.Literal = make([]sat.Lit, len(p.Universe.Nodes))
	for _, k := range facts {
		part.only[k] = true
		part.guardOf(k)
	}
	for _, k := range facts {
		if p.Budget.Step() {
			return nil
		}
		if k.IsRoot() {
			part.involve(NodesOf(p, k))
		} else if k.Kind == FactConstraint { // without its bundles a prohibition holds
			for a, banned := range p.Requirements(problem.NodeID(k.A))[k.B].Goal.Atoms() {
				if !banned {
					part.involve(p.Universe.AllMatches(a))
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

// LeadingFrom returns, in order, the facts reachable from the roots among some facts: those about
// bundles that a chain of requirements connects with a root. All other facts hold if no other bundle
// is selected.
func (f *Formula) LeadingFrom(some []Fact) []Fact {
	u := f.p.Universe
	var todo []problem.NodeID
	seen, pkgs, apis := make([]bool, len(u.Nodes)), make([]bool, len(u.Pkgs)), make([]bool, len(u.GVKs))
	add := func(nodes []problem.NodeID) {
		for _, n := range nodes {
			if n != problem.NoNode && !seen[n] {
				seen[n], todo = true, append(todo, n)
			}
		}
	}
	roots, demands := make(map[Fact]bool), make(map[int32]bool)
	for _, k := range some {
		if k.IsRoot() {
			roots[k] = true
			demands[k.A] = demands[k.A] || k.Kind == FactSubscription
			add(NodesOf(f.p, k))
		}
	}
	for i := 0; i < len(todo) && !f.p.Budget.Step(); i++ {
		nd := &u.Nodes[todo[i]]
		pkgs[nd.Pkg] = true
		for _, g := range nd.GVKs {
			apis[g] = true
		}
		for _, r := range f.p.Requirements(todo[i]) {
			for a, banned := range r.Goal.Atoms() {
				if !banned {
					add(u.AllMatches(a))
				}
			}
		}
	}
	var facts []Fact
	for _, k := range f.Facts {
		about := true
		switch k.Fact.Kind {
		case FactSubscription, FactInstalled, FactForced:
			about = roots[k.Fact]
		case FactHold, FactNoCandidate:
			about = demands[k.Fact.A]
		case FactPackage, FactQuarantined:
			about = pkgs[k.Fact.A]
		case FactGVK:
			about = apis[k.Fact.A]
		case FactConstraint, FactDeprecated, FactIncompatible:
			about = seen[k.Fact.A]
		}
		if about {
			facts = append(facts, k.Fact)
		}
	}
	return facts
}
