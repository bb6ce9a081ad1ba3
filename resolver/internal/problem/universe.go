package problem

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Rules are the options of a request that change its universe. The zero value is the
// default of each.
type Rules struct {
	// AnyUpgrade has an installed bundle move to every entry of a channel.
	AnyUpgrade bool
	// PerBundle holds a compound constraint against one bundle at a time.
	PerBundle bool
	// Stay prefers an installed bundle where it is, Oldest what is furthest from the
	// head of a channel, and AvoidDeprecated everything to what is deprecated.
	Stay, Oldest, AvoidDeprecated bool
	// RequireFit excludes what does not fit its environment.
	RequireFit bool
	// AllDeclared has every bundle that can be read be offered, whatever its channels say,
	// as OLM v1 does: the highest version first of those that no channel offers.
	AllDeclared bool
}

// Input is the part of a request that a universe is made of.
type Input struct {
	Rules  Rules
	Cats   []Catalog // best first
	Forbid []Forbidden
	// Veto returns why a bundle of a catalog is forbidden, empty if it is not; may be nil.
	Veto        func(cache.Key, *graph.Bundle) string
	Constraints []Constrained // added to those of bundles
	Relax       []Constrained // that do not count; a nil constraint means all
	APIs        []properties.GVK
	Env         *Environment // that bundles have to fit, nil for none
	// Cluster evaluates rules. It is called when the first one is met.
	Cluster Cluster
	// KeepExcluded makes nodes of excluded bundles like of all others.
	KeepExcluded bool
	// Memory is a pool for large problems; nil for none.
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

// Universe is what the catalogs and the cluster offer: bundles as nodes, constraints as
// goals over atoms, which bundle matches which atom, and the order of candidates. It grows
// as it is reached: a bundle becomes a node when it is reached for the first time, and so do
// atoms and candidate lists, so that its cost grows with the request and not with the
// catalogs. What it keeps is complete: a test or a list that an exhausted budget interrupts is
// not kept. One goroutine uses it.
type Universe struct {
	Input
	Budget *Budget // of the answer, shared by all stages

	tables          // what is reached
	scratch *tables // that these are in, nil for a small problem
	earlier int32   // nodes that were reached for earlier answers

	Inst      []NodeID           // by installed bundle: its node, NoNode if another one replaces it
	Channels  []string           // that installed bundles are recorded to be from
	byOwnName map[int32][]NodeID // installed bundles, see Installed; made when first needed

	vetoes map[nodeKey]string // results of Veto

	forbids, addedTo, relaxedOf map[string][]int32 // by bundle name: into Forbid, Constraints, Relax

	goals      map[constraints.Constraint]*Goal // of compounds
	goalsByKey map[string]*Goal                 // of compounds
	apis       map[properties.GVK]bool          // served by the cluster
	eval       *constraints.Evaluator           // made when the first rule is met
	ranked     bool                             // candidate lists need a full sort: see rank.go
}

// Init prepares a universe without installed bundles.
func (u *Universe) Init(b *Budget, in Input) {
	u.Budget, u.Input = b, in
	u.Nodes, u.index, u.Pkgs = make([]Node, 0, 8), make(map[nodeKey]NodeID), make(map[string]int32)
	u.ranked = in.Rules.Oldest || in.Rules.AvoidDeprecated || in.Rules.AllDeclared
	u.prohibit(in.Forbid)
	u.addedTo = byName(len(in.Constraints), func(i int) string { return in.Constraints[i].Bundle.Name })
	u.relaxedOf = byName(len(in.Relax), func(i int) string { return in.Relax[i].Bundle.Name })
	if n := len(in.APIs); n > 0 {
		u.apis = make(map[properties.GVK]bool, n)
		for _, g := range in.APIs {
			u.apis[g] = true
		}
	}
}

// Numbering is the order in which a universe numbers packages, APIs and bundles of catalogs,
// as far as a part of it goes. Installed bundles come before these bundles.
type Numbering struct {
	Packages []string
	APIs     []properties.GVK
	Bundles  []Candidate // without their channels
}

// Number numbers packages and APIs before anything is reached, in the order of another
// universe.
func (u *Universe) Number(o *Numbering) {
	for _, name := range o.Packages {
		u.pkgID(name)
	}
	if u.GVKs == nil {
		u.GVKs = make(map[properties.GVK]int32, len(o.APIs))
	}
	for _, g := range o.APIs {
		u.gvkID(g)
	}
}

// Reach makes nodes of bundles, once all installed ones are nodes.
func (u *Universe) Reach(o *Numbering) {
	for _, c := range o.Bundles {
		u.NodeOf(c.Cat, c.ID)
	}
}

// Renew prepares the universe for another request with the same catalogs and installed
// bundles, and a new budget: prohibitions change, nodes and candidate lists stay.
func (u *Universe) Renew(forbid []Forbidden) {
	u.earlier = int32(len(u.Nodes))
	u.eval = nil // each answer has its own budget
	u.prohibit(forbid)
}

// Means reports whether a node is one that a reference means.
func (u *Universe) Means(of cache.BundleRef, n NodeID) bool {
	return u.Name(n) == of.Name && u.RefersTo(of, u.Nodes[n].Cat)
}

// NodesFor lists the bundles that a reference means and that can be chosen, installed ones
// first, then by catalog.
func (u *Universe) NodesFor(of cache.BundleRef) []NodeID {
	return u.Named(of, func(cat int32, b *graph.Bundle) bool {
		return u.choosable(b) || u.KeepExcluded && u.QuarantineOf(cat, b) != nil
	})
}

// Named lists the bundles that a reference means, installed ones first, then by
// catalog; of a catalog's those for which a condition holds.
func (u *Universe) Named(of cache.BundleRef, where func(cat int32, b *graph.Bundle) bool) []NodeID {
	var nodes []NodeID
	for _, n := range u.Inst {
		if n != NoNode && u.Means(of, n) {
			nodes = append(nodes, n)
		}
	}
	for c := range u.Cats {
		if !u.RefersTo(of, int32(c)) {
			continue
		}
		for _, id := range u.Cats[c].Content.Named(of.Name) {
			if where(int32(c), u.Cats[c].Content.Bundle(id)) {
				nodes = append(nodes, u.NodeOf(int32(c), id))
			}
		}
	}
	return nodes
}

// SoleName reports whether all bundles of catalogs that have the name of a bundle are of its
// package: no set has two of them.
func (u *Universe) SoleName(b *graph.Bundle) bool {
	for c := range u.Cats {
		content := u.Cats[c].Content
		if slices.ContainsFunc(content.Named(b.Name), func(id int32) bool { return content.Bundle(id).Package != b.Package }) {
			return false
		}
	}
	return true
}

// unfiltered reports whether nothing is quarantined.
func (u *Universe) unfiltered() bool {
	for c := range u.Cats {
		content := u.Cats[c].Content
		for id := content.Choosable(); id < content.Len(); id++ {
			if u.Budget.Step(); u.QuarantineOf(int32(c), content.Bundle(int32(id))) != nil {
				return false
			}
		}
	}
	return true
}
