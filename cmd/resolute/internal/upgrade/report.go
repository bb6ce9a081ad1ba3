package upgrade

import (
	"cmp"
	"slices"
)

// Report is what to do before a cluster is upgraded to its next version, in the form of its JSON.
type Report struct {
	// ClusterName is the name of the cluster in the scenarios, if any.
	ClusterName string `json:"name,omitempty"`
	// File is the name of the scenario, if there is one, and Files all of them if several describe
	// one cluster; Cluster is the ID of the cluster, if the scenarios have one.
	File    string   `json:"file,omitempty"`
	Files   []string `json:"files,omitempty"`
	Cluster string   `json:"cluster,omitempty"`
	// Status is the worst of all verdicts.
	Status Status `json:"status"`
	// Error is the fault of an invalid scenario, or the reason for stopping.
	Error string `json:"error,omitempty"`
	// Operators are the installed bundles in the order of the request, then the subscriptions or
	// extensions without one. If the cluster is blocked, those that block it come first.
	Operators []Operator `json:"operators"`
	// NotInstallable are the subscriptions or extensions without an installed bundle that cannot be
	// satisfied today either: the next version does not change this, and they block nothing.
	NotInstallable []Operator `json:"notInstallable,omitempty"`
	// Order has all actions in the order in which to execute them. If the cluster is blocked, the
	// move is omitted: steps after it apply once the cluster can be upgraded.
	Order []Step `json:"order"`
	// Notes concern the cluster as a whole, and change no verdict.
	Notes []Reason `json:"notes,omitempty"`
}

// Status says whether a cluster may be upgraded.
type Status string

// The values of [Status], each worse than the one before.
const (
	// Ready: nothing has to be done.
	Ready Status = "ready"
	// After: something has to be updated once the cluster has moved.
	After Status = "after"
	// Before: something has to be updated before the cluster moves.
	Before Status = "before"
	// Blocked: no upgrade is available for an operator, or it is gone.
	Blocked Status = "blocked"
	// Invalid: the request is not a well-formed problem.
	Invalid Status = "invalid"
	// Incomplete: a time limit or a budget ran out first.
	Incomplete Status = "incomplete"
)

// Verdict is the action that one operator needs.
type Verdict string

// The values of [Verdict].
const (
	// Fine: it can stay as it is.
	Fine Verdict = "fine"
	// UpdateAfter: it has to be updated once the cluster has moved.
	UpdateAfter Verdict = "updateAfter"
	// UpdateBefore: it has to be updated before the cluster moves, and perhaps again
	// after that.
	UpdateBefore Verdict = "updateBefore"
	// NoWay: the catalogs of the next version still have the operator, but no upgrade path
	// leads to a bundle that can stay.
	NoWay Verdict = "noWay"
	// Gone: the next version lacks the catalog, the package or the channel.
	Gone Verdict = "gone"
)

// Operator is one operator with its verdict.
type Operator struct {
	// Bundle is the installed bundle, empty for a subscription or an extension that has none.
	Bundle string `json:"bundle,omitempty"`
	// Package is empty if it is unknown.
	Package string `json:"package,omitempty"`
	// Namespace is set if the report is about a cluster by its ID.
	Namespace string `json:"namespace,omitempty"`
	// Subscription is the owner of the bundle; empty if there is none.
	Subscription string `json:"subscription,omitempty"`
	// Extension is the owner instead, in a scenario with extensions of OLM v1.
	Extension string  `json:"extension,omitempty"`
	Verdict   Verdict `json:"verdict"`
	// Path is the upgrade path: the steps of this operator and its dependencies.
	Path []Step `json:"road,omitempty"`
	// Reasons explain the verdict if it is not [Fine], and note what else matters.
	Reasons []Reason `json:"reasons,omitempty"`
}

// owner returns the name of the subscription or extension that owns the bundle; empty if there is
// none.
func (o *Operator) owner() string { return cmp.Or(o.Subscription, o.Extension) }

// Blocks reports whether the operator blocks the upgrade of the cluster.
func (o *Operator) Blocks() bool { return o.Verdict == NoWay || o.Verdict == Gone }

