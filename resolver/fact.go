package resolver

// factKind is the kind of a fact.
type factKind uint8

// The kinds of facts, the most important first: what the user asked for before what
// the cluster has, before what catalogs say. A minimal set of facts that has a choice
// keeps those at the front.
const (
	factSubscription factKind = iota // a subscription needs one of its candidates
	factHold                         // what a subscription owns stays where it is
	factForced                       // the request forces a bundle
	factInstalled                    // an installed bundle that nobody owns has to stay
	factNoCandidate                  // nothing fits a subscription
	factPackage                      // at most one bundle of a package can be there
	factQuarantined                  // bundles of a package are set aside
	factForbidden                    // the request forbids a bundle
	factDeprecated                   // a bundle is barred by olm.deprecated
	factIncompatible                 // a bundle does not fit its surroundings
	factGVK                          // at most one provider of an API can be there
	factConstraint                   // a bundle requires something
)

// fact is one part of a formula that can be dropped: a subscription, an installed
// bundle, the n-th constraint of a bundle, a package, ….
type fact struct {
	kind factKind
	// a is the number of what it is about: of the subscription, the forced, the
	// forbidden or the installed bundle, the package, the API, or else the node; and b
	// of which of its requirements.
	a, b int32
}

// isRoot reports whether a fact is something that was asked for, or has to stay, and
// so where an argument can start.
func (k fact) isRoot() bool {
	return k.kind == factSubscription || k.kind == factForced || k.kind == factInstalled
}
