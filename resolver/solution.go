package resolver

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Solution is the best result set of a request, as an ordered plan (section 7 of the semantics).
// It is immutable and safe for concurrent use.
type Solution struct {
	// Steps are all bundles of the result set, kept ones included, by wave and
	// then by package name.
	Steps []Step
	// Warnings are in a fixed order.
	Warnings []Warning
	// Unresolved lists, under policy "Partial", the broken installed bundles and then the
	// dropped subscriptions, both in the order of the request.
	Unresolved []Unresolved
	Stats      Stats
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
	// Downgrade: the bundle replaces an installed one of its package that has a higher version.
	Downgrade Action = "downgrade"
	// Keep: the bundle is installed already and stays.
	Keep Action = "keep"
)

// Step is one bundle of the result set.
type Step struct {
	// Wave is the position of the step in the plan, from 0. A bundle has a later wave than its
	// dependencies; bundles in a dependency cycle share one.
	Wave   int
	Action Action
	// Bundle, Package and Version identify the bundle.
	Bundle string
	// Package is empty for an installed bundle whose package is not known, and
	// Version nil where the version is not.
	Package string
	Version *semver.Version
	// Catalog is the catalog of the bundle. For a kept bundle it is the recorded one, which may
	// be zero: see KeptFrom. For a bundle that an extension keeps it is the catalog that the
	// extension selects.
	Catalog cache.Key
	// KeptFrom is the catalog that has a kept bundle: the recorded one, or the best one with a
	// bundle of this name if none is recorded. It is zero if no catalog has it, and for all
	// other actions. It is not part of the JSON form.
	KeptFrom cache.Key
	// Channel is the best channel that offers the bundle; for a kept bundle, the recorded one.
	Channel string
	// Replaces lists the installed bundles that an upgrade or a downgrade replaces, nearly always
	// one.
	Replaces []string
	// Because lists the reasons for the bundle; there is at least one.
	Because []Reason
	// PassedOver lists the better candidates that were rejected, best first.
	PassedOver []BundleRef
	// Hold is the reason for keeping the bundle if a held subscription owns it.
	Hold string
	// Planned reports whether the bundle becomes an extension because another extension requires
	// it (section 13); see [Step.Extension].
	Planned bool
	// Payload is the payload of the catalog bundle, or of the installed bundle that is kept. It
	// is not part of the JSON form.
	Payload any
	// Image is the image of the bundle according to the catalog; empty for a kept bundle.
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

// Warning is a condition that did not stop the resolution. Fields that do not apply are empty.
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

// Otherwise reports whether a subscription gets or keeps another bundle than it requests.
func (w Warning) Otherwise() bool {
	return w.Kind == WarningOutsideRange || w.Kind == WarningQuarantined && w.Bundle != ""
}

// Unresolved is a dropped subscription or a broken installed bundle under policy "Partial".
// Exactly one of the names is set.
type Unresolved struct {
	Subscription string    `json:"subscription,omitempty"`
	Installed    string    `json:"installed,omitempty"`
	Conflict     *Conflict `json:"conflict,omitempty"`
}

// Stats counts the work of one resolution.
type Stats = trace.Stats
