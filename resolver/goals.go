package resolver

import (
	"github.com/seed109e2655/resolute/internal/sat"
)

// lit returns a literal that implies a goal of a bundle; 0 if it can never hold.
func (f *formula) lit(g *goal, from nodeID) sat.Lit {
	switch g.kind {
	case goalFalse:
		return 0
	case goalAtom:
		return f.atomLit(g.atom)
	}
	key := goalOf{g, f.tolerant(from)}
	if l, ok := f.goals[key]; ok {
		return l
	}
	l := f.s.NewVar()
	f.goals[key] = l
	switch g.kind {
	case goalAll:
		for _, k := range g.kids {
			f.s.Add(l.Not(), f.lit(k, from))
		}
	case goalAny:
		clause := []sat.Lit{l.Not()}
		for _, k := range g.kids {
			clause = append(clause, f.lit(k, from))
		}
		f.s.Add(clause...)
	case goalBan:
		f.s.Add(l.Not(), f.absent(g.kids[0], from))
	}
	return l
}

// atomLit returns a literal that implies that some candidate of an atom is chosen.
func (f *formula) atomLit(a *atom) sat.Lit {
	if l, ok := f.atoms[a]; ok {
		return l
	}
	l := f.s.NewVar()
	f.atoms[a] = l
	f.s.Add(append([]sat.Lit{l.Not()}, f.literals(f.p.anyList(a))...)...)
	return l
}

// absent returns a literal that implies that a formula without negation, which a
// bundle prohibits, does not hold.
func (f *formula) absent(g *goal, from nodeID) sat.Lit {
	if g.kind == goalAtom {
		return f.noneOf(g.atom, from)
	}
	l := f.s.NewVar()
	clause := []sat.Lit{l.Not()}
	for _, k := range g.kids {
		if g.kind == goalAny {
			f.s.Add(l.Not(), f.absent(k, from))
		} else {
			clause = append(clause, f.absent(k, from))
		}
	}
	if g.kind == goalAll {
		f.s.Add(clause...)
	}
	return l
}

// noneOf returns a literal that implies that no match of an atom, which a bundle
// prohibits, is chosen, candidates or not.
func (f *formula) noneOf(a *atom, from nodeID) sat.Lit {
	key := atomOf{a, f.tolerant(from)}
	if l, ok := f.bans[key]; ok {
		return l
	}
	l := f.s.NewVar()
	f.bans[key] = l
	for n := range f.lits {
		if f.lits[n] == 0 || !f.p.matches(a, nodeID(n)) {
			continue
		}
		switch {
		case !key.installed:
			f.s.Add(l.Not(), f.lits[n].Not())
		case !f.p.isLenient(nodeID(n)):
			f.s.Add(l.Not(), f.unadmitted(nodeID(n)), f.lits[n].Not())
		}
	}
	return l
}
