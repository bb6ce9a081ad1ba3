package formula

import (
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Derived is a clause over bundles that follows by unit propagation from facts and the clauses
// derived before it.
type Derived struct {
	In, Out []problem.NodeID // some bundle of In is in the set, or some bundle of Out is not
	Uses    []Use            // antecedents of the propagation, in order
}

// Use is an earlier derived clause, by its number from 1, or a fact.
type Use struct {
	Clause int
	Fact   Fact
}

// Prove proves that the facts of an excerpt are unsatisfiable: the last clause is empty. It must be
// called before Solve. The result is nil if the budget is exhausted.
func (f *Formula) Prove() []Derived {
	guards, about := make([]sat.Lit, 0, len(f.Facts)), []sat.Lit{}
	factOf := make(map[sat.Lit]Fact, len(f.Facts))
	for _, k := range f.Facts {
		guards = append(guards, k.Guard)
		factOf[k.Guard] = k.Fact
	}
	nodeOf := make(map[sat.Lit]problem.NodeID)
	for n, x := range f.Literal {
		if x != 0 {
			about = append(about, x)
			nodeOf[x] = problem.NodeID(n)
		}
	}
	proof, err := f.s.Prove(f.p.Budget.Context(), guards, about)
	if err != nil {
		f.p.Budget.Fail(err)
		return nil
	}
	facts := f.factsOfClauses(factOf, nodeOf)
	out := make([]Derived, 0, len(proof))
	for _, d := range proof {
		var c Derived
		for _, l := range d.Literals {
			if l > 0 {
				c.In = append(c.In, nodeOf[l])
			} else {
				c.Out = append(c.Out, nodeOf[l.Not()])
			}
		}
		for _, u := range d.Uses {
			if u >= len(facts) {
				c.Uses = append(c.Uses, Use{Clause: u - len(facts) + 1})
				continue
			}
			for _, k := range facts[u] {
				if last := len(c.Uses) - 1; last < 0 || c.Uses[last] != (Use{Fact: k}) {
					c.Uses = append(c.Uses, Use{Fact: k})
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// factsOfClauses lists, for each clause, the facts that it is part of. The clauses of a goal come
// before those of the facts that use it. The clauses of places belong to no fact.
func (f *Formula) factsOfClauses(factOf map[sat.Lit]Fact, nodeOf map[sat.Lit]problem.NodeID) [][]Fact {
	var clauses [][]sat.Lit
	for c := range f.s.Unsolved() {
		clauses = append(clauses, append([]sat.Lit(nil), c...))
	}
	facts, wanted := make([][]Fact, len(clauses)), make(map[sat.Lit][]Fact)
	for i := len(clauses) - 1; i >= 0; i-- {
		for _, l := range clauses[i] {
			if k, guard := factOf[l.Not()]; guard && k.Kind != FactPackage && k.Kind != FactGVK {
				facts[i] = []Fact{k}
			} else if l < 0 && facts[i] == nil {
				facts[i] = wanted[l.Not()]
			}
		}
		for _, l := range clauses[i] {
			if _, bundle := nodeOf[l]; l > 0 && !bundle && factOf[l] == (Fact{}) {
				wanted[l] = append(wanted[l], facts[i]...)
			}
		}
	}
	return facts
}
