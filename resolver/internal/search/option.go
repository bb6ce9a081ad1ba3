package search

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// OptionList is the ordered list of options of a decision. Candidates are drawn on demand.
type OptionList struct {
	p    *problem.Problem
	d    Decision
	list []Option // of an `any`
	ids  *problem.Candidates
}

// anyKey identifies an `any` of the bundles of one catalog, which share its options.
type anyKey struct {
	goal *problem.Goal
	own  int32
}

// OptionsOf returns the options of a decision.
func (st *State) OptionsOf(d Decision) OptionList {
	p := st.p
	o := OptionList{p: p, d: d}
	switch {
	case d.Kind == DecideForced:
		for _, n := range p.Universe.NodesFor(p.Demands.Forced[d.Of]) {
			o.list = append(o.list, Option{Node: n})
		}
	case d.Kind != DecideGoal:
	case d.Goal.Kind == problem.GoalAtom:
		o.ids = p.Universe.CandidatesOf(d.Goal.Atom, p.Universe.Nodes[d.From].Cat)
	case d.Goal.Kind == problem.GoalAny:
		o.list = st.AnyOptions(d.Goal, p.Universe.Nodes[d.From].Cat)
	}
	return o
}

// At returns the i-th option.
func (o OptionList) At(i int) (Option, bool) {
	p := o.p
	switch {
	case o.ids != nil:
		n, ok := p.Universe.At(o.ids, i)
		return Option{Node: n}, ok
	case o.d.Kind == DecideInstalled:
		return Option{Node: p.Universe.Inst[o.d.Of]}, i == 0
	case o.d.Kind == DecideSubscription:
		n, ok := p.Demands.List[o.d.Of].Candidate(p.Universe, i)
		return Option{Node: n}, ok
	case i < len(o.list):
		return o.list[i], true
	default:
		return Option{Node: problem.NoNode}, false
	}
}

// AnyOptions is anyOptions with a cache. The list is shared and read-only.
func (st *State) AnyOptions(g *problem.Goal, own int32) []Option {
	key := anyKey{g, own}
	list, known := st.anys[key]
	if !known {
		list = anyOptions(st.p, g, own)
		if st.p.Budget.Stopped() { // it may be incomplete
			return list
		}
		if st.anys == nil {
			st.anys = make(map[anyKey][]Option)
		}
		st.anys[key] = list
	}
	return list
}

// anyOptions lists the options of an `any` over all its children (step 3 of section 6): children
// that require no bundle first, then every candidate of every child by rank, and candidates of equal
// rank in the order of the children.
func anyOptions(p *problem.Problem, g *problem.Goal, own int32) []Option {
	var idle, busy []Option
	for _, k := range g.Kids {
		for _, o := range childOptions(p, k, own) {
			o.Child = k
			if o.Node == problem.NoNode {
				idle = append(idle, o)
			} else {
				busy = append(busy, o)
			}
		}
	}
	r := p.Universe.Ranking(own)
	slices.SortStableFunc(busy, func(a, b Option) int { return r.Compare(a.Node, b.Node) })
	return append(idle, busy...)
}

// childOptions lists the options of one child of an `any`.
func childOptions(p *problem.Problem, g *problem.Goal, own int32) []Option {
	switch {
	case g.NeedsNothing():
		return []Option{{Node: problem.NoNode, Commits: []*problem.Goal{g}}}
	case g.Kind == problem.GoalAtom:
		nodes := p.Universe.All(p.Universe.CandidatesOf(g.Atom, own))
		opts := make([]Option, len(nodes))
		for i, n := range nodes {
			opts[i] = Option{Node: n}
		}
		return opts
	case g.Kind == problem.GoalAll:
		opts := childOptions(p, lead(g), own)
		for i := range opts { // each commits to the whole child
			opts[i].Commits = append(opts[i].Commits, g)
		}
		return opts
	case g.Kind == problem.GoalAny:
		return anyOptions(p, g, own)
	default:
		return nil
	}
}

// lead returns the part of an `all` that its candidates come from: its first atom, or its first
// `any` if it has no atom.
func lead(g *problem.Goal) *problem.Goal {
	for _, kind := range []problem.GoalKind{problem.GoalAtom, problem.GoalAny} {
		for _, k := range g.Kids {
			if k.Kind == kind {
				return k
			}
		}
	}
	return problem.AlwaysHolds
}
