// Package upgrade answers what administrators ask before they approve something: what
// upgrading one subscription means for the others, and what the next version of the
// cluster means for all of them. Every answer is the solution of a changed request.
//
// [Least] finds the least change that upgrades some subscriptions, with a reason for each
// bundle that has to move along. [Needs] says who needs whom, and what dropping a
// subscription would break or leave over. [Check] says of one cluster whether it may move
// to its next version, and what has to be done with its operators before and after;
// [Fleet] says so of many.
//
// # What an operator needs in the next version
//
// A cluster brings its catalogs along: those of version 4.20 are others than those of
// 4.19. An installed operator is fine if it can stay as it is in the next version:
//
//   - the catalogs there still offer its package, its channel, and this very bundle:
//     a catalog of a version of OpenShift holds what is published for that version;
//   - it is the head of its channel there, or some update leads on from it;
//   - its olm.maxOpenShiftVersion is not below the next version. Operator Lifecycle
//     Manager reports the cluster as not upgradeable while one is;
//   - what it requires is still available, with all the others.
//
// An extension of OLM v1 can stay where the catalogs that its selector chooses there have its
// version, in its channels if it names some: OLM v1 knows no heads. What a bundle requires is
// refused or planned as the policy says.
//
// Otherwise upgrade paths are looked for: with the catalogs of today, then with those of
// the next version, round by round as [resolver.Resolver.Converge] goes, but so that
// nothing moves that need not. A path ends at the first bundle that can stay.
//
// # Two directions
//
// A path that leads to such a bundle with the catalogs of today makes the verdict
// [UpdateBefore]. Where only the catalogs of the next version lead there, it is
// [UpdateAfter]. Where it takes both, the verdict is [UpdateBefore] as well, for that
// is what to do first, and the path has steps of both kinds: see [Operator.Both].
//
// Subscriptions that are held back are moved where they have to be, with a reason
// that says so: somebody has to approve it.
package upgrade
