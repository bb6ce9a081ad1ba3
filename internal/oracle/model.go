package oracle

// Problem is one resolution problem.
type Problem struct {
	Namespace     string
	Catalogs      []Catalog
	Cluster       Cluster
	Installed     []Installed
	Subscriptions []Subscription
	Policy        Policy
	Forbid        []Forbid
	Force         []Ref
	Added         []Added
	Relax         []Added // constraints that do not count
}

// Key names a catalog. The zero Key stands for none or any.
type Key struct{ Namespace, Name string }

// String returns "namespace/name", or nothing for the zero Key.
func (k Key) String() string {
	if k == (Key{}) {
		return ""
	}
	return k.Namespace + "/" + k.Name
}

// Catalog is a catalog with everything in it.
type Catalog struct {
	Key      Key
	Priority int
	Packages []Package
}

// Package is one package of a catalog.
type Package struct {
	Name     string
	Default  string
	Channels []Channel
	Bundles  []Bundle
	// Notes are the entries of its olm.deprecations blob.
	Notes []Note
	// Blobs is the number of olm.package blobs beyond the one that there must
	// be: with -1 (none) or 1 (two) the package is quarantined.
	Blobs int
}

// Note is an entry of an olm.deprecations blob: about a bundle if Bundle is
// set, about a channel if Channel is set, else about the package.
type Note struct{ Channel, Bundle, Message string }

// Channel is one channel of a package.
type Channel struct {
	Name    string
	Entries []Entry
}

// Entry is an entry of a channel. A zero SkipRange is none.
type Entry struct {
	Name      string
	Replaces  string
	Skips     []string
	SkipRange Range
}

// Bundle is what a bundle says of itself.
type Bundle struct {
	Name       string
	Version    Version
	Provides   []string // kinds; see API
	Labels     []string
	Extras     []Extra
	Deprecated bool // has olm.deprecated
	Requires   []Constraint
	// Defect makes the bundle unusable: it is quarantined.
	Defect Defect
}

// Extra is a property of an arbitrary type. Its value is the map {"tier":
// Tier} if Tier is set, else the string Text.
type Extra struct{ Type, Text, Tier string }

// Defect is what is wrong with a bundle.
type Defect string

// The defects of bundles.
const (
	Sound            Defect = ""
	BadVersion       Defect = "version"
	BadRule          Defect = "rule"
	UnknownKey       Defect = "key"
	MissingIdentity  Defect = "identity"
	ForeignIdentity  Defect = "foreign"
	TwoKindsAtOnce   Defect = "kinds"
	MalformedBinding Defect = "gvk"
)

// Kind is the kind of a constraint.
type Kind int

// The kinds of constraints. Labels can only be required by a property of their
// own, so a Label is only found at the top.
const (
	GVK Kind = iota
	Pkg
	Label
	CEL
	All
	Any
	Not
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
	// Kube is the version in the property olm.kubeversion; nil is no such
	// property.
	Kube *Version
	// APIs are the kinds that the cluster serves.
	APIs []string
}

// Installed is an installed bundle.
type Installed struct {
	Bundle  Bundle
	Package string
	// Bare leaves package, version and properties to the catalog's bundle of
	// the same name; only the name of Bundle counts then.
	Bare         bool
	Catalog      Key
	Channel      string
	Subscription string
	Automatic    bool
	ReplacedBy   string
}

// Subscription is a subscription. A zero Range is none.
type Subscription struct {
	Name         string
	Package      string
	Channel      string
	Catalog      Key
	StartingCSV  string
	Range        Range
	InstalledCSV string
	// Pin names the only bundle that may meet it.
	Pin string
}

// Policy is the policy of section 8.
type Policy struct {
	SelfCertified bool
	PerBundle     bool
	Goal          Goal
	Avoid         bool
	Partial       bool
}

// Goal is the goal of a policy.
type Goal int

// The goals.
const (
	Newest Goal = iota
	MinimalChange
	Oldest
)

// Ref names a bundle; a zero Catalog is any, and the installed ones.
type Ref struct {
	Catalog Key
	Name    string
}

// Forbid keeps a bundle out.
type Forbid struct {
	Bundle  Ref
	Message string
}

// Added is a constraint added to a bundle by the caller.
type Added struct {
	Bundle     Ref
	Constraint Constraint
}
