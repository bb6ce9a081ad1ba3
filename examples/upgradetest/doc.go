// Package upgradetest shows how to test your own catalog: copy
// catalog_test.go, which is self-contained, beside the catalog. Options.Before
// is for a catalog with existing findings. The catalog in testdata/catalog
// passes; the one in testdata/mistaken has two mistakes, and mistaken_test.go
// shows how they are found and reported.
package upgradetest
