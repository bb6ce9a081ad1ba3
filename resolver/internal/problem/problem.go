// Package problem is the first stage of a resolution: a request as a problem in plain
// data, reached piece by piece.
//
// Three layers lie on each other, each of which knows those below only:
//
//   - [Bundles] numbers what is reached: bundles ([Node]), packages and APIs, and
//     which bundles can never be newly chosen.
//   - [Matching] compiles constraints to goals over atoms, matches atoms with
//     bundles, and draws the candidates of an atom in their order of preference
//     (sections 3 and 4 of the semantics).
//   - [Problem] adds what is asked for: the candidates of subscriptions (section 2),
//     what is forced, what may be in the set once only.
//
// All of them work on demand. Nothing here decides anything.
package problem

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/budget"
)

// Rules are the options of a request that change what its problem is. The zero value
// is the default of each.
type Rules struct {
	// AnyUpgrade has an installed bundle move to every entry of a channel.
	AnyUpgrade bool
	// PerBundle holds a compound constraint against one bundle at a time.
	PerBundle bool
	// Stay prefers an installed bundle where it is, Oldest what is furthest from the
	// head of a channel, and AvoidDeprecated everything to what is deprecated.
	Stay, Oldest, AvoidDeprecated bool
	// RequireFit bars what does not fit its surroundings.
	RequireFit bool
}

// Input is a request in the terms of a problem.
type Input struct {
	Rules       Rules
	Forbid      []cache.BundleRef
	Force       []Forced
	Constraints []Constrained // added to those of bundles
	Relax       []Constrained // that do not count; a nil constraint stands for all
	APIs        []properties.GVK
	Around      *Surroundings // what bundles have to fit, nil for nothing
	// Cluster evaluates rules. It is asked when the first is met.
	Cluster Cluster
	// Explaining has what is barred or set aside be there like all others.
	Explaining bool
	// Memory is where large problems get memory to use again; nil for none.
	Memory *Memory
}

// Cluster is what rules are evaluated on beside a bundle.
type Cluster interface {
	// Evaluator makes what evaluates rules for one answer.
	Evaluator() *constraints.Evaluator
}

// Forced is a bundle that the request wants in the set.
type Forced struct {
	Bundle cache.BundleRef
	// Left says that it asks for nothing.
	Left bool
}

// Constrained is a constraint of bundles.
type Constrained struct {
	Bundle     cache.BundleRef
	Constraint constraints.Constraint
}

// Problem is one request on its way to an answer: what it reaches of the catalogs,
// what it asks for, and in which order of preference. Nodes, atoms and candidate
// lists come into being as the resolution reaches them. It is used by one goroutine.
type Problem struct {
	Matching

	Force   []Forced
	Subs    []Subscription
	free    []bool               // by installed bundle: need not stay; nil mostly
	seen    map[nodeKey]struct{} // scratch of distinct
	asked   map[question]int32   // the first subscription that asks each
	listed  int                  // candidates, in the lists of all subscriptions
	Groups  [][]NodeID           // of each, at most one can be in the set
	groupOf []int32              // by group: the subscription that owns one of them

	Placing bool // only what is in place counts
	memory  *Memory
	scratch *scratch // that all of this is in, nil for a small problem
}

// Init prepares a problem that has its catalogs, without what is installed and
// subscribed to.
func Init(p *Problem, w budget.Work, in Input) {
	p.Work, p.Rules = w, in.Rules
	p.Nodes, p.index, p.Pkgs = make([]Node, 0, 8), make(map[nodeKey]NodeID), make(map[string]int32)
	p.Explaining, p.Around, p.cluster = in.Explaining, in.Around, in.Cluster
	p.ranked = in.Rules.Oldest || in.Rules.AvoidDeprecated
	p.Force, p.memory = in.Force, in.Memory
	p.prohibit(in.Forbid)
	p.added, p.addedTo = in.Constraints, byName(len(in.Constraints), func(i int) string { return in.Constraints[i].Bundle.Name })
	p.relaxed, p.relaxedOf = in.Relax, byName(len(in.Relax), func(i int) string { return in.Relax[i].Bundle.Name })
	if n := len(in.APIs); n > 0 {
		p.apis = make(map[properties.GVK]bool, n)
		for _, g := range in.APIs {
			p.apis[g] = true
		}
	}
}

