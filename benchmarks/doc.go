// Package benchmarks measures resolute: loading, resolving, explaining and
// what-ifs, on synthetic catalogs (package benchmarks/synthetic) and on the real
// ones of the shared test data where they are present beside the checkout.
//
//	go test -run '^$' -bench . ./benchmarks
//
// It has no API.
package benchmarks
