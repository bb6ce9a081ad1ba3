package resolver

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// Request is one resolution problem: the installed bundles, the demands, and the catalogs to
// select from (section 1 of the semantics).
//
// A Request is plain data. The resolver does not modify it, so several goroutines may resolve
// one Request at once.
type Request struct {
	// Namespace is the namespace to resolve. Catalogs in it are preferred over others of equal
	// priority.
	Namespace string

	// Catalogs are the catalogs to select from, each with a distinct key. Their order has no
	// effect: priority and key decide.
	Catalogs []Catalog

	// Installed are the bundles installed on the cluster, each with a distinct name. Their
	// decisions are made in this order.
	Installed []Installed

	// Subscriptions are the requested operators, each with a distinct name, in descending order
	// of importance: if two compete, the first gets its best candidate.
	Subscriptions []Subscription

	// Extensions are the requested operators under OLM v1 (section 13). A request has extensions
	// or subscriptions, not both.
	Extensions []Extension

	Cluster Cluster

	// OperatorGroup lists the namespaces that the operators watch. If it is nil, install modes
	// are not checked.
	OperatorGroup *OperatorGroup

	// Policy holds the options of section 8; the zero value is the default.
	Policy Policy

	// Now is the time that rules of the policy see as the variable now; zero if they need none.
	// No answer depends on the clock.
	Now time.Time

	// Forbid lists bundles that must not be in the result set.
	Forbid []Forbidden

	// Veto, if not nil, forbids each catalog bundle for which it returns a non-empty reason. It
	// is called once for each reachable bundle in each problem that the resolver builds from the
	// request (one more if there is no solution). It is not called for unreachable or installed
	// bundles, nor for those that Forbid lists.
	//
	// If Veto cannot decide, it returns an error. The resolution then ends with a [*VetoError],
	// or with an [*IncompleteError] if ctx has ended. The resolver cannot interrupt Veto: a Veto
	// that takes long must return when ctx ends.
	//
	// Veto must return the same reason for the same bundle, and must be safe for concurrent use
	// if the request is resolved concurrently. A [Change] cannot allow a bundle that Veto
	// forbids.
	Veto func(ctx context.Context, catalog cache.Key, b *graph.Bundle) (reason string, err error)

	// Force lists bundles that must be in the result set. They are decided after the
	// subscriptions, in this order.
	Force []BundleRef

	// Constraints are additional constraints of bundles, appended to the declared ones.
	Constraints []BundleConstraint

	// Relax lists constraints of bundles to ignore.
	Relax []BundleConstraint
}

// Catalog is one catalog of a [Request]: a snapshot under a key.
type Catalog struct {
	// Key names the catalog, unique in a request.
	Key cache.Key
	// Priority orders catalogs; higher is better. The default is 0.
	Priority int
	// Labels are the labels by which extensions select catalogs.
	Labels map[string]string
	// Content is the snapshot. It may be shared by any number of requests.
	Content *cache.Catalog
	// Unavailable is the reason why the catalog could not be read; nil if it could. Content is
	// then the last good snapshot, if any. [Policy.Unavailable] determines the effect.
	Unavailable error
}

// Catalogs returns all catalogs of a cache snapshot, with their priorities and in its order. A
// catalog that could not be read has its error, and its last good content if there is any;
// [Policy.Unavailable] determines the effect (section 8 of the semantics). The contents are
// shared, not copied. A nil snapshot has no catalogs.
func Catalogs(s *cache.Snapshot) []Catalog {
	if s == nil {
		return nil
	}
	list := s.Catalogs()
	out := make([]Catalog, len(list))
	for i, c := range list {
		out[i] = Catalog{Key: c.Key, Priority: c.Priority, Content: c.Content, Unavailable: c.Unavailable}
	}
	return out
}

// Packages iterates over the packages of a name with their catalogs, in the order of the
// request: in the given catalog, or in all if the key is zero.
func (req *Request) Packages(catalog cache.Key, name string) iter.Seq2[*Catalog, *graph.Package] {
	return func(yield func(*Catalog, *graph.Package) bool) {
		for i := range req.Catalogs {
			c := &req.Catalogs[i]
			if c.Content == nil || !catalog.IsZero() && c.Key != catalog {
				continue
			}
			if pkg := c.Content.Package(name); pkg != nil && !yield(c, pkg) {
				return
			}
		}
	}
}

