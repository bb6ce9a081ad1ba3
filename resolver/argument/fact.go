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

// Cause is the stable code of the step that left a subscription without candidates, or that
// makes a bundle incompatible.
type Cause string

// The causes, each with what [Fact.Names] has.
const (
	// CauseCatalog: there is no such catalog; its key.
	CauseCatalog Cause = "catalog"
	// CausePackage: there is no such package; its name.
	CausePackage Cause = "package"
	// CauseChannel: the package has none of these channels, or none at all; their names.
	CauseChannel Cause = "channel"
	// CausePin: the pinned bundle is not a candidate; its name.
	CausePin Cause = "pin"
	// CauseStartingCSV: the starting bundle is not a candidate; its name.
	CauseStartingCSV Cause = "startingCSV"
	// CauseEdge: no upgrade edge leads to it from the installed bundle; the name of the requested
	// bundle, or of the installed one.
	CauseEdge Cause = "edge"
	// CauseRange: no version is inside this range; the range.
	CauseRange Cause = "range"
	// CauseAmbiguousCatalogs: these catalogs have the package, and none has priority; their keys.
	CauseAmbiguousCatalogs Cause = "ambiguousCatalogs"
	// CauseQuarantined: the catalog is broken there; the channel.
	CauseQuarantined Cause = "quarantined"
	// CauseDeprecated: every version is marked olm.deprecated; the package.
	CauseDeprecated Cause = "deprecated"
	// CauseRequires: the best version has requirements, which OLM v1 refuses; its name.
	CauseRequires Cause = "requires"
	// CauseEmpty: there is nothing else to select; the channels, or the package.
	CauseEmpty Cause = "empty"
	// CauseStoredVersionRemoved: definitions of the cluster would lose versions in which objects are
	// stored; their names.
	CauseStoredVersionRemoved Cause = "crdStoredVersionRemoved"
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

	// Cause says, of FactNoCandidate, which step left nothing, and Names what it is about.
	// Of FactIncompatible it may be CauseStoredVersionRemoved; then Names are the definitions.
	Cause Cause    `json:"-"`
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
	// Reason is why it is rejected.
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

// Rejection is the stable code of why a candidate is rejected: the "code" of a candidate in
// the JSON of a conflict.
type Rejection string

// The rejections by facts of a conflict. RejectedQuarantined is also that of a near miss.
const (
	// RejectedByPackage: another bundle of its package is selected.
	RejectedByPackage Rejection = "package"
	// RejectedByGVK: another provider of one of its APIs is selected.
	RejectedByGVK Rejection = "gvk"
	// RejectedByConstraint: one of its requirements cannot be met.
	RejectedByConstraint Rejection = "constraint"
	// RejectedByProhibition: another bundle prohibits it.
	RejectedByProhibition Rejection = "prohibition"
	// RejectedBySubscription: the subscription that owns it, or could select it, has another bundle.
	RejectedBySubscription Rejection = "subscription"
	// RejectedForbidden: the request forbids it.
	RejectedForbidden Rejection = "forbidden"
	// RejectedDeprecated: it is marked olm.deprecated.
	RejectedDeprecated Rejection = "deprecated"
	// RejectedIncompatible: it does not fit the cluster or the operator group.
	RejectedIncompatible Rejection = "incompatible"
	// RejectedHeld: its subscription is on hold.
	RejectedHeld Rejection = "held"
	// RejectedQuarantined: it is excluded because the catalog is broken there.
	RejectedQuarantined Rejection = "quarantined"
)

// The rejections of a near miss, which was never a candidate.
const (
	// NearMissSkipped: another entry of the channel skips it.
	NearMissSkipped Rejection = "skipped"
	// NearMissOffChain: it is not on the replaces chain below the head.
	NearMissOffChain Rejection = "offChain"
	// NearMissUnlisted: it is in no channel.
	NearMissUnlisted Rejection = "unlisted"
	// NearMissVirtual: a channel lists it, and the catalog has no such bundle.
	NearMissVirtual Rejection = "virtual"
	// NearMissNoEdge: no upgrade edge leads to it from the installed bundle.
	NearMissNoEdge Rejection = "noEdge"
	// NearMissVersion: its version is outside the range.
	NearMissVersion Rejection = "version"
	// NearMissStartingCSV: it is not the starting bundle.
	NearMissStartingCSV Rejection = "startingCSV"
	// NearMissAPIVersion: it provides another version of the API.
	NearMissAPIVersion Rejection = "apiVersion"
)

// The rejections by a search that found no solution with the candidate and everything selected
// before it. No conflict has them.
const (
	// RejectedByDeadEnd: every continuation of the search with it has failed.
	RejectedByDeadEnd Rejection = "deadEnd"
	// RejectedBySolver: the solver found that there is no solution with it.
	RejectedBySolver Rejection = "solver"
)

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
