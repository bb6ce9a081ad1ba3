// Package mirror says what a mirror configuration selects, and whether that is enough.
//
// oc-mirror copies operators to places without a network. It selects bundles by
// package, channel and version range, and does not follow dependencies on purpose: what
// it selects may not be installable there, and what runs there may not be able to move
// on. [Parse] reads an ImageSetConfiguration (mirror.openshift.io/v2alpha1), [Select]
// selects exactly what oc-mirror v2 selects, and [Make] makes a plan: which selected
// bundles cannot be installed and which paths are cut, the least that has to be added,
// and what nothing in the catalogs can correct.
//
// # What is selected
//
// A version range is read as package github.com/Masterminds/semver/v3 reads ">=min
// <=max", not as OLM reads ranges: a pre-release is inside only if the bound has one,
// too.
//
//   - Packages are given: those, of each the channels given, or all of them. None are
//     given: the whole catalog.
//   - The default channel that is asked for must be among the kept ones. If none is
//     asked for, that of the catalog must be.
//   - full: every entry of each channel. A range then is an error.
//   - A range: the replaces chain from its head is cut to the part that holds all
//     bundles in the range: from the lowest entry at or below which all of them are, to
//     the last one at or below which there is any. What is in between stays, in the
//     range or not; what these entries skip stays if it is in the range. A channel of
//     which nothing is left is dropped, or an error if it is the default channel.
//   - Neither: the head of each channel alone.
//
// # What is added
//
// Additions are bundles, and stand in the completed configuration as ranges of
// channels: for the tool has no other way to say it. [Plan.Configuration] is checked:
// what it selects is what the plan was made for.
package mirror
