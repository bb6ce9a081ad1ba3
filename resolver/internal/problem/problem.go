// Package problem is the first stage of a resolution: a request as plain data, in four values.
//
// The [Universe] is what the catalogs and the cluster offer: nodes, atoms, and candidates in
// order of preference (sections 3 and 4 of the semantics). The [Demands] are the demands of the
// request in order: installed bundles that must be kept, subscriptions or extensions with their
// candidates (section 2), forced bundles. [Assumptions] select the demands and facts that are
// active in one run. The [Budget] bounds the work. A [Problem] combines all four for one run of
// the later stages.
//
// The universe grows on demand. The demands are built once and then read-only. This package takes
// no decisions.
package problem

import (
	"iter"
	"slices"
)

// Assumptions are the demands and facts that are active in one run. With the zero value all are.
type Assumptions struct {
	// Dropped marks inactive demands, by index.
	Dropped []bool
	// Lenient are, by node, the installed bundles that policy Partial tolerates on a broken
	// cluster, because they conflict with those before them (section 8 of the semantics): their
	// requirements do not count, nor do their clashes with other installed bundles and the
	// prohibitions of installed bundles against them. Otherwise they are members of the set like
	// all others. It is nil where the cluster is not broken.
	Lenient []bool
	// Broken marks the lenient bundles that always stay.
	Broken []bool
	// Pending marks demands that are not admitted yet, by index: the bundle that they own may stay.
	Pending []bool
}

// Active reports whether a demand is active.
func (a *Assumptions) Active(demand int) bool { return a.Dropped == nil || !a.Dropped[demand] }

// IsLenient reports whether a node is a lenient installed bundle.
func (a *Assumptions) IsLenient(n NodeID) bool { return int(n) < len(a.Lenient) && a.Lenient[n] }

// IsBroken reports whether a node is an installed bundle that always stays.
func (a *Assumptions) IsBroken(n NodeID) bool { return int(n) < len(a.Broken) && a.Broken[n] }

// MayCoexist reports whether two bundles may have the same package or API: both are
// installed, and one of them is lenient.
func (a *Assumptions) MayCoexist(m, n NodeID) bool {
	return (a.IsLenient(m) || a.IsLenient(n)) && int(max(m, n)) < len(a.Lenient)
}

// IgnoresLenient reports whether the prohibitions of a bundle do not apply to lenient bundles.
func (a *Assumptions) IgnoresLenient(declares NodeID) bool {
	return declares != NoNode && int(declares) < len(a.Lenient)
}

// ViolatesUniqueness reports whether a set has too many of some nodes that share a package or an
// API.
func (a *Assumptions) ViolatesUniqueness(nodes []NodeID, in func(NodeID) bool) bool {
	strict, catalog, lenient := 0, 0, 0
	for _, n := range nodes {
		switch {
		case !in(n):
		case a.IsLenient(n):
			lenient++
		default:
			strict++
			if int(n) >= len(a.Lenient) {
				catalog++
			}
		}
	}
	return strict > 1 || lenient > 0 && catalog > 0
}

// Problem is the input of one run of the later stages.
type Problem struct {
	Universe    *Universe
	Demands     Demands // with the candidates that the assumptions admit
	Assumptions Assumptions
	Budget      *Budget
}

// Under returns the problem of a universe and its demands under assumptions.
func Under(u *Universe, d *Demands, a Assumptions) *Problem {
	p := &Problem{Universe: u, Demands: *d, Assumptions: a, Budget: u.Budget}
	for i, pending := range a.Pending {
		if s := &p.Demands.List[i]; pending && s.Owned != NoNode && !s.Keeps() {
			p.Demands.List = slices.Clone(p.Demands.List)
			s = &p.Demands.List[i]
			s.Cands, s.List = append(slices.Clip(s.Cands), Candidate{ID: -1}), new(Listed)
		}
	}
	if a.Broken != nil { // a bundle that always stays is the only candidate
		p.Demands.List = slices.Clone(p.Demands.List)
		for i := range p.Demands.List {
			if s := &p.Demands.List[i]; s.Owned != NoNode && a.IsBroken(s.Owned) {
				s.Cands, s.List, s.Group, s.Shared = []Candidate{{ID: -1}}, new(Listed), NoGroup, false
			}
		}
	}
	if len(u.Inst) > 0 {
		p.keep()
	}
	return p
}

// keep sets which installed bundles are owned, and which must stay: unowned and broken ones,
// unless they may be removed.
func (p *Problem) keep() {
	n := len(p.Universe.Inst)
	both := make([]bool, 2*n)
	owned, kept := both[:n:n], both[n:]
	for d := range p.Active() {
		if d.Owned != NoNode {
			owned[p.Universe.Nodes[d.Owned].Inst] = true
		}
	}
	for i, n := range p.Universe.Inst {
		kept[i] = n != NoNode && (!owned[i] || p.Assumptions.IsBroken(n)) && !p.Demands.mayRemove(i)
	}
	p.Demands.Owned, p.Demands.Kept = owned, kept
}

// Active yields the active demands.
func (p *Problem) Active() iter.Seq[*Demand] {
	return func(yield func(*Demand) bool) {
		for i := range p.Demands.List {
			if p.Assumptions.Active(i) && !yield(&p.Demands.List[i]) {
				return
			}
		}
	}
}

// Excluded reports whether a node can never be newly selected.
func (p *Problem) Excluded(n NodeID) bool {
	return p.Universe.Nodes[n].Ban != BanNone && !p.Assumptions.IsBroken(n)
}

// Requirements returns the active requirements of a node.
func (p *Problem) Requirements(n NodeID) []Requirement {
	if p.Assumptions.IsLenient(n) {
		return nil
	}
	return p.Universe.Requirements(n)
}

// GroupActive reports whether a group is exclusive: its demand is active and may move the bundle
// that it owns.
func (p *Problem) GroupActive(g int32) bool {
	of := p.Demands.groupOf[g]
	return p.Assumptions.Active(int(of)) && p.Demands.List[of].Group == g
}

// Unfiltered reports whether no candidate was filtered out: nothing is quarantined, and no hold
// removes candidates. Then the problem can be explained as it is.
func (p *Problem) Unfiltered() bool {
	return !slices.ContainsFunc(p.Demands.List, func(d Demand) bool { return d.HeldBack() }) && p.Universe.unfiltered()
}
