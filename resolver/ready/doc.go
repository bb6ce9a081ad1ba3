// Package ready answers what administrators ask before an upgrade window: may the
// cluster move to its next version, and what has to be done with its operators
// before and after?
//
// A cluster brings its catalogs along: those of version 4.20 are others than those
// of 4.19. [Check] takes a request as the cluster is now, and for each version to
// come the catalogs and the versions of OpenShift and Kubernetes. For each operator
// it says whether it can stay as it is, has to be updated before or after, has no
// way on, or is gone, and it puts the steps of all of them in one order.
//
// # What an operator needs
//
// An installed operator is fine if it can stay as it is in the next version:
//
//   - the catalogs there still offer its package, its channel, and this very bundle:
//     a catalog of a version of OpenShift holds what is published for that version;
//   - it is the head of its channel there, or some update leads on from it;
//   - its olm.maxOpenShiftVersion is not below the next version. Operator Lifecycle
//     Manager reports the cluster as not upgradeable while one is;
//   - what it requires is still to be had, with all the others.
//
// Otherwise the roads are looked for: with the catalogs of today, then with those of
// the next version, round by round as [resolver.Resolver.Converge] goes, but so that
// nothing moves that need not. A road ends at the first bundle that can stay.
//
// # Two directions
//
// A road that leads to such a bundle with the catalogs of today makes the verdict
// [UpdateBefore]. Where only the catalogs of the next version lead there, it is
// [UpdateAfter]. Where it takes both, the verdict is [UpdateBefore] as well, for that
// is what to do first, and the road has steps of both kinds: see [Operator.Both].
//
// Subscriptions that are held back are moved where they have to be, with a reason
// that says so: somebody has to approve it.
package ready
