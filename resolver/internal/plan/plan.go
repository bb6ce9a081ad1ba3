// Package plan is the last stage of a successful resolution. It finds the dependencies between the
// bundles of a result set, and the waves in which they can be installed (section 7 of the
// semantics).
package plan

import (
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

import "slices"

// Result is a result set with the dependencies between its bundles.
type Result struct {
	st    *search.State
	p     *problem.Problem
	u     *problem.Universe // of p
	Needs [][]Need          // by index into Chosen
	At    []int32           // by node: index into Chosen, if it is selected
}

// Need is a dependency of a bundle on another one of the set, with the requirement.
type Need struct {
	On  int32 // index into Chosen
	Req int32 // index of the requirement
}

// Of finds the dependencies inside a result set (section 7).
func Of(p *problem.Problem, st *search.State) *Result {
	r := &Result{st: st, p: p, u: p.Universe, At: make([]int32, len(p.Universe.Nodes)), Needs: make([][]Need, len(st.Chosen))}
	for i, n := range st.Chosen {
		r.At[n] = int32(i)
	}
	var all []Need // backing array of all needs
	var on []problem.NodeID
	for i, n := range st.Chosen {
		first := len(all)
		for k, req := range p.Requirements(n) {
			if on = r.support(n, req.Goal, on[:0]); p.Budget.Stopped() {
				return r
			}
			for _, m := range on {
				all = problem.Push(all, Need{On: r.At[m], Req: int32(k)})
			}
		}
		r.Needs[i] = slices.Clip(all[first:])
	}
	return r
}

// support appends the bundles of the set that satisfy a goal of a bundle, the best placed one for
// each part. Parts that the bundle satisfies itself add none.
func (r *Result) support(n problem.NodeID, g *problem.Goal, out []problem.NodeID) []problem.NodeID {
	switch r.p.Budget.Step(); g.Kind {
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

// supporter returns the bundle of the set that satisfies an atom: the declaring one itself, else the
// best placed one, or NoNode.
func (r *Result) supporter(n problem.NodeID, a *problem.Atom) problem.NodeID {
	p := r.p
	if p.Universe.Matches(a, n) {
		return n
	}
	if a.Kind != problem.AtomTested && len(r.st.Coexisting) == 0 { // at most one bundle of the set can match
		return r.st.Match(a)
	}
	return r.bestMatch(n, a)
}

// bestMatch returns the best placed bundle of the set that matches an atom.
func (r *Result) bestMatch(n problem.NodeID, a *problem.Atom) problem.NodeID {
	best, rank := problem.NoNode, r.u.Ranking(r.u.Nodes[n].Cat)
	eligible := slices.Values(r.st.Chosen)
	if a.Kind == problem.AtomTested {
		eligible = r.st.Eligible(a)
	}
	for c := range eligible {
		if r.u.Matches(a, c) && (best == problem.NoNode || rank.Compare(c, best) < 0) {
			best = c
		}
	}
	return best
}

// branch returns the child of an `any` that other bundles satisfy and whose option comes first in the
// order of section 6. It is nil if some child holds without any other bundle.
func (r *Result) branch(n problem.NodeID, g *problem.Goal) *problem.Goal {
	for _, k := range g.Kids {
		if r.st.Holds(k, n) && len(r.support(n, k, nil)) == 0 {
			return nil
		}
	}
	for _, o := range r.st.AnyOptions(g, r.u.Nodes[n].Cat) {
		if (o.Node == problem.NoNode || r.st.Has(o.Node)) && r.st.Holds(o.Child, n) {
			return o.Child
		}
	}
	return nil
}

// Waves numbers the bundles of the set so that each comes after its dependencies. Bundles of a cycle
// share a number.
func (r *Result) Waves() []int32 {
	comp, order := components(r.Needs)
	// A component has a higher number than those that it depends on.
	level := make([]int32, len(order)+1)
	for _, i := range order {
		c := comp[i]
		for _, d := range r.Needs[i] {
			if to := comp[d.On]; to != c {
				level[c] = max(level[c], level[to]+1)
			}
		}
	}
	for i, c := range comp {
		comp[i] = level[c]
	}
	return comp
}

// components numbers the strongly connected components of the needs, from 1, with Tarjan's algorithm
// without recursion. A component has a higher number than all components reachable from it. order
// has the members of the components, by number.
func components(needs [][]Need) (comp, order []int32) {
	type visit struct{ node, next int32 } // one on its way: the node, and which of its needs comes next
	n := len(needs)
	m := make([]int32, 5*n)
	index, low, comp, order, stack := m[:n], m[n:2*n], m[2*n:3*n], m[3*n:3*n], m[4*n:4*n]
	var way []visit
	seen, found := int32(0), int32(0)
	enter := func(v int32) {
		seen++
		index[v], low[v] = seen, seen
		stack, way = append(stack, v), append(way, visit{node: v})
	}
	for root := range int32(n) {
		if index[root] == 0 {
			enter(root)
		}
		for len(way) > 0 {
			at := &way[len(way)-1]
			v := at.node
			if int(at.next) < len(needs[v]) {
				w := needs[v][at.next].On
				if at.next++; index[w] == 0 {
					enter(w)
				} else if comp[w] == 0 {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			if way = way[:len(way)-1]; len(way) > 0 {
				from := way[len(way)-1].node
				low[from] = min(low[from], low[v])
			}
			if low[v] == index[v] { // the first of its component, which is complete
				for found++; comp[v] == 0; stack = stack[:len(stack)-1] {
					w := stack[len(stack)-1]
					comp[w], order = found, append(order, w)
				}
			}
		}
	}
	return comp, order
}
