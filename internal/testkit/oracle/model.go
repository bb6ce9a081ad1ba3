package oracle

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/resolver"
)

// Problem is one resolution problem.
type Problem struct {
	Namespace     string
	Catalogs      []Catalog
	Cluster       Cluster
	Group         *resolver.OperatorGroup // nil: install modes are ignored
	Installed     []Installed
	Subscriptions []Subscription
	Policy        resolver.Policy
	Forbid        []resolver.Forbidden
	Force         []Ref
	Added         []Added
	Relax         []Added // ignored constraints
}

// Tests share the catalog shapes, with the bundles of this package. The
// demands are the resolver's plain data; only their fields are read.
type (
	// Subscription is a subscription. A zero VersionRange is no range.
	Subscription = resolver.Subscription
	// Ref names a bundle; a zero Catalog matches any catalog and installed
	// bundles.
	Ref = cache.BundleRef
	// Key names a catalog. The zero Key means none or any.
	Key = cache.Key
	// Catalog is a catalog with its packages.
	Catalog = declared.CatalogOf[Bundle]
	// Package is one package of a catalog.
	Package = declared.PackageOf[Bundle]
	// Channel is one channel of a package.
	Channel = declared.Channel
	// Entry is an entry of a channel.
	Entry = declared.Entry
)

// Bundle is the declared content of a bundle.
type Bundle struct {
	Name       string
	Version    Version
	Release    string   // of its olm.package
	Provides   []string // kinds; see API
	Labels     []string
	Extras     []Extra
	Deprecated bool // has olm.deprecated
	Requires   []Constraint
	// Metadata is its olm.csv.metadata, Object the ClusterServiceVersion in its
	// olm.bundle.object. CEL rules see neither property.
	Metadata, Object *CSV
	// Defines are the resource definitions among its manifests.
	Defines      []CRD
	MaxOpenShift []string // the values of olm.maxOpenShiftVersion
	// Defect makes the bundle unusable: it is quarantined.
	Defect Defect
}

// Extra is a property of an arbitrary type. Its value is the map {"tier":
// Tier} if Tier is set, else the string Text.
type Extra struct {
	Type, Text, Tier string
}

// CSV is the part of a ClusterServiceVersion that compatibility depends on.
type CSV struct {
	Modes      []Mode
	MinKube    string   // minKubeVersion
	NativeAPIs []string // kinds; see API
}

// Mode is an install mode: OwnNamespace, SingleNamespace, MultiNamespace or
// AllNamespaces.
type Mode struct {
	Type      string
	Supported bool
}

// Defect is a defect of a bundle.
type Defect string

// The defects of bundles.
const (
	Sound            Defect = ""
	BadVersion       Defect = "version"
	BadRelease       Defect = "release"
	BadRule          Defect = "rule"
	UnknownKey       Defect = "key"
	MissingIdentity  Defect = "identity"
	ForeignIdentity  Defect = "foreign"
	TwoKindsAtOnce   Defect = "kinds"
	MalformedBinding Defect = "gvk"
)

// Kind is the kind of a constraint.
type Kind string

// The kinds of constraints. Labels need a property of their own, so Label
// occurs only at the top level.
const (
	GVK   Kind = "gvk"
	Pkg   Kind = "package"
	Label Kind = "label"
	CEL   Kind = "cel"
	All   Kind = "all"
	Any   Kind = "any"
	Not   Kind = "not"
)

// Constraint is a constraint with its children.
type Constraint struct {
	Kind    Kind
	Name    string // the required kind (GVK), package (Pkg) or label (Label)
	Range   Range  // Pkg
	Rule    *Rule  // CEL
	Of      []Constraint
	Message string
	// Plain writes it as a property of its own type, for example
	// olm.gvk.required, instead of as an olm.constraint.
	Plain bool
}

// Cluster has the properties of the cluster.
type Cluster struct {
	// Kube is the version in the property olm.kubeversion; nil leaves the
	// property to Kubernetes.
	Kube *Version
	// APIs are the kinds that the cluster serves.
	APIs []string
	// Kubernetes and OpenShift are the versions of the cluster, empty if
	// unknown.
	Kubernetes, OpenShift string
	// CRDs are its resource definitions.
	CRDs []CRD
}

// CRD is a resource definition, of a bundle or of the cluster. All its versions are served,
// and objects are stored in the last one.
type CRD struct {
	Kind     string // see API
	Versions []string
	// Stored lists, on a cluster, the versions of stored objects. Elsewhere
	// marks a definition owned by an operator in another namespace.
	Stored    []string
	Elsewhere bool
}

// Installed is an installed bundle. Its data may be incomplete and may
// contradict its properties.
type Installed struct {
	// Bundle has its name and the given properties. Its Version and Release
	// belong to its olm.package property.
	Bundle Bundle
	// Package is the given package, or "".
	Package string
	// Version is the given version, or nil.
	Version *Version
	// Identity is the package in its olm.package property if it differs from
	// Package. There is no such property if both are empty, or if
	// Bundle.Defect is MissingIdentity.
	Identity string
	// Bare means that no properties are given: only the name of Bundle counts.
	Bare         bool
	Catalog      Key
	Channel      string
	Subscription string
	Automatic    bool
	ReplacedBy   string
}

// Added is a constraint added to a bundle by the caller.
type Added struct {
	Bundle     Ref
	Constraint Constraint
}
