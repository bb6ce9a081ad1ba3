package resolver

import (
	"fmt"
	"iter"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// Request is one resolution problem: what is installed, what is asked for, and
// the catalogs that may answer it (section 1 of the semantics).
//
// A Request is plain data. The resolver reads it and never writes it, so that
// one Request may be resolved by several goroutines at once as long as nobody
// changes it meanwhile.
type Request struct {
	// Namespace is the scope being resolved. All rules hold inside it; a
	// catalog of the same namespace is preferred to others of equal priority.
	Namespace string

	// Catalogs are the snapshots to choose from, each with a distinct key.
	// Their order has no meaning: priority and key decide.
	Catalogs []Catalog

	// Installed are the bundles that are on the cluster already, each with a
	// distinct name. Their order is the order of their decisions.
	Installed []Installed

	// Subscriptions are what the user asks for, each with a distinct name, the
	// most important first: where two compete, the first gets its best.
	Subscriptions []Subscription

	// Extensions are what the user asks for in the manner of OLM v1 (section 13),
	// instead of subscriptions.
	Extensions []Extension

	// Cluster describes the cluster itself.
	Cluster Cluster

	// OperatorGroup says which namespaces the operators of this one are to watch.
	// Nil means that this is not known: install modes are not looked at.
	OperatorGroup *OperatorGroup

	// Policy holds the options of section 8; the zero value is the default.
	Policy Policy

	// Forbid lists bundles that must not be in the result set.
	Forbid []Forbidden

	// Veto, if it is set, is asked for each bundle of a catalog that the request reaches,
	// once in each problem that the resolver makes of the request (one more if there is no
	// solution): a bundle for which it returns a message is forbidden, and the message says
	// why. Of what nothing asks for it is not asked, nor of installed bundles.
	//
	// It has to say the same of a bundle always, or answers and explanations contradict each
	// other, and has to be safe for concurrent use if the request is resolved so. It costs
	// its own time for each bundle, and a look into a map. What Forbid lists need not be
	// asked for. Changes cannot allow again what it forbids.
	Veto func(catalog cache.Key, b *graph.Bundle) string

	// Force lists bundles that must be in the result set, as a what-if would
	// ask. They are decided after the subscriptions, in this order.
	Force []BundleRef

	// Constraints are added to bundles by the caller, as if the bundle had
	// declared them after its own.
	Constraints []BundleConstraint

	// Relax lists constraints of bundles that do not count.
	Relax []BundleConstraint
}

// Catalog is one catalog of a [Request]: a snapshot under a key.
type Catalog struct {
	// Key names the catalog, unique in a request.
	Key cache.Key
	// Priority orders catalogs; higher is better. The default is 0.
	Priority int
	// Labels are what extensions select catalogs by.
	Labels map[string]string
	// Content is the snapshot. It may be shared by any number of requests.
	Content *cache.Catalog
	// Unavailable says why the catalog could not be read, nil if it could.
	// With Content, the content is the last good snapshot. What is done about
	// it is up to [Policy.Unavailable].
	Unavailable error
}

// Catalogs makes the catalogs of a [Request] from one view of a [cache.Cache]: all
// of them, with their priorities, in the order of the snapshot. One that cannot
// be read comes with its error and with its last good content if there is one;
// what is done about it is up to [Policy.Unavailable] (section 8 of the
// semantics). The contents are shared, not copied. A nil snapshot has no catalogs.
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

// Packages goes through the packages of a name that the catalogs have, with the catalog
// of each, in the order of the request: that of one catalog, or those of all if the key
// is zero.
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

// Installed is a bundle that is on the cluster.
type Installed struct {
	// Name is the name of the bundle, for example "etcd.v0.9.2".
	Name string
	// Package is its package. If it is empty it is that of Properties, else that
	// of the subscription that owns the bundle, else the only package in the
	// catalogs that has a bundle of this name. If none of these says it, the
	// package is unknown: the bundle takes part with its APIs and constraints, and
	// no rule about packages holds for it.
	Package string
	// PackageUnknown says that Package is empty because nobody knows it, and that none
	// of these is to say it.
	PackageUnknown bool
	// Version is its version, taken as it is; nil means that Properties, or else
	// the catalog's bundle of the same name, say it. If neither does, it is
	// unknown, and inside no range.
	Version *semver.Version
	// Properties are its properties. A nil pointer stands for those of the
	// catalog's bundle of the same name: that of Catalog if it is set, else
	// that of the best catalog that has one.
	Properties *properties.Set
	// Catalog and Channel are where it came from; both may be zero.
	Catalog cache.Key
	Channel string
	// Subscription names the subscription that owns it, as the subscription's
	// InstalledCSV does from the other side; either is enough.
	Subscription string
	// Automatic says that it came in only as a dependency of others: when
	// nothing needs it any more, it is reported as an orphan. If no subscription
	// owns it, a generated one does, provided that Catalog and Channel are given
	// or there is only one place that it can have come from (section 5).
	Automatic bool
	// Payload is a value of the caller that comes back with steps, candidates and
	// rejections; nil stands for that of the catalog's bundle of the same name. Nothing
	// looks at it.
	Payload any
	// ReplacedBy names another installed bundle that is taking over from this
	// one, which then counts for nothing any more.
	ReplacedBy string
}

// Subscription asks for an operator and for its updates.
type Subscription struct {
	// Name identifies the subscription in the request and in answers.
	Name string
	// Package is the package to install.
	Package string
	// Channels narrows the subscription to these channels, in the order of
	// preference. Empty means every channel of the package, the default channel
	// first, then by name.
	Channels []string
	// Catalog narrows it to one catalog. The zero key means all, best first.
	Catalog cache.Key
	// StartingCSV is the only bundle to choose while nothing is installed.
	StartingCSV string
	// VersionRange keeps the versions inside it. The zero value keeps all.
	VersionRange properties.Range
	// InstalledCSV names the installed bundle that this subscription owns.
	// If it names nothing that is installed, the subscription is a new one.
	InstalledCSV string
	// Hold says why the operator stays where it is: an upgrade that nobody
	// approved, an operator that says that it is not upgradeable. Empty means that
	// it may move. While nothing is installed there is nothing to hold.
	Hold string
	// Pin keeps one of the candidates alone, the installed bundle included:
	// the subscription is met by the bundle of this name or not at all.
	Pin string
	// Generated says that the subscription came with a dependency (section 5):
	// such subscriptions are decided after all others, by name.
	Generated bool
}

// distinctChannels are the channels in the order of preference, each once.
func (s *Subscription) distinctChannels() []string {
	if len(s.Channels) < 2 {
		return s.Channels
	}
	return text.Distinct(s.Channels)
}

// Cluster is what the cluster offers without any of the bundles.
type Cluster struct {
	// Properties are visible to CEL rules as the list "cluster". If there are
	// none and KubernetesVersion is set, they see it as olm.kubeversion.
	Properties properties.Set
	// KubernetesVersion is the version of Kubernetes, for example "1.33.0" or
	// "v1.33"; empty if it is not known. Bundles may need a later one.
	KubernetesVersion string
	// OpenShiftVersion is the version of OpenShift, "4.20" or "4.20.3"; empty if it
	// is not known or the cluster is not OpenShift. Bundles may not work on a later one.
	OpenShiftVersion string
	// APIs are served by the cluster itself: they satisfy gvk constraints and
	// clash with nobody.
	APIs []properties.GVK
	// CRDs are the resource definitions that the cluster has, each with a distinct name:
	// their versions, those that objects are stored in, and the operators of all namespaces
	// that own them (section 14). Only those count that a bundle in reach brings as well.
	// A definition serves nothing by itself: see APIs. Without any, nothing is looked at.
	CRDs []properties.CRD
}

// visible are the properties of the cluster that CEL rules see.
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

// OperatorGroup is the namespaces that the operators of a namespace are to watch.
type OperatorGroup struct {
	// TargetNamespaces are their names. An empty list stands for all namespaces.
	TargetNamespaces []string `json:"targetNamespaces"`
}

// BundleRef names a bundle of a catalog, or an installed one.
type BundleRef = cache.BundleRef

// Forbidden is a bundle that must not be in the result set.
type Forbidden struct {
	Bundle BundleRef
	// Message says why; it is shown where the prohibition matters.
	Message string
}

// BundleConstraint is a constraint of a bundle: one that the caller adds, or one that
// does not count.
type BundleConstraint struct {
	Bundle BundleRef
	// Constraint is what the bundle shall require; its failure message is shown where it
	// cannot hold. Of one that does not count, every constraint of the bundle that means
	// the same formula is relaxed; nil relaxes all of them.
	Constraint constraints.Constraint
}
