// Package mirror checks which bundles a mirror configuration selects, and completes it.
//
// oc-mirror copies operators to disconnected registries. It selects bundles by package,
// channel and version range and deliberately ignores dependencies: a selected bundle may not
// be installable, and an installed one may have no upgrade path. [Parse] reads an
// ImageSetConfiguration (mirror.openshift.io/v2alpha1), [Select] selects exactly the bundles
// that oc-mirror v2 selects, and [Make] makes a plan: the selected bundles that cannot be
// installed, the upgrade paths that are cut, the smallest additions, and what no addition can
// correct.
//
// # What is selected
//
// A version range is read as package github.com/Masterminds/semver/v3 reads ">=min
// <=max", not as OLM reads ranges: a pre-release is inside only if the bound has one,
// too.
//
//   - Packages are given: those, of each the channels given, or all of them. None are
//     given: the whole catalog.
//   - The configured default channel, or else that of the catalog, must be selected.
//   - full: every entry of each channel. A range then is an error.
//   - A range: the replaces chain from its head is cut to the part that holds all
//     bundles in the range: from the lowest entry at or below which all of them are, to
//     the last one at or below which there is any. What is in between stays, in the
//     range or not; what these entries skip stays if it is in the range. A channel of
//     which nothing is left is dropped, or an error if it is the default channel.
//   - Neither: the head of each channel alone.
//   - bundles: these bundles and no others of the package. They have to form channels
//     with one head each.
//
// A package, a channel, or a version that is named and that the catalog lacks is an
// [UnknownError]: an exact version, a range of versions that selects nothing of its
// channel or its package, and a single bundle.
//
// Bundles that oc-mirror skips, because it cannot mirror one of their images, and bundles
// whose own image is blocked are not installable, and neither is what needs them.
//
// # What is added
//
// Additions are bundles, and stand in the completed configuration as ranges of
// channels: for the tool has no other way to say it. [Plan.Configuration] is checked:
// what it selects is what the plan was made for. It selects nothing else: a catalog of
// which nothing is left is omitted, for without packages it would be mirrored whole.
package mirror
