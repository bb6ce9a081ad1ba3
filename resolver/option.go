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
func optionsOf(p *problem, d decision) options {
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
		o.list = anyOptions(p, d.goal, p.nodes[d.from].cat)
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
func anyOptions(p *problem, g *goal, own int32) []option {
	var idle, busy []option
	for _, k := range g.kids {
		for _, o := range childOptions(p, k, own) {
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
func childOptions(p *problem, g *goal, own int32) []option {
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
		return committed(g, childOptions(p, lead(g), own))
	case g.kind == goalAny:
		return anyOptions(p, g, own)
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
func committed(g *goal, opts []option) []option {
	for i := range opts {
		opts[i].commits = append(opts[i].commits, g)
	}
	return opts
}
