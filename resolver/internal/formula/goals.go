package formula

import (
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// lit returns a literal that implies a goal of a bundle, or, inside a prohibition, its negation; 0
// if that is never true.
func (f *Formula) lit(g *problem.Goal, from problem.NodeID, banned bool) sat.Lit {
	if g.Kind == problem.GoalFalse {
		return 0
	}
	key := goalOf{g, banned, (banned || g.Kind != problem.GoalAtom) && f.p.Assumptions.IgnoresLenient(from)}
	if l, ok := f.goals[key]; ok {
		return l
	}
	l := f.s.NewVar()
	f.goals[key] = l
	switch {
	case g.Kind == problem.GoalAtom && banned:
		f.noneOf(g.Atom, l, key.installed)
	case g.Kind == problem.GoalAtom: // some candidate is selected
		f.s.Add(append([]sat.Lit{l.Not()}, f.literals(f.u.AllMatches(g.Atom))...)...)
	case (g.Kind == problem.GoalAny) != banned: // some part holds
		clause := []sat.Lit{l.Not()}
		for _, k := range g.Kids {
			clause = append(clause, f.lit(k, from, banned))
		}
		f.s.Add(clause...)
	default:
		for _, k := range g.Kids {
			f.s.Add(l.Not(), f.lit(k, from, banned || g.Kind == problem.GoalBan))
		}
	}
	return l
}

// noneOf writes that a literal implies that no match of an atom is selected. installed is whether an
// installed bundle declares the prohibition.
func (f *Formula) noneOf(a *problem.Atom, l sat.Lit, installed bool) {
	for _, n := range f.Matching(a) {
		var excused sat.Lit
		if installed {
			excused = f.exemption(n)
		}
		if !installed || !f.p.Assumptions.IsLenient(n) {
			f.s.Add(l.Not(), excused, f.Literal[n].Not())
		}
	}
}
