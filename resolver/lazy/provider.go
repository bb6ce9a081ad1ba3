package lazy

import (
	"context"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Provider provides one catalog piece by piece. Each method gets a batch, which it may fetch in
// parallel (see [Each]), and returns one result for each item in the same order. Methods return
// soon after the context ends. A session calls one method of a provider at a time.
//
// A session keeps every result, absence included; of a call that fails it keeps nothing.
type Provider interface {
	// Packages returns packages by name, nil for a package that does not exist.
	Packages(ctx context.Context, names []string) ([]*Package, error)
	// Details returns the contents of versions that Packages listed.
	Details(ctx context.Context, versions []Ref) ([]Details, error)
	// Find returns the versions that each query selects, in any order. If packages depend on each
	// other by name alone, it returns an empty list for each.
	Find(ctx context.Context, queries []Query) ([][]Ref, error)
}

// Ref names a version of a package. Name is the name of the version: see [Version].
type Ref struct{ Package, Name string }

// Package is a package without the contents of its versions.
type Package struct {
	// Versions are its versions. Without Channels they are sorted, highest first, and distinct.
	Versions []Version
	// Channels are its channels. If there are none, the package has one channel, named
	// DefaultChannel or [DefaultChannel], in which each version replaces the next lower one.
	Channels       []graph.ChannelDecl
	DefaultChannel string
	// Deprecations only add warnings.
	Deprecations []graph.DeprecationDecl
	// Flaws quarantine the package: it has no candidates.
	Flaws []graph.Flaw
}

// DefaultChannel is the name of the channel of a package without channels.
const DefaultChannel = "versions"

// Version is one version of a package, without its contents. It becomes a bundle.
type Version struct {
	// Name is the name of the bundle, unique in the package. Empty means the package and the
	// version: "etcd.v1.2.3".
	Name    string
	Version semver.Version
	Release properties.Release
	Image   string
	// Payload is copied to steps, candidates and rejections.
	Payload any
	// Barred excludes the version from new selections, as the property olm.deprecated does.
	Barred bool
	// Flaws quarantine the version, as those of its contents do: it is no candidate.
	Flaws []graph.Flaw
}

// Details are the contents of a version.
type Details struct {
	// Requires are its constraints, in order. Their ranges may be functions ([properties.NewRange]).
	Requires []constraints.Constraint
	// Properties are its properties: provided APIs, labels, constraints in JSON, and others.
	// Constraints among them come first. The property olm.package may be left out.
	Properties properties.Set
	// Compatibility and Metadata are as in [graph.BundleDecl].
	Compatibility *properties.Compatibility
	Metadata      *properties.Metadata
	// Payload replaces that of the version, unless it is nil.
	Payload any
	// Flaws quarantine the version.
	Flaws []graph.Flaw
}

// Query selects versions of all packages: [ByAPI], [ByLabel], [ByRule] or [ByName].
type Query interface{ query() }

// ByAPI selects the versions that provide an API.
type ByAPI struct{ API properties.GVK }

// ByLabel selects the versions that have a label.
type ByLabel struct{ Label string }

// ByRule selects the versions that may satisfy a rule by themselves: a [*constraints.CEL], or, under
// the policy PerBundle, a compound with a negation.
type ByRule struct{ Rule constraints.Constraint }

// ByName selects the versions of a name. It is asked for bundles that a request names without
// their package.
type ByName struct{ Name string }

func (ByAPI) query()   {}
func (ByLabel) query() {}
func (ByRule) query()  {}
func (ByName) query()  {}
