// Package upgradetest shows how the author of a catalog tests it: catalog_test.go is
// there to be copied beside a catalog, together with nothing else; Options.Before is for a
// catalog that has flaws already. The catalog in
// testdata/catalog passes; the one in testdata/mistaken has two mistakes, and
// mistaken_test.go shows how they are found and what is written about them.
package upgradetest
