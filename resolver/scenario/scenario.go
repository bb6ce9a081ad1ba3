package scenario

import (
	"encoding/json"
	"io/fs"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Scenario is a resolution problem. Strings (versions, ranges, keys of catalogs, names of
// policies) are kept as written, so that reading and writing returns the same;
// [Scenario.Validate] reports whether they are valid.
//
// A Scenario is plain data and may be built by a program. This package does not change it after
// reading.
type Scenario struct {
	// Namespace is the namespace to resolve; empty means "default".
	Namespace string `json:"namespace,omitempty"`
	// Catalogs provide the candidates.
	Catalogs []Catalog `json:"catalogs,omitempty"`
	// Cluster describes the cluster itself.
	Cluster Cluster `json:"cluster,omitzero"`
	// OperatorGroup has the target namespaces of the operators; nil means unknown.
	OperatorGroup *resolver.OperatorGroup `json:"operatorGroup,omitempty"`
	// Installed are the installed bundles.
	Installed []Installed `json:"installed,omitempty"`
	// Subscriptions are the demands in the style of OLM v0, the most important first.
	Subscriptions []Subscription `json:"subscriptions,omitempty"`
	// Extensions are the demands in the style of OLM v1, instead of subscriptions. A file cannot
	// express a Pin.
	Extensions []resolver.Extension `json:"extensions,omitempty"`
	// Policy holds the options of section 8 of the semantics.
	Policy resolver.Policy `json:"policy,omitzero"`
	// Now is the time that rules of the policy see, such as 2026-08-22T00:00:00Z or 2026-08-22.
	Now string `json:"now,omitempty"`
	// Forbid lists excluded bundles.
	Forbid []Forbid `json:"forbid,omitempty"`
	// Relax lists ignored constraints of bundles.
	Relax []Relax `json:"relax,omitempty"`
	// WhatIf lists changed problems to answer in addition.
	WhatIf []WhatIf `json:"whatif,omitempty"`
	// Expect is the expected part of the answer, a JSON object in the format of [Answer] with any
	// of its keys; nil if nothing is expected.
	Expect json.RawMessage `json:"expect,omitempty"`

	origin origin
}

type origin struct {
	file  string                    // the name given by the caller
	fsys  fs.FS                     // nil for the file system of the operating system
	lines map[string]int            // line of each part of the file, by its path
	nodes map[string]*document.Node // sources of raw JSON by path
}

// DefaultNamespace is the namespace of a scenario without one.
const DefaultNamespace = "default"

// Catalog is a catalog. Exactly one of Path, Image and Blobs locates its content.
type Catalog struct {
	// Name is required.
	Name string `json:"name"`
	// Namespace is empty for the scenario's namespace.
	Namespace string `json:"namespace,omitempty"`
	// Priority orders catalogs; higher is better.
	Priority int `json:"priority,omitempty"`
	// Path is the path of a file-based catalog, relative to the scenario file: a directory, or
	// one .yaml, .json or .jsonl file, optionally with .gz.
	Path string `json:"path,omitempty"`
	// Image is a container image with a file-based catalog, for example
	// quay.io/operatorhubio/catalog:latest: see package cache/image. Only a [Loader] with Images
	// reads it. A path in it, as in oci:DIRECTORY, is relative to the scenario file.
	Image string `json:"image,omitempty"`
	// ImageTemplate is the template of the image for each version of Kubernetes, as in the
	// annotation olm.catalogImageTemplate of a CatalogSource, for example
	// quay.io/NAME:v{kube_major_version}.{kube_minor_version}. Resolutions ignore it.
	ImageTemplate string `json:"imageTemplate,omitempty"`
	// Labels are the labels by which extensions select catalogs.
	Labels map[string]string `json:"labels,omitempty"`
	// Blobs are the inline blobs of a file-based catalog.
	Blobs []json.RawMessage `json:"blobs,omitzero"`
}

// Cluster describes the environment that a cluster provides without any bundle.
type Cluster struct {
	// ID identifies the cluster: reports about several clusters merge scenarios with the same ID.
	// It may be empty.
	ID string `json:"id,omitempty"`
	// Name is the name of the cluster in reports. It may be empty, and changes no answer.
	Name string `json:"name,omitempty"`
	// Properties are visible to CEL rules. The default is KubernetesVersion as olm.kubeversion.
	Properties []Property `json:"properties,omitempty"`
	// KubernetesVersion and OpenShiftVersion ("4.20", or a complete version) are empty if
	// unknown.
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	OpenShiftVersion  string `json:"openshiftVersion,omitempty"`
	// APIs are served by the cluster itself.
	APIs []properties.GVK `json:"apis,omitempty"`
	// CRDs are the resource definitions of the cluster, with their owners in all namespaces.
	CRDs []properties.CRD `json:"crds,omitempty"`
}

// Property is one property of the cluster or of an installed bundle.
type Property struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// Installed is an installed bundle.
type Installed struct {
	// Name is required.
	Name string `json:"name"`
	// Package and Version may be omitted if the properties, the owning subscription, or a catalog
	// bundle of the same name gives them. An empty Package means that it is unknown, whatever
	// they give.
	Package *string `json:"package,omitempty"`
	Version string  `json:"version,omitempty"`
	// Catalog ("namespace/name") and Channel are its origin, if known.
	Catalog string `json:"catalog,omitempty"`
	Channel string `json:"channel,omitempty"`
	// Automatic reports that it was installed only as a dependency.
	Automatic bool `json:"automatic,omitempty"`
	// ReplacedBy names the installed bundle that replaces it.
	ReplacedBy string `json:"replacedBy,omitempty"`
	// Properties default to the properties of the catalog's bundle of the same name if nil; an
	// empty list means no properties.
	Properties []Property `json:"properties,omitzero"`
}

// Subscription demands an operator and its upgrades. Name and Package are required.
type Subscription struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	// Channel, or Channels in the order of preference, and Catalog ("namespace/name") restrict
	// the candidates.
	Channel  string   `json:"channel,omitempty"`
	Channels []string `json:"channels,omitempty"`
	// Hold is the reason why the operator is pinned to its installed version.
	Hold    string `json:"hold,omitempty"`
	Catalog string `json:"catalog,omitempty"`
	// StartingCSV is the only candidate while nothing is installed.
	StartingCSV string `json:"startingCSV,omitempty"`
	// VersionRange restricts the versions.
	VersionRange string `json:"versionRange,omitempty"`
	// InstalledCSV names the installed bundle that the subscription owns.
	InstalledCSV string `json:"installedCSV,omitempty"`
}

// Forbid excludes a bundle.
type Forbid struct {
	// Bundle is required.
	Bundle string `json:"bundle"`
	// Catalog ("namespace/name") restricts it to the bundle of one catalog.
	Catalog string `json:"catalog,omitempty"`
	// Message is the reason; it is shown if the prohibition matters.
	Message string `json:"message,omitempty"`
}

// Relax ignores a constraint of a bundle, as if its author had not declared it.
type Relax struct {
	// Bundle is required.
	Bundle string `json:"bundle"`
	// Catalog ("namespace/name") restricts it to the bundle of one catalog.
	Catalog string `json:"catalog,omitempty"`
	// Constraint is the property of the bundle with the constraint, such as {type:
	// olm.package.required, value: {packageName: etcd, versionRange: ">=0.9.0"}}; nil relaxes all
	// constraints of the bundle.
	Constraint *Property `json:"constraint,omitempty"`
}

// WhatIf is a changed problem. Its changes apply together, in the order drop, add, others.
type WhatIf struct {
	// Name is required and unique in a scenario.
	Name string `json:"name"`
	// Drop names subscriptions, installed bundles and policy rules to remove.
	Drop Drop `json:"drop,omitzero"`
	// Add holds subscriptions, installed bundles and policy rules to append.
	Add Add `json:"add,omitzero"`
	// Pin maps a subscription to its only candidate.
	Pin map[string]string `json:"pin,omitempty"`
	// Forbid lists bundles to exclude in addition to those of the base.
	Forbid []Forbid `json:"forbid,omitempty"`
	// Force lists bundles that must be selected.
	Force []string `json:"force,omitempty"`
	// Priority maps catalogs ("namespace/name") to new priorities.
	Priority map[string]int `json:"priority,omitempty"`
}

// Drop names what a what-if removes.
type Drop struct {
	Subscriptions []string `json:"subscriptions,omitempty"`
	Installed     []string `json:"installed,omitempty"`
	// Veto lists rules of the policy, as they are written there.
	Veto []string `json:"veto,omitempty"`
}

// Add holds what a what-if appends.
type Add struct {
	Subscriptions []Subscription `json:"subscriptions,omitempty"`
	Installed     []Installed    `json:"installed,omitempty"`
	// Veto lists further rules of the policy.
	Veto []resolver.VetoRule `json:"veto,omitempty"`
}

// File returns the name of the scenario file; empty if a program built the scenario.
func (s *Scenario) File() string { return s.origin.file }
