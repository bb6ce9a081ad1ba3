// Package cache holds catalogs as immutable, indexed snapshots.
//
// A [Catalog] numbers its bundles in the order in which they are preferred as
// dependencies, as far as that depends on the catalog alone (section 4 of the
// semantics, rules 5 to 7), and keeps an index by name, package, provided API,
// label and property type. Every index lists numbers in ascending order, so
// that the first of a list is the best.
//
// Package cache/fbc reads file-based catalogs into a Catalog.
package cache
