// Package debian makes a catalog of the package lists of Debian, to see how an audit
// does with real dependencies at a scale that catalogs of operators do not have, and has
// dose-debcheck answer the same question about the same packages.
//
// A package becomes a package with one channel, its versions become bundles 1.0.0, 2.0.0
// and so on, in their order, each of which replaces the one before. Depends and
// Pre-Depends become requirements: a clause with one way to meet it olm.package.required,
// one with alternatives an olm.constraint with `any`, where a name that packages provide stands
// for these. Conflicts and Breaks become `not` of all that they name but the package
// itself. Essential packages are like all others.
//
// The lists are those that apt-get update leaves on a machine; nothing of them is part of
// this repository.
package debian
