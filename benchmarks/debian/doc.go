// Package debian converts Debian's package lists to a catalog, to measure an
// audit with real dependencies at a scale beyond catalogs of operators, and
// runs dose-debcheck on the same packages for comparison.
//
// A package becomes a package with one channel. Its versions become bundles
// 1.0.0, 2.0.0 and so on, in their order, each replacing the previous one.
// Depends and Pre-Depends become requirements: a clause with one solution
// becomes olm.package.required, one with alternatives an olm.constraint with
// `any`. A provided name means its providers. Conflicts and Breaks become
// `not` of all matches except the package itself. Essential packages are
// treated like others.
//
// The lists are those of apt-get update on the machine; this repository
// contains no part of them.
package debian