// Renew makes a problem ready for another request of the same catalogs and installed
// bundles: what depends on subscriptions and prohibitions goes, nodes and candidate
// lists stay.
func (p *Problem) Renew(w budget.Work, forbid []cache.BundleRef, force []Forced) {
	p.Work, p.earlier = w, int32(len(p.Nodes))
	p.eval = nil // each answer has its own budget
	for _, g := range p.Groups {
		for _, n := range g {
			p.Nodes[n].Exclusive = nil
		}
	}
	p.Groups, p.groupOf, p.Subs, p.free, p.Force = nil, nil, nil, nil, force
	p.prohibit(forbid)
}

// IsForced reports whether a node is one that a forced reference means.
func (p *Problem) IsForced(i int32, n NodeID) bool {
	of := p.Force[i].Bundle
	return p.Nodes[n].Bundle.Name == of.Name && p.RefersTo(of, p.Nodes[n].Cat)
}

// Forces reports whether the request forces a bundle.
func (p *Problem) Forces(n NodeID) bool {
	for i := range p.Force {
		if p.IsForced(int32(i), n) {
			return true
		}
	}
	return false
}

// ForcedNodes are the bundles that a forced reference means, installed ones first,
// then by catalog.
func (p *Problem) ForcedNodes(i int32) []NodeID {
	return p.Named(p.Force[i].Bundle, func(cat int32, b *graph.Bundle) bool {
		return len(b.Places) > 0 || p.Explaining && p.QuarantineOf(cat, b) != nil
	})
}

// Named lists the bundles that a reference means, installed ones first, then by
// catalog; of a catalog's those for which a condition holds.
func (p *Problem) Named(of cache.BundleRef, where func(cat int32, b *graph.Bundle) bool) []NodeID {
	var nodes []NodeID
	for _, n := range p.Inst {
		if n != NoNode && p.Nodes[n].Bundle.Name == of.Name && p.RefersTo(of, p.Nodes[n].Cat) {
			nodes = append(nodes, n)
		}
	}
	for c := range p.Cats {
		if !p.RefersTo(of, int32(c)) {
			continue
		}
		for _, id := range p.Cats[c].Content.Named(of.Name) {
			if where(int32(c), p.Cats[c].Content.Bundle(id)) {
				nodes = append(nodes, p.NodeOf(int32(c), id))
			}
		}
	}
	return nodes
}

// OwnedInstalled reports of each installed bundle whether a subscription that takes
// part owns it.
func (p *Problem) OwnedInstalled() []bool {
	if len(p.Inst) == 0 {
		return nil
	}
	owned := make([]bool, len(p.Inst))
	for i := range p.Subs {
		if s := &p.Subs[i]; s.Owned != NoNode && !s.Left {
			owned[p.Nodes[s.Owned].Inst] = true
		}
	}
	return owned
}

// Stays reports whether an installed bundle must stay: nobody owns it, or it is
// broken.
func (p *Problem) Stays(i int32, owned []bool) bool {
	return (p.free == nil || !p.free[i]) && (!owned[i] || p.IsBroken(p.Inst[i]))
}

// Whole reports whether a problem has all that an explanation of it tells of: nothing is
// set aside, or is not chosen for the sake of a hold.
func (p *Problem) Whole() bool {
	for i := range p.Subs {
		if p.HeldBack(&p.Subs[i]) {
			return false
		}
	}
	for c := range p.Cats {
		content := p.Cats[c].Content
		for id := content.Choosable(); id < content.Len(); id++ {
			if p.Tick(); p.QuarantineOf(int32(c), content.Bundle(int32(id))) != nil {
				return false
			}
		}
	}
	return len(p.beyond) == 0
}

// Resume has a problem take over from another of the same request what was found out
// about it: who takes part, and which installed bundles are treated leniently.
func (p *Problem) Resume(from *Problem) {
	for i := range from.Subs {
		p.Subs[i].Left = from.Subs[i].Left
	}
	if from.Lenient != nil {
		p.Excuse(from.Lenient, from.Broken)
	}
	if p.Placing = from.Placing; p.Placing {
		p.keepOwned()
	}
}
