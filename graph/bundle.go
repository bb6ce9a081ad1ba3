package graph

import (
	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// Bundle is one version of an operator, as a catalog holds it. It is one
// variable of the problem, whatever number of channels list it (section 1 of
// the semantics).
type Bundle struct {
	// ID is the dense number of the bundle in the catalog that holds it, in
	// order of preference; -1 before a catalog took it.
	ID int32
	// Line is where in its File the bundle is declared, from 1; 0 is unknown.
	Line int32
	// Order is how many bundles of the package are declared before it.
	Order int32
	// Name is the name of the bundle, for example "etcd.v0.9.4", unique in
	// its package.
	Name string
	// Version is its version, or 0.0.0 where a quarantined bundle has none
	// that parses. Bundles share it: do not modify it. It is never nil in a
	// package that Build made.
	Version *semver.Version
	// Image is where the bundle's content is, as the catalog gives it.
	Image string
	// Properties are what the bundle says of itself, constraints included.
	Properties properties.Set
	// Constraints are what it asks of the result set, in declaration order.
	Constraints []Requirement
	// Places are the channels in which it is a candidate, the default channel
	// first, then by channel name: its best place comes first. A bundle
	// without places can never be newly chosen.
	Places []Place
	// Common is never nil in a package that [Build] made. Bundles share it: do not
	// modify it.
	*Common
}

// Common is what most bundles of a package have in common, and marks that only some
// bundles have.
type Common struct {
	// Package is the package that the bundle is declared to belong to.
	Package string
	// File names the file that declares it, as its reader does.
	File string
	// Compatibility is what the catalog says of the clusters and namespaces that
	// the bundle runs in (section 12 of the semantics), or nil for nothing.
	// Bundles that say the same mostly share it.
	Compatibility *properties.Compatibility
	// Barred is true if the bundle has an olm.deprecated property, which bars
	// it from being newly chosen (section 3 of the semantics). It keeps its
	// places all the same.
	Barred bool
	// Release distinguishes it from other bundles of the same version.
	Release properties.Release
	// Deprecated is true if an olm.deprecations blob names the bundle, which
	// only adds a warning; Deprecation is the message given there, which may
	// be empty.
	Deprecated  bool
	Deprecation string
	// Payload is what the program that declared the bundle gave it.
	Payload any
	// Quarantine is the first problem that makes the bundle unusable, or
	// nil. Name, package and whatever could be parsed are filled in even so,
	// for explanations to name.
	Quarantine *Problem
}

// own makes the bundle share nothing with others, and returns what it shared.
func (b *Bundle) own() *Common {
	own := *b.common()
	b.Common = &own
	return b.Common
}

// Pos returns where the bundle is declared.
func (b *Bundle) Pos() Pos { return Pos{File: b.common().File, Line: int(b.Line)} }

// CompareVersion orders bundles by version, and those of the same version by
// release: -1, 0 or 1.
func (b *Bundle) CompareVersion(o *Bundle) int {
	return properties.CompareVersions(*b.version(), b.common().Release, *o.version(), o.common().Release)
}

// VersionText returns the version, followed by the release if there is one:
// "1.2.3", "1.2.3 release 4".
func (b *Bundle) VersionText() string { return versionText(*b.version(), b.common().Release) }

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
	// Property is the property that declares it; nil for one that was added
	// by the caller of a resolution.
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