// settle sorts operators that block the cluster first, and omits the move if there are any.
func (r *Report) settle() {
	if r.Status != Blocked {
		return
	}
	slices.SortStableFunc(r.Operators, func(a, b Operator) int {
		switch {
		case a.Blocks() == b.Blocks():
			return 0
		case a.Blocks():
			return -1
		}
		return 1
	})
	r.Order = slices.DeleteFunc(r.Order, func(s Step) bool { return s.Moves() })
}

// Both reports whether the operator has to be updated before the cluster moves and
// again after that.
func (o *Operator) Both() bool {
	before, after := false, false
	for _, s := range o.Path {
		before, after = before || s.When == stepBefore, after || s.When == stepAfter
	}
	return before && after
}

// Step is one action.
type Step struct {
	// When is before the cluster moves, the move itself, or after it: "before", "upgrade" or
	// "after". With several versions, an action between two moves is after the first of them.
	When string `json:"when"`
	// Action is the action on the bundle: "install" or "upgrade"; for a move, it is
	// "upgradeCluster", and Moves is true.
	Action   string `json:"action"`
	Bundle   string `json:"bundle,omitempty"`
	Replaces string `json:"replaces,omitempty"`
	// Package, Version, Catalog and Channel are those of the bundle.
	Package string `json:"package,omitempty"`
	Version string `json:"version,omitempty"`
	Catalog string `json:"catalog,omitempty"`
	Channel string `json:"channel,omitempty"`
	// Namespace is the namespace, in a report about a cluster by its ID.
	Namespace string `json:"namespace,omitempty"`
	// OpenShift and Kubernetes are the new versions of the cluster, for a move.
	OpenShift  string `json:"openshiftVersion,omitempty"`
	Kubernetes string `json:"kubernetesVersion,omitempty"`
}

// The values of Step.When, and the action of the step that moves the cluster.
const (
	stepBefore  = "before"
	stepUpgrade = "upgrade"
	stepAfter   = "after"

	upgradeCluster = "upgradeCluster"
)

// Moves reports whether the step moves the cluster.
func (s *Step) Moves() bool { return s.When == stepUpgrade }

// Reason is one observation. Codes are stable, texts are not. These require an action:
//
//	maxOpenShiftVersion  the bundle does not run on the next version, and Operator Lifecycle
//	                     Manager blocks the upgrade while it is installed
//	incompatible         a bundle on the path is otherwise incompatible with the next version
//	notOffered           the catalogs of the next version do not have this bundle
//	noEdge               the bundle has no upgrade edge, and is not the head
//	conflict             its requirements are not available together with all others
//	mustMove             the others conflict with its current bundle
//	catalogGone, packageGone, channelGone   the next version no longer has it
//
// These change no verdict:
//
//	quarantined          the catalog of the next version is broken there
//	held                 the subscription is on hold, which has to end first
//	forced               the operator blocks the upgrade, and only the catalogs of the next
//	                     version have an update that does not
//	unowned              no subscription or extension owns the bundle, so nothing updates it
//	alreadyToday         the same is true today, so the upgrade is not the cause
//	notUpdatedToday      the current catalogs have no solution, so nothing in the namespace
//	                     is updated before the cluster moves
//	deprecated           deprecated in the catalogs of the next version
//	crdStoredVersionRemoved, crdServedVersionRemoved   a bundle on the path, or one that is
//	                     excluded for this reason, removes a version of a resource definition:
//	                     as in [resolver.Warning]
//	shared               another version in another namespace owns the same definitions
//	lifecycle            the lifecycle blob of the next version
//	otherChannel         another channel has an upgrade
//	sameCatalog          a catalog has no replacement for the next version
type Reason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// The codes of reasons.
const (
	maxOpenShift    = "maxOpenShiftVersion"
	incompatible    = "incompatible"
	notOffered      = "notOffered"
	noEdge          = "noEdge"
	conflicts       = "conflict"
	mustMove        = "mustMove"
	catalogGone     = "catalogGone"
	packageGone     = "packageGone"
	channelGone     = "channelGone"
	quarantined     = "quarantined"
	held            = "held"
	forced          = "forced"
	unowned         = "unowned"
	alreadyToday    = "alreadyToday"
	notUpdatedToday = "notUpdatedToday"
	deprecated      = "deprecated"
	sharedCRD       = "shared"
	lifecycleSaid   = "lifecycle"
	otherChannel    = "otherChannel"
	sameCatalog     = "sameCatalog"
)