// Installed is a bundle installed on the cluster.
type Installed struct {
	// Name is the name of the bundle, for example "etcd.v0.9.2".
	Name string
	// Package is its package. If empty, it is the package of Properties, else that of the owning
	// subscription, else the only package in the catalogs that has a bundle of this name. If
	// none of these exists, the package is unknown: the APIs and constraints of the bundle
	// count, but no rule about packages applies to it.
	Package string
	// PackageUnknown reports that the package is unknown and must not be derived. Package must
	// be empty.
	PackageUnknown bool
	// Version is its version. If nil, it is that of Properties, else that of the catalog bundle
	// of the same name. An unknown version is outside every range.
	Version *semver.Version
	// Release is its release among the bundles of its version. If empty, it is that of Properties,
	// else that of the catalog bundle of the same name and version, else the build metadata of the
	// version. Only extensions use it.
	Release properties.Release
	// Properties are its properties. If nil, they are those of the catalog bundle of the same
	// name, in Catalog if it is set, else in the best catalog that has one.
	Properties *properties.Set
	// Catalog and Channel are its origin; both may be zero.
	Catalog cache.Key
	Channel string
	// Subscription is the name of the owning subscription. Setting it or InstalledCSV of the
	// subscription is enough.
	Subscription string
	// Automatic reports whether the bundle was installed only as a dependency. It is reported as
	// orphaned when nothing requires it any more. If no subscription owns it, one is generated,
	// provided that its catalog and channel are given or unambiguous (section 5).
	Automatic bool
	// Payload is an opaque value that is copied to steps, candidates and rejections. Nil means
	// the payload of the catalog bundle of the same name.
	Payload any
	// ReplacedBy is the name of the installed bundle that is replacing this one, which is then
	// ignored.
	ReplacedBy string
}

// Subscription requests an operator and its upgrades.
type Subscription struct {
	// Name identifies the subscription in the request and in answers.
	Name string
	// Package is the package to install.
	Package string
	// Channels restricts the subscription to these channels, in order of preference. Empty means
	// every channel of the package, the default channel first, then by name.
	Channels []string
	// Catalog restricts it to one catalog. The zero key means all, best first.
	Catalog cache.Key
	// StartingCSV is the only candidate while nothing is installed.
	StartingCSV string
	// VersionRange restricts the version. The zero value allows all.
	VersionRange properties.Range
	// InstalledCSV is the name of the installed bundle that the subscription owns. If no such
	// bundle is installed, the subscription owns nothing.
	InstalledCSV string
	// Hold, if not empty, keeps the installed operator at its version and is the reason: an
	// unapproved upgrade, for example, or an operator that is not upgradeable. It has no effect
	// while nothing is installed.
	Hold string
	// Pin is the name of the only bundle that satisfies the subscription, the installed one
	// included. Empty allows all candidates.
	Pin string
	// Generated reports whether the subscription was generated for a dependency (section 5).
	// Such subscriptions are decided after all others, by name.
	Generated bool
}

// distinctChannels returns the channels in order of preference, without duplicates.
func (s *Subscription) distinctChannels() []string {
	if len(s.Channels) < 2 {
		return s.Channels
	}
	return text.Distinct(s.Channels)
}

// Cluster describes what the cluster provides by itself.
type Cluster struct {
	// Properties are visible to CEL rules as the list "cluster". If empty, the list has the
	// property olm.kubeversion with KubernetesVersion.
	Properties properties.Set
	// KubernetesVersion is the version of Kubernetes, for example "1.33.0" or "v1.33"; empty if
	// unknown. Bundles may require a minimum.
	KubernetesVersion string
	// OpenShiftVersion is the version of OpenShift, "4.20" or "4.20.3"; empty if unknown or not
	// OpenShift. Bundles may have a maximum.
	OpenShiftVersion string
	// APIs are the APIs that the cluster serves. They satisfy gvk constraints and conflict with
	// no bundle.
	APIs []properties.GVK
	// CRDs are the resource definitions on the cluster, each with a distinct name: their
	// versions, stored versions, and owners in all namespaces (section 14). Only definitions
	// that a reachable bundle provides matter. A definition does not satisfy gvk constraints:
	// see APIs.
	CRDs []properties.CRD
}

// visible returns the properties that CEL rules see.
func (c *Cluster) visible() properties.Set {
	v, err := properties.ParseKubernetesVersion(c.KubernetesVersion)
	if c.Properties.Len() > 0 || err != nil {
		return c.Properties
	}
	p, err := properties.New("olm.kubeversion", fmt.Appendf(nil, `{"version":%q}`, v))
	if err != nil {
		return c.Properties
	}
	return properties.NewSet(p)
}

// OperatorGroup lists the namespaces that the operators of a namespace watch.
type OperatorGroup struct {
	// TargetNamespaces are the names of the namespaces. Empty means all namespaces.
	TargetNamespaces []string `json:"targetNamespaces"`
}

// BundleRef names a bundle of a catalog, or an installed one.
type BundleRef = cache.BundleRef

// Key names a catalog.
type Key = cache.Key

// Forbidden is a bundle that must not be in the result set.
type Forbidden struct {
	Bundle BundleRef
	// Message is the reason; explanations quote it.
	Message string
}

// BundleConstraint is a constraint of a bundle to add or to ignore.
type BundleConstraint struct {
	Bundle BundleRef
	// Constraint is the constraint to add; explanations quote its failure message. To ignore
	// constraints, it selects every constraint of the bundle with the same formula; nil selects
	// all.
	Constraint constraints.Constraint
}
