package formula

import (
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// lit returns a literal that implies a goal of a bundle; 0 if it can never hold.
func (f *Formula) lit(g *problem.Goal, from problem.NodeID) sat.Lit {
	switch g.Kind {
	case problem.GoalFalse:
		return 0
	case problem.GoalAtom:
		return f.atomLit(g.Atom)
	}
	key := goalOf{g, f.p.Tolerant(from)}
	if l, ok := f.goals[key]; ok {
		return l
	}
	l := f.s.NewVar()
	f.goals[key] = l
	switch g.Kind {
	case problem.GoalAll:
		for _, k := range g.Kids {
			f.s.Add(l.Not(), f.lit(k, from))
		}
	case problem.GoalAny:
		clause := []sat.Lit{l.Not()}
		for _, k := range g.Kids {
			clause = append(clause, f.lit(k, from))
		}
		f.s.Add(clause...)
	case problem.GoalBan:
		f.s.Add(l.Not(), f.absent(g.Kids[0], from))
	}
	return l
}

// atomLit returns a literal that implies that some candidate of an atom is chosen.
func (f *Formula) atomLit(a *problem.Atom) sat.Lit {
	if l, ok := f.atoms[a]; ok {
		return l
	}
	l := f.s.NewVar()
	f.atoms[a] = l
	f.s.Add(append([]sat.Lit{l.Not()}, f.literals(f.p.AnyList(a))...)...)
	return l
}

// absent returns a literal that implies that a formula without negation, which a
// bundle prohibits, does not hold.
func (f *Formula) absent(g *problem.Goal, from problem.NodeID) sat.Lit {
	if g.Kind == problem.GoalAtom {
		return f.noneOf(g.Atom, from)
	}
	l := f.s.NewVar()
	clause := []sat.Lit{l.Not()}
	for _, k := range g.Kids {
		if g.Kind == problem.GoalAny {
			f.s.Add(l.Not(), f.absent(k, from))
		} else {
			clause = append(clause, f.absent(k, from))
		}
	}
	if g.Kind == problem.GoalAll {
		f.s.Add(clause...)
	}
	return l
}

// noneOf returns a literal that implies that no match of an atom, which a bundle
// prohibits, is chosen, candidates or not.
func (f *Formula) noneOf(a *problem.Atom, from problem.NodeID) sat.Lit {
	key := atomOf{a, f.p.Tolerant(from)}
	if l, ok := f.bans[key]; ok {
		return l
	}
	l := f.s.NewVar()
	f.bans[key] = l
	for _, n := range f.Matching(a) {
		var excused sat.Lit
		if key.installed {
			excused = f.excused(n)
		}
		if !key.installed || !f.p.IsLenient(n) {
			f.s.Add(l.Not(), excused, f.lits[n].Not())
		}
	}
	return l
}
