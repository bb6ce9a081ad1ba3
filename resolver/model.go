package resolver

import (
	"slices"
)

// ModelHas evaluates a fact that involves a bundle in the current model.
func (f *formula) ModelHas(k fact) bool {
	p := f.p
	switch k.kind {
	case factInstalled:
		return f.s.Value(f.lits[p.inst[k.a]])
	case factDeprecated, factIncompatible:
		return !f.s.Value(f.lits[k.a])
	case factConstraint:
		return !f.s.Value(f.lits[k.a]) || f.modelHolds(p.requirements(nodeID(k.a))[k.b].goal, noNode, nodeID(k.a))
	default:
		return false
	}
}

// modelHolds evaluates a goal in the current model; one that a bundle prohibits
// without the bundles that are tolerated there.
func (f *formula) modelHolds(g *goal, prohibits, from nodeID) bool {
	switch g.kind {
	case goalTrue:
		return true
	case goalAtom:
		for n, l := range f.lits {
			if l != 0 && f.s.Value(l) && f.p.matches(g.atom, nodeID(n)) && !f.p.toleratedBy(prohibits, nodeID(n)) {
				return true
			}
		}
		return false
	case goalAll:
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !f.modelHolds(k, prohibits, from) })
	case goalAny:
		return slices.ContainsFunc(g.kids, func(k *goal) bool { return f.modelHolds(k, prohibits, from) })
	case goalBan:
		return !f.modelHolds(g.kids[0], from, from)
	default:
		return false
	}
}
