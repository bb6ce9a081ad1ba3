package argument

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
)

// FactKind is the stable code of a [Fact].
type FactKind string

// The kinds of facts.
const (
	// FactSubscription: a subscription needs one of its candidates. The subject
	// is the subscription's name.
	FactSubscription FactKind = "subscription"
	// FactHold: the operator of a subscription stays where it is. The subject is
	// the subscription's name, the message the reason of the hold.
	FactHold FactKind = "hold"
	// FactInstalled: an installed bundle that nobody owns has to stay. The
	// subject is the bundle's name.
	FactInstalled FactKind = "installed"
	// FactConstraint: a bundle requires something. The subject is the bundle's
	// name.
	FactConstraint FactKind = "constraint"
	// FactNoCandidate: nothing in the catalogs fits a subscription. The subject
	// is the package's name.
	FactNoCandidate FactKind = "noCandidate"
	// FactPackage: at most one bundle of a package can be installed. The subject
	// is the package's name.
	FactPackage FactKind = "package"
	// FactGVK: at most one bundle can provide an API. The subject is
	// group/version/Kind.
	FactGVK FactKind = "gvk"
	// FactForbidden: the request forbids a bundle. The subject is its name.
	FactForbidden FactKind = "forbidden"
	// FactDeprecated: olm.deprecated bars a bundle from being newly chosen. The
	// subject is its name.
	FactDeprecated FactKind = "deprecated"
	// FactIncompatible: a bundle does not fit the cluster or the operator group,
	// and the policy requires that it does. The subject is its name.
	FactIncompatible FactKind = "incompatible"
	// FactQuarantined: bundles are set aside because the catalog is broken
	// there. The subject is the package's name.
	FactQuarantined FactKind = "quarantined"
	// FactForced: the request forces a bundle. The subject is its name.
	FactForced FactKind = "forced"
	// FactSupposed: a question supposes that a bundle is in the result. The subject is
	// its name.
	FactSupposed FactKind = "supposed"
)

// Fact is one of the things that cannot all hold. Fields that do not apply are
// empty.
type Fact struct {
	Kind    FactKind `json:"kind"`
	Subject string   `json:"subject"`
	// Text states the fact as one sentence without a full stop.
	Text string `json:"text"`
	// Message is what the author of a constraint, or whoever forbade a bundle,
	// has to say about it.
	Message      string `json:"message,omitempty"`
	Subscription string `json:"subscription,omitempty"`
	// Extension says that an extension asks, where otherwise a subscription does.
	Extension bool   `json:"extension,omitempty"`
	Bundle    string `json:"bundle,omitempty"`
	Package   string `json:"package,omitempty"`
	Catalog   string `json:"catalog,omitempty"`
	Channel   string `json:"channel,omitempty"`
	// Candidates are the bundles that were looked at for a subscription or a
	// constraint, best first, near misses last. Facts that want the same share the
	// list: copy it to change it.
	Candidates []Rejected `json:"candidates,omitempty"`
	// Omitted counts the candidates beyond those: a conflict lists about 10,000 in
	// all, and of each fact 20 at least.
	Omitted int `json:"omitted,omitempty"`

	// Newest is, of a constraint, the newest version on offer of each package of which none
	// is inside the range that it wants, as "VERSION (BUNDLE)".
	Newest []string `json:"newest,omitempty"`

	// What follows is not part of the JSON.

	// Step says, of FactNoCandidate, which step left nothing, and Names what it is about:
	//   - "catalog": there is no such catalog; its key
	//   - "package": there is no such package; its name
	//   - "channel": the package has none of these channels, or none at all; their names
	//   - "pin", "startingCSV": this bundle is not among the candidates; its name
	//   - "edge": no update leads to it from what is installed; the name of the bundle
	//     that is asked for, or is installed
	//   - "range": no version is inside this range; the range
	//   - "ambiguousCatalogs": these catalogs have the package, and none comes first; their keys
	//   - "quarantined": the catalog is broken there; the channel
	//   - "deprecated": all of it is marked olm.deprecated; the package
	//   - "requires": the best version requires something, which OLM v1 refuses; its name
	//   - "empty": nothing else can be chosen; the channels, or the package
	// Of FactIncompatible it may say:
	//   - "crdStoredVersionRemoved": definitions of the cluster would lose versions in which
	//     objects are stored; their names
	Step  string   `json:"-"`
	Names []string `json:"-"`
	// Participants are, of FactPackage and FactGVK, the bundles of the package, or that
	// provide the API, among the candidates of the other facts, in their order. Of each
	// fact those count that it lists as candidates.
	Participants []cache.BundleRef `json:"-"`

	// Constraint is what the bundle of a constraint requires.
	Constraint constraints.Constraint `json:"-"`
	// Owns is, of a subscription, the installed bundle that it owns.
	Owns string `json:"-"`
	// DependencyOf names, of a subscription that came with a dependency, the
	// installed bundles that need what it owns. Generated marks such a subscription
	// also where nothing does.
	DependencyOf []string `json:"-"`
	Generated    bool     `json:"-"`
	// Parts are the things that a constraint wants, where there is something to say of
	// one of them.
	Parts []Part `json:"-"`
	// Specific says that Text is about the one version or range that is asked for, so
	// that near misses add nothing.
	Specific bool `json:"-"`

	// Ref is, of a constraint, its bundle as a change of the request names it.
	Ref cache.BundleRef `json:"-"`
}

