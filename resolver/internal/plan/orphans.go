package plan

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Orphans lists the selected bundles that were installed as dependencies and are no longer reachable
// from any other bundle. automatic reports whether an installed bundle was installed as a
// dependency.
func (r *Result) Orphans(automatic func(inst int32) bool) []problem.NodeID {
	auto := r.automatic(automatic)
	if !slices.Contains(auto, true) {
		return nil
	}
	needed := make([]bool, len(r.st.Chosen))
	var todo []int32
	for i := range r.st.Chosen {
		if !auto[i] {
			needed[i] = true
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range r.Needs[i] {
			if !needed[d.On] {
				needed[d.On] = true
				todo = append(todo, d.On)
			}
		}
	}
	var out []problem.NodeID
	for i, n := range r.st.Chosen {
		if !needed[i] {
			out = append(out, n)
		}
	}
	return out
}

// automatic marks the selected bundles that are in the set only because they, or the bundles that
// they replace, were installed as dependencies.
func (r *Result) automatic(automatic func(inst int32) bool) []bool {
	p := r.p
	auto, wanted := make([]bool, len(r.st.Chosen)), make([]bool, len(r.st.Chosen))
	for i, n := range r.st.Chosen {
		inst := p.Universe.Nodes[n].Inst
		auto[i] = inst >= 0 && automatic(inst)
	}
	for s := range p.Active() {
		came := s.Generated && s.Owned != problem.NoNode && automatic(p.Universe.Nodes[s.Owned].Inst)
		for n := range r.st.MetBy(s) {
			if k := r.At[n]; !s.Generated {
				wanted[k] = true
			} else if came && p.Universe.Nodes[n].Inst < 0 {
				auto[k] = true
			}
		}
	}
	for i, n := range r.st.Chosen {
		auto[i] = auto[i] && !wanted[i] && !p.Demands.Forces(p.Universe, n)
	}
	return auto
}
