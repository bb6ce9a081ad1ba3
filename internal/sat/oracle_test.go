package sat

import (
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"
)

// problem is what a Solver was given, kept in the words of the caller, and
// answered by trying every assignment. It knows nothing of encodings.
type problem struct {
	vars    int
	clauses [][]Lit
	groups  []group
}

type group struct {
	lits  []Lit
	guard Lit
}

// add gives the same clause to the problem and to s.
func (p *problem) add(s *Solver, lits ...Lit) {
	p.clauses = append(p.clauses, lits)
	s.Add(lits...)
}

// atMostOne gives the same group to the problem and to s.
func (p *problem) atMostOne(s *Solver, lits []Lit, guard Lit) {
	p.groups = append(p.groups, group{lits, guard})
	s.AtMostOne(lits, guard)
}

// allows reports whether everything in p holds under an assignment.
func (p *problem) allows(value func(Lit) bool) bool {
	for _, c := range p.clauses {
		if !slices.ContainsFunc(c, value) {
			return false
		}
	}
	for _, g := range p.groups {
		if g.guard != 0 && !value(g.guard) {
			continue
		}
		held := map[Lit]bool{}
		for _, l := range g.lits {
			if value(l) {
				held[l] = true
			}
		}
		if len(held) > 1 {
			return false
		}
	}
	return true
}

// satisfiable tries every assignment of p's variables.
func (p *problem) satisfiable(assumptions ...Lit) bool {
	for bits := range uint64(1) << p.vars {
		value := func(l Lit) bool { return bits>>(l.Var()-1)&1 == 1 == (l > 0) }
		if !slices.ContainsFunc(assumptions, func(l Lit) bool { return !value(l) }) && p.allows(value) {
			return true
		}
	}
	return false
}

// minimalCore drops literals from the end as long as the rest is unsatisfiable.
func (p *problem) minimalCore(core []Lit) []Lit {
	core = slices.Clone(core)
	for i := len(core) - 1; i >= 0; i-- {
		without := slices.Delete(slices.Clone(core), i, i+1)
		if !p.satisfiable(without...) {
			core = without
		}
	}
	return core
}

// newProblem returns an empty problem of n variables and a solver that knows the same ones
// and, unless it is quick, asks the solver underneath from the start.
func newProblem(n int, quick bool) (*problem, *Solver) {
	s := New(Options{})
	if !quick {
		s.backend = newBackend(n, 0)
	}
	for range n {
		s.NewVar()
	}
	return &problem{vars: n}, s
}

// randomClauses adds count clauses of width distinct variables each.
func (p *problem) randomClauses(s *Solver, r *rand.Rand, count, width int) {
	for range count {
		var c []Lit
		for _, v := range r.Perm(p.vars)[:width] {
			c = append(c, Lit(v+1)*Lit(1-2*r.IntN(2)))
		}
		p.add(s, c...)
	}
}

// lits draws literals over the variables 1 to n.
func lits(n, atLeast, atMost int) *rapid.Generator[[]Lit] {
	lit := rapid.Custom(func(t *rapid.T) Lit {
		l := Lit(rapid.IntRange(1, n).Draw(t, "var"))
		if rapid.Bool().Draw(t, "negative") {
			return l.Not()
		}
		return l
	})
	return rapid.SliceOfN(lit, atLeast, atMost)
}
