package resolver

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Solution is the best result set of a request, in the order in which to bring
// it about (section 7 of the semantics). It is not changed once returned and may
// be read by any number of goroutines.
type Solution struct {
	// Steps are all bundles of the result set, kept ones included, by wave and
	// then by package name.
	Steps []Step
	// Warnings are what the user should know, in a fixed order.
	Warnings []Warning
	// Unresolved is what policy "Partial" left out: first the installed
	// bundles that are broken already, then the subscriptions that cannot be met,
	// both in the order of the request.
	Unresolved []Unresolved
	// Stats says how much work it was.
	Stats Stats
}

// Set returns the names of all bundles of the result set, kept ones included,
// in ascending order.
func (s *Solution) Set() []string {
	names := make([]string, len(s.Steps))
	for i := range s.Steps {
		names[i] = s.Steps[i].Bundle
	}
	slices.Sort(names)
	return names
}

// Action is what happens to a bundle.
type Action string

// The actions of a [Step].
const (
	// Install: the bundle is new.
	Install Action = "install"
	// Upgrade: the bundle replaces an installed one.
	Upgrade Action = "upgrade"
	// Keep: the bundle is installed already and stays.
	Keep Action = "keep"
)

// Step is one bundle of the result set.
type Step struct {
	// Wave orders the work: a bundle comes in a later wave than what it depends
	// on; bundles that depend on each other share one. The first wave is 0.
	Wave int
	// Action says whether the bundle is new, takes over from an installed one,
	// or is there already.
	Action Action
	// Bundle, Package and Version identify the bundle.
	Bundle string
	// Package is empty for an installed bundle whose package is not known, and
	// Version nil where the version is not.
	Package string
	Version *semver.Version
	// Catalog is where it comes from; for a kept bundle, where it is recorded
	// to have come from, which may be nowhere: see KeptFrom. For a bundle that an
	// extension keeps it is the catalog that the extension chooses.
	Catalog cache.Key
	// KeptFrom is, for a kept bundle, the catalog that has it: the one of Catalog, or the
	// best one with a bundle of this name where none is recorded; the zero key if no
	// catalog has it, and for all other steps. It is not part of the JSON.
	KeptFrom cache.Key
	// Channel is the best channel that offers it, for a kept bundle the
	// recorded one.
	Channel string
	// Replaces names the installed bundles that an upgrade takes the place of,
	// nearly always one.
	Replaces []string
	// Because says why the bundle is in the set; there is always a reason.
	Because []Reason
	// PassedOver lists the better placed candidates that could not be, best
	// first.
	PassedOver []BundleRef
	// Hold says why the bundle is kept, where a subscription on hold owns it.
	Hold string
	// Planned says that the bundle becomes an extension of the plan: another extension
	// needs it (section 13); see [Step.Extension].
	Planned bool
	// Payload is what the declaration of the bundle carries, or the installed bundle that
	// is kept. It is not part of the JSON.
	Payload any
	// Image is where the content of the bundle is, as the catalog gives it; empty
	// for a bundle that is kept.
	Image string
}

// Reason says why a bundle is in the result set.
type Reason = argument.Reason

// WarningKind is the stable code of a [Warning].
type WarningKind string

// The kinds of warnings.
const (
	// WarningBroken: an installed bundle is broken already: a requirement is missing, or another
	// installed bundle conflicts with it. It stays as it is.
	WarningBroken WarningKind = "broken"
	// WarningDeprecated: a bundle of the result set is deprecated.
	WarningDeprecated WarningKind = "deprecated"
	// WarningGone: the catalog, package or channel of an installed operator no longer exists; the
	// operator is kept.
	WarningGone WarningKind = "gone"
	// WarningIncompatible: a bundle of the result set does not fit the cluster or the operator
	// group (section 12).
	WarningIncompatible WarningKind = "incompatible"
	// WarningNoEdge: an installed operator has no upgrade edge and is not the head of its channel;
	// the operator is kept.
	WarningNoEdge WarningKind = "noEdge"
	// WarningOrphan: a bundle that was installed only as a dependency is no longer needed; it is kept.
	WarningOrphan WarningKind = "orphan"
	// WarningOutsideRange: an installed bundle stays although its version is outside the range of
	// the subscription that owns it.
	WarningOutsideRange WarningKind = "outsideRange"
	// WarningQuarantined: part of what a subscription asks for is ignored because the catalog is
	// broken there. With a Bundle, that is what the subscription gets instead: from another
	// channel, or by staying as it is.
	WarningQuarantined WarningKind = "quarantined"
	// WarningShared: another version of the package is installed in another namespace and owns the
	// same resource definitions, which are cluster-wide (section 14).
	WarningShared WarningKind = "shared"
	// WarningUnavailable: a catalog could not be read.
	WarningUnavailable WarningKind = "unavailable"
)

// WarningCode is the stable code of a resource definition's part in a warning of kind
// [WarningIncompatible] (section 14).
type WarningCode string

// The codes of warnings.
const (
	// CRDStoredVersionRemoved: the bundle lacks a version in which objects are stored. The
	// install plan fails, or may fail where only the served versions of the bundle are known.
	CRDStoredVersionRemoved WarningCode = explain.CodeStoredVersionRemoved
	// CRDServedVersionRemoved: the bundle lacks a version that is served, and operators of
	// other namespaces own the definition too.
	CRDServedVersionRemoved WarningCode = explain.CodeServedVersionRemoved
)

// Warning is something that did not stop the resolution and that the user
// should know. Fields that do not apply are empty.
type Warning struct {
	Kind WarningKind `json:"kind"`
	// Code is set for a warning of kind [WarningIncompatible] that is about a resource
	// definition of the cluster, and empty otherwise.
	Code         WarningCode `json:"code,omitempty"`
	Bundle       string      `json:"bundle,omitempty"`
	Package      string      `json:"package,omitempty"`
	Channel      string      `json:"channel,omitempty"`
	Catalog      string      `json:"catalog,omitempty"`
	Subscription string      `json:"subscription,omitempty"`
	Message      string      `json:"message,omitempty"`
}

// Otherwise reports whether a subscription gets, or keeps, something else than it asks for.
func (w Warning) Otherwise() bool {
	return w.Kind == WarningOutsideRange || w.Kind == WarningQuarantined && w.Bundle != ""
}

// Unresolved is a subscription that policy "Partial" left out, or an
// installed bundle that it found broken: one of both names is set.
type Unresolved struct {
	Subscription string    `json:"subscription,omitempty"`
	Installed    string    `json:"installed,omitempty"`
	Conflict     *Conflict `json:"conflict,omitempty"`
}

// Stats counts the work of one resolution.
type Stats = trace.Stats
