package graph

import (
	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// Bundle is one version of an operator in a catalog. It is one variable of the problem, whatever
// number of channels list it (section 1 of the semantics).
type Bundle struct {
	// ID is the index of the bundle in its catalog, in order of preference, or -1 if it is in
	// no catalog yet.
	ID int32
	// Order is the number of bundles of the package that are declared before it.
	Order int32

	line int32 // 0 is unknown

	// Barred is true if the bundle has an olm.deprecated property, which excludes it from
	// new selections (section 3 of the semantics). It keeps its places.
	Barred bool
	// Unread is true if the contents were not read: Properties, Constraints and Compatibility lack
	// what they declare. Package resolver/lazy reads a bundle when an answer needs it; rules do
	// not judge it before.
	Unread bool
	// Deprecated is true if an olm.deprecations blob names the bundle, which only adds a
	// warning; Deprecation is the message of that blob, which may be empty.
	Deprecated  bool
	Deprecation string
	// Package is the name of the package in which the bundle is declared.
	Package string
	// Name is the name of the bundle, for example "etcd.v0.9.4", unique in
	// its package.
	Name string
	// Version is its version, or 0.0.0 if a quarantined bundle has no valid version. Do not
	// modify it: it may be shared. It is never nil in a package that Build returns; nil counts
	// as 0.0.0.
	Version *semver.Version
	// Release distinguishes it from other bundles of the same version.
	Release properties.Release
	// Image is the reference of the bundle's content in the catalog.
	Image string
	// Properties are the properties of the bundle, constraints included.
	Properties properties.Set
	// Constraints are its requirements on the result set, in declaration order.
	Constraints []Requirement
	// Places are the channels in which it is a candidate, the default channel
	// first, then by channel name: its best place comes first. A bundle
	// without places can never be newly chosen.
	Places []Place
	// Compatibility is what the catalog declares about the clusters and namespaces in which
	// the bundle runs (section 12 of the semantics), or nil. Do not modify it: it may be
	// shared.
	Compatibility *properties.Compatibility
	// Metadata has the annotations and labels of the bundle, or is nil if they are unknown: the
	// reader of a catalog keeps them only if asked to. Do not modify it: it may be shared.
	Metadata *properties.Metadata
	// Quarantine is the first problem that makes the bundle unusable, or nil. Name, package and
	// all that could be parsed are set even so, for use in explanations.
	Quarantine *Problem

	// Payload is [BundleDecl.Payload].
	Payload any

	file *string // where it is declared; shared by the bundles of a file, and nil if unknown
}

// TypeMayMatch is the type of a property that only a bundle which was not read has: the key of a
// rule that it may satisfy ([constraints.Constraint]), as JSON.
const TypeMayMatch = "resolute.mayMatch"

// Pos returns where the bundle is declared.
func (b *Bundle) Pos() Pos {
	pos := Pos{Line: int(b.line)}
	if b.file != nil {
		pos.File = *b.file
	}
	return pos
}

// CompareVersion orders bundles by version, and those of the same version by
// release: -1, 0 or 1.
func (b *Bundle) CompareVersion(o *Bundle) int {
	return properties.CompareVersions(*b.version(), b.Release, *o.version(), o.Release)
}

// VersionText returns the version, followed by the release if there is one:
// "1.2.3", "1.2.3 release 4".
func (b *Bundle) VersionText() string { return versionText(*b.version(), b.Release) }

// versionText is [Bundle.VersionText].
func versionText(v semver.Version, r properties.Release) string {
	if r == "" {
		return v.String()
	}
	return v.String() + " release " + string(r)
}

// Requirement is one constraint of a bundle.
type Requirement struct {
	// Constraint is the constraint as it is reasoned about.
	Constraint constraints.Constraint
	// Property is the property that declares it, or nil if the caller of a
	// resolution added it.
	Property *properties.Property
}

// Place is a candidate's place in a channel.
type Place struct {
	// Channel is the channel.
	Channel *Channel
	// Position is the distance from the head along the chain, skipped and
	// virtual entries counted; the head is 0.
	Position int
}
