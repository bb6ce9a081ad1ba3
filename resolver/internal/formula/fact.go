package formula

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Kind is the kind of a fact.
type Kind uint8

// The kinds of facts, most important first: those of the request before those of the cluster before
// those of the catalogs. Minimization drops the less important facts first.
const (
	FactSubscription Kind = iota // a subscription needs one of its candidates
	FactHold                     // a hold keeps the owned bundle of a subscription
	FactForced                   // the request forces a bundle
	FactInstalled                // an unowned installed bundle must stay
	FactNoCandidate              // a subscription has no candidates
	FactPackage                  // at most one bundle of a package
	FactQuarantined              // bundles of a package are quarantined
	FactForbidden                // the request forbids a bundle
	FactDeprecated               // a bundle is marked olm.deprecated
	FactIncompatible             // a bundle is incompatible with the environment
	FactGVK                      // at most one provider of an API
	FactConstraint               // a bundle requires something

	// The following kinds occur in admission only, never in a conflict.
	FactKept     // the owned bundle of a subscription stays, or a candidate replaces it
	FactCounting // the requirements of an installed bundle are active
)

// Guards is the set of kinds of facts that have guard literals. Their clauses bind only while the
// guard is assumed; the clauses of other facts always bind.
type Guards uint16

// The guards of formulas: none to check choices, those of the facts that are admitted one by one, and
// those of all facts of conflicts.
const (
	GuardNone          Guards = 0
	GuardSubscriptions        = 1<<FactSubscription | 1<<FactKept
	GuardCounting             = 1 << FactCounting
	GuardAll                  = 1<<FactKept - 1
)

// has reports whether facts of a kind have guards.
func (g Guards) has(k Kind) bool { return g>>k&1 == 1 }

// Fact is one part of a formula that can be dropped: a subscription, an installed
// bundle, the n-th constraint of a bundle, a package, ….
type Fact struct {
	Kind Kind
	// A is the index of the demand, of the forced, forbidden or installed bundle, of the package or
	// API, or else the node; B is the index of its requirement.
	A, B int32
}

// Guarded is a fact with its guard literal.
type Guarded struct {
	Fact  Fact
	Guard sat.Lit
}

// Compare orders facts, most important first.
func (k Fact) Compare(o Fact) int {
	return cmp.Or(cmp.Compare(k.Kind, o.Kind), cmp.Compare(k.A, o.A), cmp.Compare(k.B, o.B))
}

// IsRoot reports whether a fact is a demand, a forced bundle, or an installed bundle that must stay:
// an argument can start from it.
func (k Fact) IsRoot() bool {
	return k.Kind == FactSubscription || k.Kind == FactForced || k.Kind == FactInstalled
}

// Roots lists the facts that an argument can start from.
func Roots(p *problem.Problem) []Fact {
	var roots []Fact
	for s := range p.Active() {
		roots = append(roots, Fact{Kind: FactSubscription, A: s.Index})
	}
	for i, kept := range p.Demands.Kept {
		if kept {
			roots = append(roots, Fact{Kind: FactInstalled, A: int32(i)})
		}
	}
	for i := range p.Demands.Forced {
		roots = append(roots, Fact{Kind: FactForced, A: int32(i)})
	}
	return roots
}

// bansOf lists the facts that exclude a bundle.
func bansOf(p *problem.Problem, n problem.NodeID) []Fact {
	var bans []Fact
	nd := &p.Universe.Nodes[n]
	if !p.Excluded(n) {
		return nil
	}
	for _, by := range p.Universe.ForbiddenBy(nd) {
		if !p.Assumptions.IsLenient(n) {
			bans = append(bans, Fact{Kind: FactForbidden, A: by})
		}
	}
	if nd.Inst < 0 && nd.Bundle.Barred {
		bans = append(bans, Fact{Kind: FactDeprecated, A: int32(n)})
	}
	if p.Universe.Incompatible(nd) {
		bans = append(bans, Fact{Kind: FactIncompatible, A: int32(n)})
	}
	if nd.Ban == problem.BanQuarantined {
		bans = append(bans, Fact{Kind: FactQuarantined, A: nd.Pkg})
	}
	return bans
}

// Options lists the bundles that can satisfy a root.
func Options(p *problem.Problem, root Fact) []problem.NodeID {
	if root.Kind == FactSubscription {
		return p.Demands.List[root.A].Candidates(p.Universe)
	}
	return NodesOf(p, root)
}

// NodesOf lists the bundles that a fact requires or excludes. It lists none for constraints and
// places.
func NodesOf(p *problem.Problem, k Fact) []problem.NodeID {
	var nodes []problem.NodeID
	switch k.Kind {
	case FactSubscription:
		s := &p.Demands.List[k.A]
		if s.Owned == problem.NoNode {
			return s.Candidates(p.Universe)
		}
		return s.Exclusive(p.Universe)
	case FactInstalled:
		return append(nodes, p.Universe.Inst[k.A])
	case FactHold:
		if s := &p.Demands.List[k.A]; s.Keeps() { // a pin may require another one
			nodes = append(nodes, s.Owned)
		}
	case FactForced:
		return p.Universe.NodesFor(p.Demands.Forced[k.A])
	case FactDeprecated, FactIncompatible:
		return append(nodes, problem.NodeID(k.A))
	case FactForbidden, FactQuarantined:
		for n := range p.Universe.Nodes {
			if slices.Contains(bansOf(p, problem.NodeID(n)), k) {
				nodes = append(nodes, problem.NodeID(n))
			}
		}
	}
	return nodes
}
