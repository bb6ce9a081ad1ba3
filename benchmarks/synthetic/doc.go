// Package synthetic makes catalogs and requests to measure with: as large, as deep
// and as knotty as asked for, and the same bytes for the same [Config] on every
// machine, in every release of Go.
//
// A catalog holds packages numbered from 0. Each offers some versions in some
// channels, provides an API of its own, and requires a few other packages: by
// package and version range, by the API they provide, by a CEL rule or by a
// compound constraint. What requires what is up to the [Shape]; in most of them only
// packages with lower numbers are required, so that requirements never form a cycle
// and the last package pulls in the most, see [Generator.Pulls].
//
// Each package is drawn from the seed and its number alone. Two consequences:
//
//   - A catalog of any size is written as a stream, see [Generator.WriteCatalog]: a
//     million bundles take some seconds and next to no memory.
//   - With [Config.Window] set, the first packages of a large catalog are those
//     of a smaller one with the same settings, so that one request can be posed
//     to both and must cost the same, see [Config.Reach].
//
// [Preset] has ready-made settings, among them "random", the instance that the
// project's goals for speed speak of, and some that are as hard as their size
// allows. [Config.Sized] gives them another size.
//
// An instance is to be had as
//
//   - file-based catalogs and a scenario for package resolver/scenario:
//     [Generator.WriteFiles], [Generator.WriteCatalog], [Generator.Scenario],
//   - a request in memory: [Generator.Request],
//   - repositories and a testcase for libsolv: package benchmarks/libsolv, of the
//     request,
//   - a formula in DIMACS: resolver.Resolver.WriteDIMACS, of the request,
//   - plain data: [Generator.Package], [Generator.Roots].
package synthetic
