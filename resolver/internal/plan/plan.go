// Package plan finds out how the bundles of a finished result set hang together: which
// needs which for what, and in which waves they can come (section 7 of the semantics).
package plan

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/memory"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// Result is a finished result set with what its bundles need of each other.
type Result struct {
	st    *search.State
	p     *problem.Problem
	Needs [][]Need // by index into st.chosen
	At    []int32  // by node: index into st.chosen, if it is chosen
}

// Need says that a bundle needs another one of the set, because of one of its
// requirements.
type Need struct {
	On  int32 // index into st.chosen
	Req int32 // index of the requirement
}

// Of finds the dependencies inside a result set (section 7).
func Of(p *problem.Problem, st *search.State) *Result {
	r := &Result{st: st, p: p, At: make([]int32, len(p.Nodes)), Needs: make([][]Need, len(st.Chosen))}
	for i, n := range st.Chosen {
		r.At[n] = int32(i)
	}
	var all []Need // what needs are parts of
	var on []problem.NodeID
	for i, n := range st.Chosen {
		first := len(all)
		for k, req := range p.Requirements(n) {
			if on = r.support(n, req.Goal, on[:0]); p.Stopped() {
				return r
			}
			for _, m := range on {
				all = memory.Push(all, Need{On: r.At[m], Req: int32(k)})
			}
		}
		r.Needs[i] = slices.Clip(all[first:])
	}
	return r
}

// support appends the bundles of the set that make a goal hold for a bundle: for
// each part the best placed one. What the bundle does for itself counts as
// nothing.
func (r *Result) support(n problem.NodeID, g *problem.Goal, out []problem.NodeID) []problem.NodeID {
	switch r.p.Tick(); g.Kind {
	case problem.GoalAtom:
		if on := r.supporter(n, g.Atom); on != n && on != problem.NoNode {
			out = append(out, on)
		}
	case problem.GoalAll:
		for _, k := range g.Kids {
			out = r.support(n, k, out)
		}
	case problem.GoalAny:
		if k := r.branch(n, g); k != nil {
			out = r.support(n, k, out)
		}
	}
	return out
}

// supporter is the bundle of the set that makes an atom hold: the declaring one
// itself, else the best placed one; NoNode if there is none.
func (r *Result) supporter(n problem.NodeID, a *problem.Atom) problem.NodeID {
	p := r.p
	if p.Matches(a, n) {
		return n
	}
	if a.Kind != problem.AtomTested && len(r.st.Beside) == 0 { // at most one bundle of the set can match
		return r.st.Match(a)
	}
	return r.bestMatch(n, a)
}

// bestMatch is the best placed bundle of the set that matches an atom.
func (r *Result) bestMatch(n problem.NodeID, a *problem.Atom) problem.NodeID {
	best, rank := problem.NoNode, r.p.Ranking(r.p.Nodes[n].Cat)
	eligible := slices.Values(r.st.Chosen)
	if a.Kind == problem.AtomTested {
		eligible = r.st.Eligible(a)
	}
	for c := range eligible {
		if r.p.Matches(a, c) && (best == problem.NoNode || rank.Compare(c, best) < 0) {
			best = c
		}
	}
	return best
}

// branch picks the child of an `any` that makes it hold through other bundles: the
// one whose option comes first in the order of section 6. It is nil if some child
// holds without any other bundle.
func (r *Result) branch(n problem.NodeID, g *problem.Goal) *problem.Goal {
	for _, k := range g.Kids {
		if r.holds(n, k) && len(r.support(n, k, nil)) == 0 {
			return nil
		}
	}
	for _, o := range search.AnyOptions(r.p, g, r.p.Nodes[n].Cat) {
		if (o.Node == problem.NoNode || r.st.Has(o.Node)) && r.holds(n, o.Child) {
			return o.Child
		}
	}
	return nil
}

// holds evaluates a goal of a bundle on the result set.
func (r *Result) holds(from problem.NodeID, g *problem.Goal) bool {
	switch g.Kind {
	case problem.GoalTrue:
		return true
	case problem.GoalAtom:
		return r.st.Matched(g.Atom)
	case problem.GoalAll:
		for _, k := range g.Kids {
			if !r.holds(from, k) {
				return false
			}
		}
		return true
	case problem.GoalAny:
		for _, k := range g.Kids {
			if r.holds(from, k) {
				return true
			}
		}
		return false
	case problem.GoalBan:
		return !r.st.Violated(g.Kids[0], from)
	default:
		return false
	}
}
