// Package upgrade answers two questions of administrators before they approve an upgrade: what
// upgrading one subscription means for the others, and what the next version of the cluster means
// for all operators. Every answer is the solution of a changed request.
//
// [Least] finds the smallest change that upgrades some subscriptions, with a reason for each bundle
// that has to move too. [Needs] lists dependencies in both directions, and what dropping a
// subscription would break or orphan. [Check] reports whether one cluster can be upgraded to its
// next version, and what to do with its operators before and after; [Fleet] does so for many.
//
// # What an operator needs in the next version
//
// Each version of a cluster has its own catalogs. An installed operator is fine if it can stay at
// its bundle in the next version:
//
//   - the catalogs there still offer its package, its channel, and this bundle: a catalog of a
//     version of OpenShift contains what is published for that version;
//   - it is the head of its channel there, or has an upgrade edge;
//   - its olm.maxOpenShiftVersion is not below the next version. Operator Lifecycle Manager reports
//     the cluster as not upgradeable while one is;
//   - its requirements are still available, together with those of all others.
//
// An extension of OLM v1 can stay if the catalogs that its selector matches there have its version,
// in its channels if it names any: OLM v1 has no heads. The policy decides whether requirements of
// a bundle are refused or planned.
//
// Otherwise upgrade paths are searched: with the current catalogs, then with those of the next
// version, round by round as in [resolver.Resolver.Converge], but moving only what must move. A
// path ends at the first bundle that can stay.
//
// # Two directions
//
// If a path with the current catalogs reaches such a bundle, the verdict is [UpdateBefore]. If only
// the catalogs of the next version have one, it is [UpdateAfter]. If both are needed, the verdict
// is [UpdateBefore], which is what to do first, and the path has steps of both kinds: see
// [Operator.Both].
//
// Subscriptions on hold are moved if necessary, with a reason that says so: somebody has to approve
// the move.
package upgrade
