// Package problem is the first stage of a resolution: a request as a problem in plain
// data, reached piece by piece.
//
// A [Problem] numbers what is reached: bundles ([Node]), packages and APIs, and which
// bundles can never be newly chosen. It compiles constraints to goals over atoms, matches
// atoms with bundles, and draws the candidates of an atom in their order of preference
// (sections 3 and 4 of the semantics). It has what is asked for: the candidates of
// subscriptions (section 2), what is forced, what may be in the set once only.
//
// A problem is built once and read afterwards; lists are made when they are first looked
// at. What differs between one run on it and another are [Terms], under which the later
// stages see it as a [View]. Nothing here decides anything.
package problem

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
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
	// AllDeclared has every bundle that can be read be offered, whatever its channels say,
	// as OLM v1 does: the highest version first of those that no channel offers.
	AllDeclared bool
}

// Input is a request in the terms of a problem.
type Input struct {
	Rules  Rules
	Cats   []Catalog // best first
	Forbid []Forbidden
	// Veto says why a bundle of a catalog is forbidden, empty if it is not; nil for nothing.
	Veto        func(cache.Key, *graph.Bundle) string
	Force       []cache.BundleRef // wanted in the set
	Constraints []Constrained     // added to those of bundles
	Relax       []Constrained     // that do not count; a nil constraint stands for all
	APIs        []properties.GVK
	Around      *Surroundings // what bundles have to fit, nil for nothing
	// Cluster evaluates rules. It is asked when the first is met.
	Cluster Cluster
	// Explaining has what is barred or set aside be there like all others.
	Explaining bool
	// Placing has only what is in place count: nothing is forced, and what a
	// subscription owns meets it, whatever that is pinned to.
	Placing bool
	// Memory is where large problems get memory to use again; nil for none.
	Memory *Memory
}

// Cluster is what rules are evaluated on beside a bundle.
type Cluster interface {
	// Evaluator makes what evaluates rules for one answer.
	Evaluator() *constraints.Evaluator
}

// Forbidden is a bundle that must not be in the set, and why.
type Forbidden struct {
	Bundle  cache.BundleRef
	Message string
}

// Constrained is a constraint of bundles.
type Constrained struct {
	Bundle     cache.BundleRef
	Constraint constraints.Constraint
}

// Problem is one request on its way to an answer: what it reaches of the catalogs,
// what it asks for, and in which order of preference. A bundle becomes a node when it is
// reached for the first time, and so do atoms and candidate lists: the cost of a problem
// grows with what the request reaches and not with the catalogs. It is used by one
// goroutine.
type Problem struct {
	Work // its own, so that everything about it can be counted and stopped
	Input

	tables          // what is reached
	scratch *tables // that these are in, nil for a small problem
	earlier int32   // nodes that were reached for earlier answers

	Inst      []NodeID           // by installed bundle: its node, NoNode if another one replaces it
	Channels  []string           // that installed bundles are recorded to be from
	free      []bool             // by installed bundle: need not stay; nil mostly
	byOwnName map[int32][]NodeID // installed bundles, see Installed; made when first needed

	vetoes map[nodeKey]string // what Veto said

	forbids, addedTo, relaxedOf map[string][]int32 // by bundle name: into Forbid, Constraints, Relax

	goals      map[constraints.Constraint]*Goal // of compounds
	goalsByKey map[string]*Goal                 // of compounds
	apis       map[properties.GVK]bool          // served by the cluster
	eval       *constraints.Evaluator           // made when the first rule is met
	ranked     bool                             // candidate lists need a full sort: see rank.go

	subs    []Subscription
	seen    map[nodeKey]struct{} // scratch of distinct
	asked   map[question]int32   // the first subscription that asks each
	listed  int                  // candidates, in the lists of all subscriptions
	Groups  [][]NodeID           // of each, at most one can be in the set
	groupOf []int32              // by group: the subscription that owns one of them
}

// Init prepares a problem without what is installed and subscribed to.
func Init(p *Problem, w Work, in Input) {
	if in.Placing {
		in.Force = nil
	}
	p.Work, p.Input = w, in
	p.Nodes, p.index, p.Pkgs = make([]Node, 0, 8), make(map[nodeKey]NodeID), make(map[string]int32)
	p.ranked = in.Rules.Oldest || in.Rules.AvoidDeprecated || in.Rules.AllDeclared
	p.prohibit(in.Forbid)
	p.addedTo = byName(len(in.Constraints), func(i int) string { return in.Constraints[i].Bundle.Name })
	p.relaxedOf = byName(len(in.Relax), func(i int) string { return in.Relax[i].Bundle.Name })
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
func (p *Problem) Renew(w Work, forbid []Forbidden, force []cache.BundleRef) {
	p.Work, p.earlier = w, int32(len(p.Nodes))
	p.eval = nil // each answer has its own budget
	for _, g := range p.Groups {
		for _, n := range g {
			p.Nodes[n].Exclusive = nil
		}
	}
	p.Groups, p.groupOf, p.subs, p.free, p.Force = nil, nil, nil, nil, force
	p.prohibit(forbid)
}

// Means reports whether a node is one that a reference means.
func (p *Problem) Means(of cache.BundleRef, n NodeID) bool {
	return p.Name(n) == of.Name && p.RefersTo(of, p.Nodes[n].Cat)
}

// Forces reports whether the request forces a bundle.
func (p *Problem) Forces(n NodeID) bool {
	return slices.ContainsFunc(p.Force, func(of cache.BundleRef) bool { return p.Means(of, n) })
}

// ForcedNodes are the bundles that a forced reference means, installed ones first,
// then by catalog.
func (p *Problem) ForcedNodes(i int32) []NodeID {
	return p.Named(p.Force[i], func(cat int32, b *graph.Bundle) bool {
		return p.choosable(b) || p.Explaining && p.QuarantineOf(cat, b) != nil
	})
}

// Named lists the bundles that a reference means, installed ones first, then by
// catalog; of a catalog's those for which a condition holds.
func (p *Problem) Named(of cache.BundleRef, where func(cat int32, b *graph.Bundle) bool) []NodeID {
	var nodes []NodeID
	for _, n := range p.Inst {
		if n != NoNode && p.Means(of, n) {
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

// SoleName reports whether all bundles of catalogs that have the name of a bundle are of its
// package: no set has two of them.
func (p *Problem) SoleName(b *graph.Bundle) bool {
	for c := range p.Cats {
		content := p.Cats[c].Content
		if slices.ContainsFunc(content.Named(b.Name), func(id int32) bool { return content.Bundle(id).Package != b.Package }) {
			return false
		}
	}
	return true
}

// Whole reports whether a problem has all that an explanation of it tells of: nothing is
// set aside, or is not chosen for the sake of a hold.
func (p *Problem) Whole() bool {
	if slices.ContainsFunc(p.subs, func(s Subscription) bool { return s.HeldBack() }) {
		return false
	}
	for c := range p.Cats {
		content := p.Cats[c].Content
		for id := content.Choosable(); id < content.Len(); id++ {
			if p.Tick(); p.QuarantineOf(int32(c), content.Bundle(int32(id))) != nil {
				return false
			}
		}
	}
	return true
}