// Rejected is a candidate and what rules it out.
type Rejected struct {
	Bundle string `json:"bundle"`
	// Catalog is where it comes from, and Channel the channel that offers or lists it;
	// empty where there is none.
	Catalog string `json:"-"`
	Channel string `json:"-"`
	// Payload is what its declaration carries, or that of an installed bundle.
	Payload any `json:"-"`
	// Reason is a stable code, one of those that [Rejection] lists.
	Reason Rejection `json:"code"`
	// Text says it in words, to be put behind the name.
	Text string `json:"rejected"`
	// By are the facts that rule it out, as indexes into the facts of the conflict; none
	// for a near miss. Facts, candidates and By together are the derivation.
	By []int `json:"-"`

	// Beside names, by facts in By, the bundles that these want in its place.
	Beside map[int][]string `json:"-"`
	// Part is the part of a constraint that it is for, as an index into its Parts.
	Part int `json:"-"`
}

// Part is one of the things that a constraint wants to be there.
type Part struct {
	// Message is what the author says about it.
	Message string
	// Nothing says why nothing in the catalogs could be it, in words; it is empty if
	// something could.
	Nothing string
}

// NearMiss reports whether the bundle never was a candidate, only nearly one.
func (r Rejected) NearMiss() bool { return len(r.By) == 0 }

// Rejection is the stable code of why a candidate is ruled out, the "code" of a candidate
// in the JSON of a conflict. By facts of a conflict:
//
//   - package: another bundle of its package has the place
//   - gvk: another provider of one of its APIs has the place
//   - constraint: what it requires cannot hold
//   - prohibition: another bundle does not tolerate it
//   - subscription: a subscription that owns it or could take it has another one
//   - forbidden: the request forbids it
//   - deprecated: it is marked olm.deprecated
//   - incompatible: it does not fit the cluster or the operator group
//   - held: its subscription stays where it is
//   - quarantined: it is set aside because the catalog is broken there
//
// Of a near miss, which never was a candidate:
//
//   - skipped: another entry of the channel skips it
//   - offChain: it is not on the chain of replaces that leads down from the head
//   - unlisted: it is in no channel
//   - virtual: a channel lists it, and the catalog has no such bundle
//   - noEdge: no update leads to it from what is installed
//   - version: its version is outside the range
//   - startingCSV: it is not the bundle to start with
//   - quarantined: it is set aside because the catalog is broken there
//   - apiVersion: it provides another version of the API
//
// Of a search, which found out that with the candidate, and all that was chosen before,
// there is no solution; no conflict has these:
//
//   - deadEnd: all ways on from it have ended
//   - solver: the solver found that out
type Rejection string

// IsRoot reports whether an argument starts from facts of a kind.
func (k FactKind) IsRoot() bool {
	return k == FactSubscription || k == FactInstalled || k == FactForced || k == FactSupposed
}

// Reason says why a bundle is in the result set. Exactly one of Subscription,
// Installed, Forced and Bundle is set.
type Reason struct {
	// Subscription is the name of a subscription that the bundle meets.
	Subscription string `json:"subscription,omitempty"`
	// Installed says that it is installed and has to stay: no subscription owns it,
	// or it is broken.
	Installed bool `json:"installed,omitempty"`
	// Forced says that the request forces it.
	Forced bool `json:"forced,omitempty"`
	// Bundle requires it through Constraint, in words.
	Bundle     string `json:"bundle,omitempty"`
	Constraint string `json:"constraint,omitempty"`
}
