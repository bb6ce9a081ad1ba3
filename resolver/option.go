package resolver

import "slices"

// options is the ordered list of options of a decision, drawn as far as it is
// looked at.
type options struct {
	p    *problem
	d    decision
	list []option // of an `any`
	ids  *candidates
}

// optionsOf prepares the options of a decision.
func (p *problem) optionsOf(d decision) options {
	o := options{p: p, d: d}
	switch {
	case d.kind == decideForced:
		for _, n := range p.forcedNodes(d.sub) {
			o.list = append(o.list, option{node: n})
		}
	case d.kind != decideGoal:
	case d.goal.kind == goalAtom:
		o.ids = p.candidatesOf(d.goal.atom, p.nodes[d.from].cat)
	case d.goal.kind == goalAny:
		o.list = p.anyOptions(d.goal, p.nodes[d.from].cat)
	}
	return o
}

// at returns the i-th option.
func (o options) at(i int) (option, bool) {
	p := o.p
	switch {
	case o.ids != nil:
		n, ok := p.at(o.ids, i)
		return option{node: n}, ok
	case o.d.kind == decideInstalled:
		return option{node: p.inst[o.d.sub]}, i == 0
	case o.d.kind == decideSubscription:
		n, ok := p.candidateAt(&p.subs[o.d.sub], i)
		return option{node: n}, ok
	case i < len(o.list):
		return o.list[i], true
	default:
		return option{node: noNode}, false
	}
}

// anyOptions lists the options of an `any` over all its children together (step
// 3 of section 6): what needs nothing first, then every candidate of every child
// by its rank, equal ones in the order of the children.
func (p *problem) anyOptions(g *goal, own int32) []option {
	var idle, busy []option
	for _, k := range g.kids {
		for _, o := range p.childOptions(k, own) {
			o.child = k
			if o.node == noNode {
				idle = append(idle, o)
			} else {
				busy = append(busy, o)
			}
		}
	}
	r := p.ranking(own)
	slices.SortStableFunc(busy, func(a, b option) int { return r.compare(a.node, b.node) })
	return append(idle, busy...)
}

// childOptions lists what one child of an `any` offers.
func (p *problem) childOptions(g *goal, own int32) []option {
	switch {
	case g.restful():
		return []option{{node: noNode, commits: []*goal{g}}}
	case g.kind == goalAtom:
		nodes := p.all(p.candidatesOf(g.atom, own))
		opts := make([]option, len(nodes))
		for i, n := range nodes {
			opts[i] = option{node: n}
		}
		return opts
	case g.kind == goalAll:
		return p.committed(g, p.childOptions(lead(g), own))
	case g.kind == goalAny:
		return p.anyOptions(g, own)
	default:
		return nil
	}
}

// lead is the part of an `all` that its candidates come from: its first atom, or
// its first `any` if it has no atom of its own.
func lead(g *goal) *goal {
	for _, kind := range []goalKind{goalAtom, goalAny} {
		for _, k := range g.kids {
			if k.kind == kind {
				return k
			}
		}
	}
	return alwaysHolds
}

// committed makes each option commit to the whole of a goal.
func (p *problem) committed(g *goal, opts []option) []option {
	for i := range opts {
		opts[i].commits = append(opts[i].commits, g)
	}
	return opts
}

// forcedNodes are the bundles that a forced reference means, installed ones first,
// then by catalog.
func (p *problem) forcedNodes(i int32) []nodeID {
	ref := p.req.Force[i]
	var nodes []nodeID
	for _, n := range p.inst {
		if n != noNode && p.nodes[n].bundle.Name == ref.Name && p.refersTo(ref, p.nodes[n].cat) {
			nodes = append(nodes, n)
		}
	}
	for c := range p.cats {
		if !p.refersTo(ref, int32(c)) {
			continue
		}
		for _, id := range p.cats[c].Content.Named(ref.Name) {
			b := p.cats[c].Content.Bundle(id)
			if len(b.Places) > 0 || p.explaining && p.quarantineOf(int32(c), b) != nil {
				nodes = append(nodes, p.node(int32(c), id))
			}
		}
	}
	return nodes
}

// isForced reports whether a node is one that a forced reference means.
func (p *problem) isForced(i int32, n nodeID) bool {
	return p.nodes[n].bundle.Name == p.req.Force[i].Name && p.refersTo(p.req.Force[i], p.nodes[n].cat)
}
