package properties

import (
	"encoding/json"

	"github.com/blang/semver/v4"
)

// The property types that the package knows. The value of any other type is
// data for CEL rules.
const (
	// TypePackage names the bundle's package and version: [Package].
	TypePackage = "olm.package"
	// TypeGVK names an API that the bundle provides: [GVK].
	TypeGVK = "olm.gvk"
	// TypeLabel gives the bundle a label: [Label].
	TypeLabel = "olm.label"
	// TypeDeprecated excludes the bundle from new selections: [Deprecated].
	TypeDeprecated = "olm.deprecated"
	// TypeMaxOpenShiftVersion bounds the OpenShift that the bundle runs on:
	// [MaxOpenShiftVersion].
	TypeMaxOpenShiftVersion = "olm.maxOpenShiftVersion"
	// TypePackageRequired requires a package in a range: [PackageRequired].
	TypePackageRequired = "olm.package.required"
	// TypeGVKRequired requires a provider of an API: [GVKRequired].
	TypeGVKRequired = "olm.gvk.required"
	// TypeLabelRequired requires a bundle with a label: [LabelRequired].
	TypeLabelRequired = "olm.label.required"
	// TypeConstraint requires whatever its formula says: [Constraint].
	TypeConstraint = "olm.constraint"
	// TypeCSVMetadata describes the bundle to people, and says where it runs:
	// [ParseCompatibility] reads that. It is large.
	TypeCSVMetadata = "olm.csv.metadata"
	// TypeBundleObject holds one of the bundle's manifests, in base64 or by
	// reference. It is larger still, and older catalogs have it instead of
	// TypeCSVMetadata.
	TypeBundleObject = "olm.bundle.object"
)

// Package is the value of an "olm.package" property: which package the bundle
// is of, its version, and its release among bundles of that version. In JSON,
// {"packageName": …, "version": …, "release": …}.
type Package struct {
	Name    string         `json:"packageName"`
	Version semver.Version `json:"version"`
	Release Release        `json:"release,omitempty"`
}

// PackageRequired is the value of an "olm.package.required" property: the
// bundle requires some bundle of that package with a version inside the
// range. In JSON, {"packageName": …, "versionRange": …}.
type PackageRequired struct {
	Name  string `json:"packageName"`
	Range Range  `json:"versionRange"`
}

// GVKRequired is the value of an "olm.gvk.required" property: the bundle
// requires a provider of that API.
type GVKRequired struct {
	GVK
}

// Label is the value of an "olm.label" property, in JSON {"label": …}.
type Label string

// LabelRequired is the value of an "olm.label.required" property, in JSON
// {"label": …}: the bundle requires some bundle with that label.
type LabelRequired string

// Deprecated is the value of an "olm.deprecated" property. The property excludes
// the bundle from new selections (section 3 of the semantics); its value
// is a JSON object without meaning.
type Deprecated struct{}

// Constraint is the value of an "olm.constraint" property: a formula in JSON.
// It was only checked to be a JSON object; package constraints parses it.
type Constraint string

// MarshalJSON returns the formula unchanged.
func (c Constraint) MarshalJSON() ([]byte, error) { return json.RawMessage(c).MarshalJSON() }
