// Package problem is the first stage of a resolution: a request as plain data, in four values.
//
// The [Universe] is what the catalogs and the cluster offer: nodes, atoms, and candidates in
// their order of preference (sections 3 and 4 of the semantics). The [Demands] are what the
// request asks for, in order: installed bundles that are kept, subscriptions or extensions with
// their candidates (section 2), forced bundles. [Assumptions] say which of them count in one
// run. The [Budget] bounds the work. A [Problem] is all four, as one run of the later stages
// uses them.
//
// The universe grows as it is reached; the demands are built once and only read afterwards.
// Nothing here decides anything.
package problem

import (
	"iter"
	"slices"
)

// Assumptions are the demands and facts that count in one run. With the zero value all count.
type Assumptions struct {
	// Dropped are the demands that do not count, by index.
	Dropped []bool
	// Lenient are, by node, the installed bundles that policy Partial tolerates on a broken
	// cluster, because they conflict with those before them (section 8 of the semantics): their
	// requirements do not count, nor do their clashes with other installed bundles and the
	// prohibitions of installed bundles against them. Otherwise they are members of the set like
	// all others. It is nil where the cluster is not broken.
	Lenient []bool
	// Broken are those of them that stay in any case.
	Broken []bool
}

// Active reports whether a demand counts.
func (a *Assumptions) Active(demand int) bool { return a.Dropped == nil || !a.Dropped[demand] }

// IsLenient reports whether a node is an installed bundle that is treated leniently.
func (a *Assumptions) IsLenient(n NodeID) bool { return int(n) < len(a.Lenient) && a.Lenient[n] }

// IsBroken reports whether a node is an installed bundle that stays in any case.
func (a *Assumptions) IsBroken(n NodeID) bool { return int(n) < len(a.Broken) && a.Broken[n] }

// MayCoexist reports whether two bundles may have the same package or API: both are
// installed, and one of them is lenient.
func (a *Assumptions) MayCoexist(m, n NodeID) bool {
	return (a.IsLenient(m) || a.IsLenient(n)) && int(max(m, n)) < len(a.Lenient)
}

// IgnoresLenient reports whether the prohibitions of a bundle, if it is one, do not count
// against lenient ones.
func (a *Assumptions) IgnoresLenient(declares NodeID) bool {
	return declares != NoNode && int(declares) < len(a.Lenient)
}

// ViolatesUniqueness reports whether a set has too many of some nodes that have a package
// or an API in common.
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

// Problem is a problem as one run of the later stages uses it.
type Problem struct {
	Universe    *Universe
	Demands     Demands // with the candidates that the assumptions leave
	Assumptions Assumptions
	Budget      *Budget
}

// Under returns the problem of a universe and some demands under assumptions.
func Under(u *Universe, d *Demands, a Assumptions) *Problem {
	p := &Problem{Universe: u, Demands: *d, Assumptions: a, Budget: u.Budget}
	if a.Broken != nil { // what stays in any case is the only candidate
		p.Demands.List = slices.Clone(d.List)
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

// keep finds the installed bundles that are owned, and those that must stay: those that are
// not owned, and broken ones, unless they may be removed.
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

// Active goes through the demands that count.
func (p *Problem) Active() iter.Seq[*Demand] {
	return func(yield func(*Demand) bool) {
		for i := range p.Demands.List {
			if p.Assumptions.Active(i) && !yield(&p.Demands.List[i]) {
				return
			}
		}
	}
}

// Excluded reports whether a node can never be newly chosen.
func (p *Problem) Excluded(n NodeID) bool {
	return p.Universe.Nodes[n].Ban != BanNone && !p.Assumptions.IsBroken(n)
}

// Requirements returns the requirements of a node that count.
func (p *Problem) Requirements(n NodeID) []Requirement {
	if p.Assumptions.IsLenient(n) {
		return nil
	}
	return p.Universe.Requirements(n)
}

// GroupActive reports whether a group excludes anything: its demand counts, and may move
// the bundle that it owns.
func (p *Problem) GroupActive(g int32) bool {
	of := p.Demands.groupOf[g]
	return p.Assumptions.Active(int(of)) && p.Demands.List[of].Group == g
}

// Unfiltered reports whether the problem has all that an explanation mentions: nothing is
// quarantined, and no hold removes candidates.
func (p *Problem) Unfiltered() bool {
	return !slices.ContainsFunc(p.Demands.List, func(d Demand) bool { return d.HeldBack() }) && p.Universe.unfiltered()
}
