// Package mirror checks which bundles a mirror configuration selects, and completes it.
//
// oc-mirror copies operators to disconnected registries. It selects bundles by package, channel and
// version range and deliberately ignores dependencies: a selected bundle may not be installable, and
// an installed one may have no upgrade path. [Parse] reads an ImageSetConfiguration
// (mirror.openshift.io/v2alpha1), [Select] selects exactly the bundles that oc-mirror v2 selects,
// and [Make] makes a plan: the selected bundles that cannot be installed, the upgrade paths that are
// cut, the smallest additions, and what no addition can correct.
//
// # Selection
//
// Version ranges are those of package github.com/Masterminds/semver/v3 (">=min <=max"), which differ
// from those of OLM: a pre-release is in a range only if a bound has one, too.
//
//   - Named packages: the named channels of each, or all of them. Without names, the whole catalog.
//   - The configured default channel, or else that of the catalog, must be selected.
//   - full: every entry of each channel. A range is then an error.
//   - A range: the replaces chain from its head is cut to the part that contains all bundles in the
//     range: from the lowest entry at or below which all of them are, to the last one at or below
//     which there is any. Entries in between are kept, in the range or not; entries that these skip
//     are kept if they are in the range. An empty channel is dropped, or an error if it is the
//     default channel.
//   - Neither: the head of each channel alone.
//   - bundles: these bundles and no others of the package. They must form channels with one head
//     each.
//
// A named package, channel or version that the catalog lacks is an [UnknownError]: an exact version,
// a range that selects nothing of its channel or its package, or a single bundle.
//
// Bundles that oc-mirror skips, because it cannot mirror one of their images, and bundles whose own
// image is blocked are not installable, and neither are their dependents.
//
// # Additions
//
// Additions are bundles. The completed configuration expresses them as ranges of channels, the only
// form that oc-mirror has. [Plan.Configuration] is checked: it selects exactly the bundles of the
// plan. A catalog without remaining packages is omitted, because it would be mirrored whole.
package mirror
