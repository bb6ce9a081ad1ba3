package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// excerpt writes a formula that is about some facts alone, and about no bundle but
// those that could satisfy one of them. For these facts it is as good as the whole,
// and the solver is done with it sooner.
func (f *formula) excerpt(facts []fact) *formula {
	p := f.p
	left := p.Limits().Solves
	if left > 0 {
		if left -= f.s.Solves(); left <= 0 {
			p.exceed(resourceSolves, uint64(p.Limits().Solves))
		}
	}
	part := newFormula(p, f.level, left, f.observer)
	part.only = make(map[fact]bool, len(facts))
	for _, k := range facts {
		part.only[k] = true
		part.guardOf(k)
	}
	part.lits = make([]sat.Lit, len(p.nodes))
	for _, k := range facts {
		part.involve(k)
	}
	part.write()
	return part
}

// involve gives a literal to each bundle that could satisfy a fact.
func (f *formula) involve(k fact) {
	switch k.kind {
	case factSubscription, factInstalled, factForced:
		f.involveAll(f.nodesOf(k))
	case factConstraint:
		f.involveGoal(f.p.requirements(nodeID(k.a))[k.b].goal)
	}
}

// nodesOf lists the bundles that a fact is about: those that it asks for, or those
// that it keeps out. Constraints and places are not asked here.
func (f *formula) nodesOf(k fact) []nodeID {
	p := f.p
	var nodes []nodeID
	switch k.kind {
	case factSubscription:
		if s := &p.subs[k.a]; s.owned == noNode {
			return p.allCandidates(s)
		} else {
			return p.exclusiveOf(s)
		}
	case factInstalled:
		return append(nodes, p.inst[k.a])
	case factHold:
		if s := &p.subs[k.a]; s.keeps() { // a pin may want another one
			nodes = append(nodes, s.owned)
		}
	case factForced:
		return p.forcedNodes(k.a)
	case factDeprecated, factIncompatible:
		return append(nodes, nodeID(k.a))
	case factForbidden, factQuarantined:
		for n := range p.nodes {
			nd := &p.nodes[n]
			if k.kind == factForbidden && slices.Contains(p.forbiddenBy(nd), k.a) ||
				k.kind == factQuarantined && nd.ban == banQuarantined && nd.pkg == k.a {
				nodes = append(nodes, nodeID(n))
			}
		}
	}
	return nodes
}

// involveGoal does so for a goal. Without its bundles a prohibition holds.
func (f *formula) involveGoal(g *goal) {
	switch g.kind {
	case goalAtom:
		f.involveAll(f.p.anyList(g.atom))
	case goalAll, goalAny:
		for _, k := range g.kids {
			f.involveGoal(k)
		}
	}
}

func (f *formula) involveAll(nodes []nodeID) {
	for _, n := range nodes {
		if f.lits[n] == 0 {
			f.lits[n] = f.s.NewVar()
		}
	}
}
