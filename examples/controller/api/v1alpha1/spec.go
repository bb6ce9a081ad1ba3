package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OperatorSet is one resolution problem: the subscriptions of its namespace, the
// bundles installed there, and, in the status, the answer.
type OperatorSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OperatorSetSpec   `json:"spec"`
	Status OperatorSetStatus `json:"status,omitzero"`
}

// OperatorSetList is a list of OperatorSets.
type OperatorSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []OperatorSet `json:"items"`
}

// OperatorSetSpec is the problem. Its parts have the same meaning as in a
// scenario file. It applies to the namespace of the object.
type OperatorSetSpec struct {
	// Catalogs selects some of the controller's catalogs. Empty selects all.
	Catalogs []CatalogRef `json:"catalogs,omitempty"`
	// Cluster describes the cluster itself.
	Cluster Cluster `json:"cluster,omitzero"`
	// Installed are the installed bundles.
	Installed []Installed `json:"installed,omitempty"`
	// Subscriptions are the requested operators, the most important first.
	Subscriptions []Subscription `json:"subscriptions,omitempty"`
	// Policy has the options of the resolution.
	Policy Policy `json:"policy,omitzero"`
	// Forbid lists bundles that must not be selected.
	Forbid []Forbid `json:"forbid,omitempty"`
}

// CatalogRef names a catalog of the controller.
type CatalogRef struct {
	// Name is the catalog's key, "namespace/name".
	Name string `json:"name"`
	// Priority overrides the controller's priority of the catalog.
	Priority *int32 `json:"priority,omitempty"`
}

// Cluster has the properties of the cluster.
type Cluster struct {
	// Properties are visible to CEL rules.
	Properties []Property `json:"properties,omitempty"`
	// APIs are served by the cluster itself.
	APIs []API `json:"apis,omitempty"`
}

// Property is one property of the cluster or of an installed bundle.
type Property struct {
	Type  string               `json:"type"`
	Value apiextensionsv1.JSON `json:"value"`
}

// API names an API.
type API struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// Installed is an installed bundle.
type Installed struct {
	// Name is the name of the bundle.
	Name string `json:"name"`
	// Package and Version are optional if the properties give them, or if a
	// catalog has a bundle of this name.
	Package string `json:"package,omitempty"`
	Version string `json:"version,omitempty"`
	// Catalog ("namespace/name") and Channel are its origin, if known.
	Catalog string `json:"catalog,omitempty"`
	Channel string `json:"channel,omitempty"`
	// Automatic reports that it was installed only as a dependency.
	Automatic bool `json:"automatic,omitempty"`
	// ReplacedBy names the installed bundle that is replacing this one.
	ReplacedBy string `json:"replacedBy,omitempty"`
	// Properties default to those of the catalog's bundle of the same name.
	// An empty list means that the bundle has none.
	Properties []Property `json:"properties,omitzero"`
}

// Subscription requests an operator and its upgrades.
type Subscription struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	// Channel and Catalog ("namespace/name") restrict the candidates.
	Channel string `json:"channel,omitempty"`
	Catalog string `json:"catalog,omitempty"`
	// StartingCSV is the only candidate while nothing is installed.
	StartingCSV string `json:"startingCSV,omitempty"`
	// VersionRange restricts the versions, for example ">=1.2.0 <2.0.0".
	VersionRange string `json:"versionRange,omitempty"`
	// InstalledCSV names the installed bundle that the subscription owns.
	InstalledCSV string `json:"installedCSV,omitempty"`
}

// Policy has the names of the options; empty means the default, the first of
// the values.
type Policy struct {
	// Upgrades is Catalog or SelfCertified.
	Upgrades string `json:"upgrades,omitempty"`
	// Compounds is Set or PerBundle.
	Compounds string `json:"compounds,omitempty"`
	// Goal is Newest, MinimalChange, Oldest or Nearest.
	Goal string `json:"goal,omitempty"`
	// Deprecations is Warn or Avoid.
	Deprecations string `json:"deprecations,omitempty"`
	// Failures is All or Partial.
	Failures string `json:"failures,omitempty"`
	// Unavailable is the policy for an unavailable catalog: Fail, Ignore
	// (resolve without it) or LastGood (use the last good snapshot).
	Unavailable string `json:"unavailable,omitempty"`
}

// Forbid excludes a bundle.
type Forbid struct {
	Bundle string `json:"bundle"`
	// Catalog ("namespace/name") restricts it to the bundle of one catalog.
	Catalog string `json:"catalog,omitempty"`
	// Message is the reason. A conflict that involves the exclusion quotes it.
	Message string `json:"message,omitempty"`
}
