// Package benchmarks measures resolute: loading, resolving, explaining,
// what-ifs and audits, on synthetic catalogs (package benchmarks/synthetic)
// and on the real catalogs of the shared test data if they are beside the
// checkout.
//
//	go test -run '^$' -bench . ./benchmarks
//	go test -run '^$' -bench Size/bundles=100000/resolve ./benchmarks
//	RESOLUTE_BENCH_MILLION=1 go test -run '^$' -bench Size/bundles=1000000/ -timeout 30m ./benchmarks
//	RESOLUTE_HARD_SEEDS=200 go test -run Hard -v -timeout 30m ./benchmarks
//
// The comparison with other programs is a command, benchmarks/cmd/compare. It
// regenerates everything in benchmarks/results:
//
//	go run ./benchmarks/cmd/compare -date 2026-01-31
//
// This package has no API. Reusable parts are
//
//   - benchmarks/synthetic: catalogs and requests of any size,
//   - benchmarks/libsolv: requests translated for libsolv,
//   - benchmarks/cmd/synthetic: both as a command,
//   - benchmarks/plot: the plots, in a module of its own for its dependencies.
package benchmarks
