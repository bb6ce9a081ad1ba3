package formula

import "github.com/seed109e2655/resolute/internal/sat"

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

	Kinds = iota // how many there are
)

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

// IsRoot reports whether a fact is something that was asked for, or has to stay, and
// so where an argument can start.
func (k Fact) IsRoot() bool {
	return k.Kind == FactSubscription || k.Kind == FactForced || k.Kind == FactInstalled
}
