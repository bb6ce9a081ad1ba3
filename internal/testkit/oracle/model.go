package oracle

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/resolver"
)

// Problem is one resolution problem.
type Problem struct {
	Namespace     string    `shrink:"keep"`
	Catalogs      []Catalog `shrink:"keep"` // of which declared.Edits know more
	Cluster       Cluster
	Group         *resolver.OperatorGroup // nil: install modes are not looked at
	Installed     []Installed
	Subscriptions []Subscription
	Policy        resolver.Policy
	Forbid        []resolver.Forbidden
	Force         []Ref
	Added         []Added
	Relax         []Added // constraints that do not count
}

// The shapes of catalogs are those of all tests, with the bundles of this package, and
// those of what is asked for are the resolver's: plain data, of which nothing but the
// fields is looked at.
type (
	// Subscription is a subscription. A zero VersionRange is no range.
	Subscription = resolver.Subscription
	// Ref names a bundle; a zero Catalog is any, and the installed ones.
	Ref = cache.BundleRef
	// Key names a catalog. The zero Key stands for none or any.
	Key = cache.Key
	// Catalog is a catalog with everything in it.
	Catalog = declared.CatalogOf[Bundle]
	// Package is one package of a catalog.
	Package = declared.PackageOf[Bundle]
	// Channel is one channel of a package.
	Channel = declared.Channel
	// Entry is an entry of a channel.
	Entry = declared.Entry
)

// Bundle is what a bundle says of itself.
type Bundle struct {
	Name       string `shrink:"keep"`
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
	Type, Text, Tier string `shrink:"keep"`
}

// CSV is what a ClusterServiceVersion says that has to fit the cluster.
type CSV struct {
	Modes      []Mode
	MinKube    string   // minKubeVersion
	NativeAPIs []string // kinds; see API
}

// Mode is an install mode: OwnNamespace, SingleNamespace, MultiNamespace or
// AllNamespaces.
type Mode struct {
	Type      string `shrink:"keep"`
	Supported bool   `shrink:"keep"`
}

// Defect is what is wrong with a bundle.
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

// The kinds of constraints. Labels can only be required by a property of their
// own, so a Label is only found at the top.
const (
	GVK   Kind = "gvk"
	Pkg   Kind = "package"
	Label Kind = "label"
	CEL   Kind = "cel"
	All   Kind = "all"
	Any   Kind = "any"
	Not   Kind = "not"
)

// Constraint is one constraint with everything below it.
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

// Cluster is what the cluster offers by itself.
type Cluster struct {
	// Kube is the version in the property olm.kubeversion; nil leaves the
	// property to Kubernetes.
	Kube *Version
	// APIs are the kinds that the cluster serves.
	APIs []string
	// Kubernetes and OpenShift are the versions of the cluster, empty where they
	// are not known.
	Kubernetes, OpenShift string
	// CRDs are its resource definitions.
	CRDs []CRD
}

// CRD is a resource definition, of a bundle or of the cluster. All its versions are served,
// and objects are stored in the last one.
type CRD struct {
	Kind     string   `shrink:"keep"` // see API
	Versions []string `shrink:"keep"`
	// Stored are, on a cluster, the versions that objects may be stored in, and Elsewhere
	// says that an operator of another namespace owns the definition.
	Stored    []string `shrink:"keep"`
	Elsewhere bool
}

// Installed is an installed bundle. What is said of it may be incomplete, and may
// contradict its properties.
type Installed struct {
	// Bundle has its name and the properties that are given. Its Version and
	// Release are those of its olm.package property.
	Bundle Bundle
	// Package is the package that is given, empty if none is.
	Package string
	// Version is the version that is given, nil if none is.
	Version *Version
	// Identity is the package that its olm.package property names, if that is
	// not Package. There is no such property if both are empty, or if
	// Bundle.Defect is MissingIdentity.
	Identity string
	// Bare says that no properties are given at all: only the name of Bundle
	// counts then.
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
