package upgrade

import (
	"cmp"
	"slices"
)

// Report is what a cluster has to do to get to its next version, in the shape in
// which it is written as JSON.
type Report struct {
	// ClusterName is what the scenarios call the cluster, if they do.
	ClusterName string `json:"name,omitempty"`
	// File names the scenario that it is about, if there is one, and Files all of them
	// where several are about one cluster; Cluster is the ID of the cluster, where
	// scenarios have one.
	File    string   `json:"file,omitempty"`
	Files   []string `json:"files,omitempty"`
	Cluster string   `json:"cluster,omitempty"`
	// Status is the worst of all verdicts.
	Status Status `json:"status"`
	// Error says what is wrong with an invalid scenario, or what stopped the work.
	Error string `json:"error,omitempty"`
	// Operators are the installed bundles in the order of the request, then the
	// subscriptions or extensions that have nothing installed. Where the cluster is blocked, those that
	// block it come first.
	Operators []Operator `json:"operators"`
	// NotInstallable are the subscriptions or extensions that have nothing installed and cannot be met
	// today either: the next version changes nothing about them, and they block nothing.
	NotInstallable []Operator `json:"notInstallable,omitempty"`
	// Order is all that has to be done, in the order in which to do it. Where the cluster
	// is blocked the move is not among it: steps after the move are for once it can move.
	Order []Step `json:"order"`
	// Notes are about the cluster as a whole, and change no verdict.
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

// Verdict says what has to be done about one operator.
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

// Operator is what has to be done about one operator.
type Operator struct {
	// Bundle is the installed bundle, empty for a subscription or an extension that has none.
	Bundle string `json:"bundle,omitempty"`
	// Package is empty if it is not known.
	Package string `json:"package,omitempty"`
	// Namespace is set where the report is about a cluster by its ID.
	Namespace string `json:"namespace,omitempty"`
	// Subscription owns the bundle; empty if none does.
	Subscription string `json:"subscription,omitempty"`
	// Extension owns the bundle instead, in a scenario with extensions of OLM v1.
	Extension string  `json:"extension,omitempty"`
	Verdict   Verdict `json:"verdict"`
	// Path is the upgrade path: the steps for this operator, with what it depends on.
	Path []Step `json:"road,omitempty"`
	// Reasons say why the verdict is not [Fine], and what else is to be known.
	Reasons []Reason `json:"reasons,omitempty"`
}

// owner is the name of the subscription or extension that owns the bundle; empty if none does.
func (o *Operator) owner() string { return cmp.Or(o.Subscription, o.Extension) }

// Blocks reports whether the operator keeps the cluster from moving.
func (o *Operator) Blocks() bool { return o.Verdict == NoWay || o.Verdict == Gone }

// settle puts what blocks the cluster first, and leaves the move out where something does.
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

// Step is one thing to do.
type Step struct {
	// When is before the cluster moves, the move itself, or after it. Of several
	// versions in a row, what comes between two moves is after the first of them.
	// It is "before", "upgrade" or "after".
	When string `json:"when"`
	// Action is what to do with the bundle: "install" or "upgrade"; of the move,
	// "upgradeCluster", and Moves is true.
	Action   string `json:"action"`
	Bundle   string `json:"bundle,omitempty"`
	Replaces string `json:"replaces,omitempty"`
	// Package, Version, Catalog and Channel are those of the bundle.
	Package string `json:"package,omitempty"`
	Version string `json:"version,omitempty"`
	Catalog string `json:"catalog,omitempty"`
	Channel string `json:"channel,omitempty"`
	// Namespace is where, in a report about a cluster by its ID.
	Namespace string `json:"namespace,omitempty"`
	// OpenShift and Kubernetes are, of the move, the versions that it leads to.
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

// Reason is one thing that was found out. Codes are stable, texts are not. These need
// something to be done:
//
//	maxOpenShiftVersion  the bundle does not run on the next version, and Operator Lifecycle
//	                     Manager holds the cluster back while it is installed
//	incompatible         a bundle on the path does not fit the next version otherwise
//	notOffered           the catalogs of the next version do not have this bundle
//	noEdge               no update leads on from the bundle, and it is not the head
//	conflict             what it requires is not available together with all others
//	mustMove             the others conflict with it where it is
//	catalogGone, packageGone, channelGone   the next version no longer has it
//
// These change no verdict:
//
//	quarantined          the catalog of the next version is broken there
//	held                 the subscription is held back, and has to be let go
//	forced               the operator holds the cluster back, and only the catalogs of the
//	                     next version have an update that does not
//	unowned              no subscription or extension owns the bundle, so that nothing updates it
//	alreadyToday         it is no better today, so that the upgrade is not the cause
//	notUpdatedToday      today's catalogs have no solution, so that nothing in the namespace
//	                     is updated before the cluster moves
//	deprecated           the catalogs of the next version say so
//	crdStoredVersionRemoved, crdServedVersionRemoved   a bundle on the path, or one that is
//	                     no candidate because of that, takes a version of a resource
//	                     definition away: as in [resolver.Warning]
//	shared               another version in another namespace owns the same definitions
//	lifecycle            what a lifecycle blob of the next version says
//	otherChannel         another channel would lead on
//	sameCatalog          no catalog of the next version was given in the place of one
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
