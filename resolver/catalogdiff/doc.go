// Package catalogdiff compares two states of a catalog for those who use it: what
// changed, and what got worse or better for whoever runs or wants to install
// something of it. It is what a pipeline asks before a change of a catalog is
// merged.
//
// [Compare] takes the old and the new state. What a user can notice becomes a
// [Finding] with a stable [Code], a severity, a place in the new state and a
// sentence that says who is hit. Everything else that differs is a [Change].
//
// # Only what the change can reach
//
// A package is compared by what its blobs mean, so that their order, the files
// they are in, and descriptions make no difference. The packages that changed, and
// those that depend on them, directly or through others, in the old or in the new
// state, are audited in both (see [audit.Run]); no other package can
// have become better or worse.
//
// # What is reported once
//
// A finding that only follows from another one is left out: of a channel that is
// quarantined, the problem is reported with the number of versions that it stops, and
// not each of them; versions that end at the same place are one finding; what is
// barred or quarantined is not reported as uninstallable as well. A version that an
// entry now skips on purpose is a change and no finding, for whoever runs it has
// the way on that skipping gives.
package catalogdiff
