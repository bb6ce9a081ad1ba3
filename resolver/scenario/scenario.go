package scenario

import (
	"encoding/json"
	"io/fs"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Scenario is one resolution problem, as its file says it. Texts (versions,
// ranges, keys of catalogs, names of policies) are kept as written, so that
// reading and writing returns the same; [Scenario.Validate] says whether they
// mean something.
//
// A Scenario is plain data and may be built by a program as well. It is not
// changed by this package once read.
type Scenario struct {
	// Namespace is the scope being resolved; empty stands for "default".
	Namespace string `json:"namespace,omitempty"`
	// Catalogs are the catalogs to choose from.
	Catalogs []Catalog `json:"catalogs,omitempty"`
	// Cluster describes the cluster itself.
	Cluster Cluster `json:"cluster,omitzero"`
	// OperatorGroup says which namespaces the operators are to watch; nil means
	// that this is not known.
	OperatorGroup *resolver.OperatorGroup `json:"operatorGroup,omitempty"`
	// Installed are the bundles that are on the cluster already.
	Installed []Installed `json:"installed,omitempty"`
	// Subscriptions are what is asked for, the most important first.
	Subscriptions []Subscription `json:"subscriptions,omitempty"`
	// Extensions are what is asked for in the manner of OLM v1, instead: a Pin has no place
	// in a file.
	Extensions []resolver.Extension `json:"extensions,omitempty"`
	// Policy holds the options of section 8 of the semantics.
	Policy resolver.Policy `json:"policy,omitzero"`
	// Forbid lists bundles that must not be chosen.
	Forbid []Forbid `json:"forbid,omitempty"`
	// Relax lists constraints of bundles that do not count.
	Relax []Relax `json:"relax,omitempty"`
	// WhatIf lists changed problems, each to be answered as well.
	WhatIf []WhatIf `json:"whatif,omitempty"`
	// Expect is the part of the answer that a test compares, a JSON object in
	// the shape of [Answer] with any of its keys. It is nil if nothing is
	// expected.
	Expect json.RawMessage `json:"expect,omitempty"`

	origin origin
}

type origin struct {
	file  string                    // as the caller named it
	fsys  fs.FS                     // nil for the file system of the operating system
	lines map[string]int            // line of each part of the file, by its path
	nodes map[string]*document.Node // what raw JSON was made of, by its path
}

// DefaultNamespace is the namespace of a scenario that names none.
const DefaultNamespace = "default"

// Catalog is one catalog: exactly one of Path, Image and Blobs says where its
// content is.
type Catalog struct {
	// Name is required.
	Name string `json:"name"`
	// Namespace is empty for the scenario's own.
	Namespace string `json:"namespace,omitempty"`
	// Priority orders catalogs; higher is better.
	Priority int `json:"priority,omitempty"`
	// Path leads to a file-based catalog: a directory, or one .yaml, .json or
	// .jsonl file, each also with .gz. It is relative to the scenario's file.
	Path string `json:"path,omitempty"`
	// Image is a container image with a file-based catalog, for example
	// quay.io/operatorhubio/catalog:latest: see package cache/image. It is only
	// read by a [Loader] with Images. A path in it, as in oci:DIRECTORY, is
	// relative to the scenario's file.
	Image string `json:"image,omitempty"`
	// ImageTemplate is what the image of the catalog is made of for each version of
	// Kubernetes, as the annotation olm.catalogImageTemplate of a CatalogSource says, for
	// example quay.io/NAME:v{kube_major_version}.{kube_minor_version}. A resolution does
	// not look at it.
	ImageTemplate string `json:"imageTemplate,omitempty"`
	// Labels are what extensions select catalogs by.
	Labels map[string]string `json:"labels,omitempty"`
	// Blobs are the blobs of a file-based catalog, in place.
	Blobs []json.RawMessage `json:"blobs,omitzero"`
}

// Cluster is what the cluster offers without any bundle.
type Cluster struct {
	// ID identifies the cluster: scenarios of one ID are one cluster in reports about
	// several clusters. It may be empty.
	ID string `json:"id,omitempty"`
	// Name is what people call the cluster: reports name it by that. It may be empty, and
	// changes no answer.
	Name string `json:"name,omitempty"`
	// Properties are visible to CEL rules. Without any they see
	// KubernetesVersion as olm.kubeversion.
	Properties []Property `json:"properties,omitempty"`
	// KubernetesVersion and OpenShiftVersion ("4.20", or a whole version) are
	// empty if they are not known.
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	OpenShiftVersion  string `json:"openshiftVersion,omitempty"`
	// APIs are served by the cluster itself.
	APIs []properties.GVK `json:"apis,omitempty"`
	// CRDs are the resource definitions that the cluster has, with the operators of all
	// namespaces that own them.
	CRDs []properties.CRD `json:"crds,omitempty"`
}

// Property is one property of the cluster or of an installed bundle.
type Property struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// Installed is a bundle that is on the cluster already.
type Installed struct {
	// Name is required.
	Name string `json:"name"`
	// Package and Version may be left out where the properties, the subscription
	// that owns the bundle, or a catalog that knows it by name say them. An empty
	// Package says that it is not known, and nothing says it then.
	Package *string `json:"package,omitempty"`
	Version string  `json:"version,omitempty"`
	// Catalog ("namespace/name") and Channel are where it came from, if known.
	Catalog string `json:"catalog,omitempty"`
	Channel string `json:"channel,omitempty"`
	// Automatic says that it came in only as a dependency.
	Automatic bool `json:"automatic,omitempty"`
	// ReplacedBy names another installed bundle that is taking over.
	ReplacedBy string `json:"replacedBy,omitempty"`
	// Properties default to those of the catalog's bundle of the same name if
	// they are nil; an empty list says that the bundle has none.
	Properties []Property `json:"properties,omitzero"`
}

// Subscription asks for an operator and for its updates. Name and Package are
// required.
type Subscription struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	// Channel, or Channels in the order of preference, and Catalog
	// ("namespace/name") narrow it.
	Channel  string   `json:"channel,omitempty"`
	Channels []string `json:"channels,omitempty"`
	// Hold says why the operator stays where it is.
	Hold    string `json:"hold,omitempty"`
	Catalog string `json:"catalog,omitempty"`
	// StartingCSV is the only bundle to choose while nothing is installed.
	StartingCSV string `json:"startingCSV,omitempty"`
	// VersionRange keeps the versions inside it.
	VersionRange string `json:"versionRange,omitempty"`
	// InstalledCSV names the installed bundle that the subscription owns.
	InstalledCSV string `json:"installedCSV,omitempty"`
}

// Forbid keeps a bundle out of the result set.
type Forbid struct {
	// Bundle is required.
	Bundle string `json:"bundle"`
	// Catalog ("namespace/name") narrows it to the bundle of one catalog.
	Catalog string `json:"catalog,omitempty"`
	// Message says why; it is shown where the prohibition matters.
	Message string `json:"message,omitempty"`
}

// Relax makes a constraint of a bundle not count, as if its author had left it out.
type Relax struct {
	// Bundle is required.
	Bundle string `json:"bundle"`
	// Catalog ("namespace/name") narrows it to the bundle of one catalog.
	Catalog string `json:"catalog,omitempty"`
	// Constraint is the property of the bundle that holds the constraint, such as
	// {type: olm.package.required, value: {packageName: etcd, versionRange: ">=0.9.0"}};
	// nil relaxes all constraints of the bundle.
	Constraint *Property `json:"constraint,omitempty"`
}

// WhatIf is a changed problem. Its changes apply together: first what is
// dropped, then what is added, then the others.
type WhatIf struct {
	// Name is required and distinguishes the what-ifs of a scenario.
	Name string `json:"name"`
	// Drop names subscriptions and installed bundles to leave out.
	Drop Drop `json:"drop,omitzero"`
	// Add holds subscriptions and installed bundles to append.
	Add Add `json:"add,omitzero"`
	// Pin says by which bundle a subscription is to be met.
	Pin map[string]string `json:"pin,omitempty"`
	// Forbid lists bundles that must not be chosen, beside those of the base.
	Forbid []Forbid `json:"forbid,omitempty"`
	// Force lists bundles that must be in the result set.
	Force []string `json:"force,omitempty"`
	// Priority gives catalogs ("namespace/name") another priority.
	Priority map[string]int `json:"priority,omitempty"`
}

// Drop names what a what-if leaves out.
type Drop struct {
	Subscriptions []string `json:"subscriptions,omitempty"`
	Installed     []string `json:"installed,omitempty"`
}

// Add holds what a what-if appends.
type Add struct {
	Subscriptions []Subscription `json:"subscriptions,omitempty"`
	Installed     []Installed    `json:"installed,omitempty"`
}

// File returns the name of the file that the scenario was read from, empty if it
// was built by a program.
func (s *Scenario) File() string { return s.origin.file }
