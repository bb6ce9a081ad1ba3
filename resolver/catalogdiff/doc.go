// Package catalogdiff compares two states of a catalog from the point of view of its users: what
// changed, and what regressed or improved for clusters that run or want to install its operators.
// Use it in a pipeline to check a change of a catalog before merging.
//
// [Compare] compares the old and the new state. Every effect on users becomes a [Finding] with a
// stable [Code], a severity, a location in the new state and a sentence that names the affected
// clusters. Every other difference is a [Change].
//
// # Scope
//
// Packages are compared by the meaning of their blobs: the order of blobs, files and descriptions
// make no difference. The changed packages and their direct and indirect dependents, in the old
// or the new state, are audited in both states (see [audit.Run]); no other package can regress or
// improve.
//
// # Each cause is reported once
//
// A finding that only follows from another one is omitted: for a quarantined channel, one problem
// states the number of affected versions; versions that end at the same version are one finding;
// forbidden or quarantined bundles are not also reported as uninstallable. A version that an
// entry now skips on purpose is a change, not a finding, because skipping provides an upgrade
// edge.
package catalogdiff
