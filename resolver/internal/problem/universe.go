package problem

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Rules are the options of a request that change its universe. The zero value has the defaults.
type Rules struct {
	// AnyUpgrade lets an installed bundle move to any entry of a channel.
	AnyUpgrade bool
	// PerBundle evaluates a compound constraint on one bundle at a time.
	PerBundle bool
	// Stay prefers the installed bundle, Nearest the lowest higher version after it, Oldest prefers the bundle farthest from the head of a
	// channel, and AvoidDeprecated ranks deprecated bundles last.
	Stay, Nearest, Oldest, AvoidDeprecated bool
	// RequireFit excludes bundles that are incompatible with the environment.
	RequireFit bool
	// AllDeclared offers every bundle that is not quarantined, even if no channel does, as OLM v1
	// does. Bundles that no channel offers come last, highest version first.
	AllDeclared bool
}

// Input is the part of a request that a universe is made of.
type Input struct {
	Rules  Rules
	Terms  graph.Terms // the nouns of texts
	Cats   []Catalog   // best first
	Forbid []Forbidden
	// Veto returns why a bundle of a catalog is forbidden, empty if it is not; may be nil. An
	// error stops the work.
	Veto func(context.Context, cache.Key, *graph.Bundle) (string, error)
	// Policy reports whether the policy has rules that forbid bundles; Cluster judges them.
	Policy      bool
	Constraints []Constrained // added to those of bundles
	Relax       []Constrained // constraints to ignore; a nil constraint means all of the bundle
	APIs        []properties.GVK
	Env         *Environment // that bundles have to be compatible with; nil for none
	// Vetoes has the results of Veto and Policy, shared by all universes of one request; nil
	// without either.
	Vetoes Vetoes
	// Cluster makes the evaluator when the first rule is evaluated.
	Cluster Cluster
	// KeepExcluded makes excluded bundles nodes like all others, for explanations.
	KeepExcluded bool
	// Memory pools the tables of large problems; nil for none.
	Memory *Memory
}

// Cluster provides the cluster properties that rules are evaluated with.
type Cluster interface {
	// Evaluator returns an evaluator for one answer.
	Evaluator() *constraints.Evaluator
	// Judge returns which rule of the policy forbids a bundle of a catalog; the result has no
	// name if none does. The package may be nil.
	Judge(e *constraints.Evaluator, catalog cache.Key, pkg *graph.Package, b *graph.Bundle) (Forbidden, error)
}

// Forbidden is a bundle that must not be in the set, and why.
type Forbidden struct {
	Bundle  cache.BundleRef
	Message string
	// Rule is the rule of the policy that forbids it, or empty. Failed is its error if it failed
	// on the bundle instead of being true.
	Rule, Failed string
}

// Constrained is a constraint of bundles.
type Constrained struct {
	Bundle     cache.BundleRef
	Constraint constraints.Constraint
}

// Universe is what the catalogs and the cluster offer: bundles as nodes, constraints as goals over
// atoms, which bundle matches which atom, and the order of candidates. Nodes, atoms and candidate
// lists are created on demand, so that the cost grows with the request and not with the catalogs.
// Cached results are complete: a test or a list that an exhausted budget interrupts is not cached.
// A universe must not be used concurrently.
type Universe struct {
	Input
	Budget *Budget // of the answer, shared by all stages

	tables          // of the reached bundles
	scratch *tables // the pooled tables in use, nil for a small problem
	earlier int32   // nodes reached for earlier answers

	Inst      []NodeID           // by installed bundle: its node, NoNode if another one replaces it
	Channels  []string           // by installed bundle: its channel, empty if unknown
	byOwnName map[int32][]NodeID // installed bundles by declared package; built on first use

	forbids, addedTo, relaxedOf map[string][]int32 // by bundle name: into Forbid, Constraints, Relax

	goals      map[constraints.Constraint]*Goal // of compounds
	goalsByKey map[string]*Goal                 // of compounds
	apis       map[properties.GVK]bool          // served by the cluster
	eval       *constraints.Evaluator           // made for the first rule
	unread     bool                             // some bundle of a catalog was not read
	banning    bool                             // then: a prohibition is being compiled
	ranked     bool                             // candidate lists need a full sort: see rank.go
}

// Init prepares a universe without installed bundles.
func (u *Universe) Init(b *Budget, in Input) {
	u.Budget, u.Input = b, in
	u.Nodes, u.index, u.Pkgs = make([]Node, 0, 8), make(map[nodeKey]NodeID), make(map[string]int32)
	u.unread = slices.ContainsFunc(in.Cats, func(c Catalog) bool { return c.Content.Unread() })
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

// Numbering is the order in which a part of a universe numbers packages, APIs and bundles of
// catalogs. Installed bundles come before these bundles.
type Numbering struct {
	Packages []string
	APIs     []properties.GVK
	Bundles  []Candidate // without their channels
}

// Number numbers packages and APIs in the order of another universe, before any bundle is reached.
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

// Reach adds the nodes of bundles, after those of all installed bundles.
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

// Means reports whether a reference includes a node.
func (u *Universe) Means(of cache.BundleRef, n NodeID) bool {
	return u.Name(n) == of.Name && u.RefersTo(of, u.Nodes[n].Cat)
}

// NodesFor lists the bundles that a reference includes and that a catalog offers, installed ones
// first, then by catalog.
func (u *Universe) NodesFor(of cache.BundleRef) []NodeID {
	return u.Named(of, func(cat int32, b *graph.Bundle) bool {
		return u.choosable(b) || u.KeepExcluded && u.QuarantineOf(cat, b) != nil
	})
}

// Named lists the bundles that a reference includes, installed ones first, then by catalog. The
// condition filters bundles of catalogs.
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

// SoleName reports whether all bundles of catalogs with the name of a bundle are of its package, so
// that no set has two of them.
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
