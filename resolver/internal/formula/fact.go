package formula

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Kind is the kind of a fact.
type Kind uint8

// The kinds of facts, the most important first: what the user asked for before what
// the cluster has, before what catalogs say. A minimal set of facts that has a choice
// keeps those at the front.
const (
	FactSubscription Kind = iota // a subscription needs one of its candidates
	FactHold                     // what a subscription owns stays where it is
	FactForced                   // the request forces a bundle
	FactInstalled                // an installed bundle that nobody owns has to stay
	FactNoCandidate              // nothing fits a subscription
	FactPackage                  // at most one bundle of a package can be there
	FactQuarantined              // bundles of a package are set aside
	FactForbidden                // the request forbids a bundle
	FactDeprecated               // a bundle is barred by olm.deprecated
	FactIncompatible             // a bundle does not fit its surroundings
	FactGVK                      // at most one provider of an API can be there
	FactConstraint               // a bundle requires something

	// Those of admission alone, which no conflict has.
	FactKept     // what a subscription owns stays, or one of its candidates takes its place
	FactCounting // what an installed bundle asks for counts
)

// Guards are the kinds of facts that can be dropped from a formula, as a set. The clauses of
// each have a guard then, and bind only while that is assumed; all others bind always, as if
// their guards were assumed once and for all.
type Guards uint16

// The guards of formulas: none, where the question is what can be chosen; those of what is
// admitted one after the other; and those of all that a conflict can consist of.
const (
	GuardNone          Guards = 0
	GuardSubscriptions        = 1<<FactSubscription | 1<<FactKept
	GuardCounting             = 1 << FactCounting
	GuardAll                  = 1<<FactKept - 1
)

// has reports whether facts of a kind can be dropped.
func (g Guards) has(k Kind) bool { return g>>k&1 == 1 }

// Fact is one part of a formula that can be dropped: a subscription, an installed
// bundle, the n-th constraint of a bundle, a package, ….
type Fact struct {
	Kind Kind
	// a is the number of what it is about: of the subscription, the forced, the
	// forbidden or the installed bundle, the package, the API, or else the node; and b
	// of which of its requirements.
	A, B int32
}

// Guarded is a fact with the literal that has it count.
type Guarded struct {
	Fact  Fact
	Guard sat.Lit
}

// Compare orders facts, the most important first.
func (k Fact) Compare(o Fact) int {
	return cmp.Or(cmp.Compare(k.Kind, o.Kind), cmp.Compare(k.A, o.A), cmp.Compare(k.B, o.B))
}

// IsRoot reports whether a fact is something that was asked for, or has to stay, and
// so where an argument can start.
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

// bansOf lists the facts that keep a bundle from ever being newly chosen.
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

// Options lists the bundles by which a root can be met.
func Options(p *problem.Problem, root Fact) []problem.NodeID {
	if root.Kind == FactSubscription {
		return p.Demands.List[root.A].Candidates(p.Universe)
	}
	return NodesOf(p, root)
}

// NodesOf lists the bundles that a fact is about: those that it asks for, or those
// that it keeps out. Constraints and places are not asked here.
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
		if s := &p.Demands.List[k.A]; s.Keeps() { // a pin may want another one
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
