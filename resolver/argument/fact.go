package argument

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
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
	// FactInstalled: an installed bundle without an owner has to stay. The subject is the name
	// of the bundle.
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
	// FactForbidden: the request or a rule of its policy forbids a bundle. The subject is its name.
	FactForbidden FactKind = "forbidden"
	// FactDeprecated: a bundle cannot be newly selected because of olm.deprecated. The subject
	// is its name.
	FactDeprecated FactKind = "deprecated"
	// FactIncompatible: a bundle does not fit the cluster or the operator group,
	// and the policy requires that it does. The subject is its name.
	FactIncompatible FactKind = "incompatible"
	// FactQuarantined: bundles are excluded because the catalog is broken there. The subject is
	// the name of the package.
	FactQuarantined FactKind = "quarantined"
	// FactForced: the request forces a bundle. The subject is its name.
	FactForced FactKind = "forced"
	// FactSupposed: a what-if assumes that a bundle is in the result. The subject is its name.
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

// Fact is one of the conditions that cannot all hold. Fields that do not apply are empty.
type Fact struct {
	Kind    FactKind `json:"kind"`
	Subject string   `json:"subject"`
	// Text states the fact as one sentence without a full stop.
	Text string `json:"text"`
	// Message is the message of the author of a constraint, or the reason for forbidding a
	// bundle.
	Message string `json:"message,omitempty"`
	// Rule is the rule of the policy that forbids a bundle, for FactForbidden.
	Rule         string `json:"rule,omitempty"`
	Subscription string `json:"subscription,omitempty"`
	// Extension reports whether the demand is an extension instead of a subscription.
	Extension bool      `json:"extension,omitempty"`
	Bundle    string    `json:"bundle,omitempty"`
	Package   string    `json:"package,omitempty"`
	Catalog   cache.Key `json:"catalog,omitzero"`
	Channel   string    `json:"channel,omitempty"`
	// Candidates are the bundles considered for a demand or a constraint, best first, near
	// misses last. Facts with equal candidates share the slice: do not modify it.
	Candidates []Rejected `json:"candidates,omitempty"`
	// Omitted is the number of candidates not listed. A conflict lists about 10,000 in total and
	// at least 20 for each fact.
	Omitted int `json:"omitted,omitempty"`

	// Newest lists, for a constraint, the newest version of each package that has none in the
	// required range, as "VERSION (BUNDLE)".
	Newest []string `json:"newest,omitempty"`

	// The fields below are not part of the JSON form.

	// Cause is, for FactNoCandidate, the step that left no candidate, and Names its subjects.
	// For FactIncompatible it may be CauseStoredVersionRemoved; then Names are the resource
	// definitions.
	Cause Cause    `json:"-"`
	Names []string `json:"-"`
	// Catalogs are the keys of Names, if these are catalogs.
	Catalogs []cache.Key `json:"-"`
	// API is the subject of a FactGVK.
	API properties.GVK `json:"-"`
	// Participants are, for FactPackage and FactGVK, the bundles of the package or the providers
	// of the API among the listed candidates of the other facts, in order.
	Participants []Participant `json:"-"`

	// Constraint is the constraint of a FactConstraint.
	Constraint constraints.Constraint `json:"-"`
	// Owns is the installed bundle that a subscription owns.
	Owns string `json:"-"`
	// DependencyOf lists the installed bundles that require the bundle of a generated
	// subscription. Generated reports whether the subscription is generated.
	DependencyOf []string `json:"-"`
	Generated    bool     `json:"-"`
	// Parts are the parts of a constraint, if one has a message or no candidate.
	Parts []Part `json:"-"`
	// Specific reports whether Text is about a single version or range, so that near misses add
	// nothing.
	Specific bool `json:"-"`

	// Terms are the nouns of Text, and of the argument.
	Terms graph.Terms `json:"-"`

	// Ref is the bundle of a constraint, for use in a change.
	Ref cache.BundleRef `json:"-"`
}

// Participant is a bundle to which the rule of a fact applies.
type Participant struct {
	// Bundle is the bundle, without its catalog if it is installed.
	Bundle cache.BundleRef
	// Channel is the channel that offers it, or from which it was installed; it may be empty.
	Channel string
	// Payload is the payload of the catalog bundle or of the installed bundle.
	Payload any
}

// Rejected is a candidate with the reason for its rejection.
type Rejected struct {
	Bundle string `json:"bundle"`
	// Catalog is its catalog, and Channel the channel that offers or lists it; both may be
	// empty.
	Catalog cache.Key `json:"-"`
	Channel string    `json:"-"`
	// Payload is the payload of the catalog bundle or of the installed bundle.
	Payload any       `json:"-"`
	Reason  Rejection `json:"code"`
	// Text is a predicate for people, to follow the name of the bundle.
	Text string `json:"rejected"`
	// By lists the facts that reject it, as indexes into the facts of the conflict; empty for a
	// near miss.
	By []int `json:"-"`

	// Beside maps facts in By to the conflicting bundles.
	Beside map[int][]string `json:"-"`
	// Part is the part of a constraint that it is considered for, as an index into Parts.
	Part int `json:"-"`
}

// Part is one part of a constraint.
type Part struct {
	// Message is the message of the author.
	Message string
	// Nothing is the reason why no bundle in the catalogs satisfies the part; empty if one does.
	Nothing string
}

// NearMiss reports whether the bundle never was a candidate, only nearly one.
func (r Rejected) NearMiss() bool { return len(r.By) == 0 }

// Rejection is the stable code of a rejection: the "code" of a candidate in JSON.
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
	// RejectedForbidden: the request or a rule of its policy forbids it.
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

// IsRoot reports whether facts of the kind are demands, from which an argument starts.
func (k FactKind) IsRoot() bool {
	return k == FactSubscription || k == FactInstalled || k == FactForced || k == FactSupposed
}

// Reason is a reason for a bundle of the result set. Exactly one of Subscription, Installed,
// Forced and Bundle is set.
type Reason struct {
	// Subscription is the name of a subscription that the bundle satisfies.
	Subscription string `json:"subscription,omitempty"`
	// Installed reports whether the bundle is installed and has to stay, because it is unowned
	// or broken.
	Installed bool `json:"installed,omitempty"`
	// Forced reports whether the request forces the bundle.
	Forced bool `json:"forced,omitempty"`
	// Bundle requires it through Constraint, in words.
	Bundle     string `json:"bundle,omitempty"`
	Constraint string `json:"constraint,omitempty"`
}
