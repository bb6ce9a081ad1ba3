// Package synthetic generates catalogs and requests for measurements, of
// configurable size, depth and difficulty. The same [Config] gives the same
// bytes on every machine and with every release of Go.
//
// A catalog has packages numbered from 0. Each has versions in channels,
// provides an API of its own, and requires some other packages: by package and
// version range, by API, by a CEL rule or by a compound constraint. The
// [Shape] determines the structure; in most shapes only packages with lower
// numbers are required, so that requirements are acyclic and the last package
// pulls in the most, see [Generator.Pulls].
//
// Each package is drawn from the seed and its number alone. Therefore
//
//   - a catalog of any size is written as a stream, see [Generator.WriteCatalog]: a
//     million bundles take some seconds and hardly any memory;
//   - with [Config.Window] set, the first packages of a large catalog equal those of
//     a smaller one with the same settings, so that one request can be applied to
//     both and must have the same cost, see [Config.Reach].
//
// [Preset] has predefined settings, among them "random", the instance of the
// project's performance goals, and some that are as hard as their size allows.
// [Config.Sized] changes their size.
//
// An instance is available as
//
//   - file-based catalogs and a scenario for package resolver/scenario:
//     [Generator.WriteFiles], [Generator.WriteCatalog], [Generator.Scenario],
//   - a request in memory: [Generator.Request],
//   - repositories and a testcase for libsolv: package benchmarks/libsolv, of the
//     request,
//   - a formula in DIMACS: resolver.Resolver.WriteDIMACS, of the request,
//   - plain data: [Generator.Package], [Generator.Roots].
package synthetic
