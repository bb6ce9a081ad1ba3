// Package synthetic makes catalogs to measure with: as large, as deep and as
// knotty as asked for, and the same bytes for the same [Config] on every
// machine, in every release of Go.
//
// A catalog holds packages numbered from 0. Each offers some versions in some
// channels, provides an API of its own, and requires a few packages with lower
// numbers: by package and version range, by the API they provide, by a CEL rule
// or by a compound constraint. So requirements never form a cycle, and the last
// package pulls in the most, see [Generator.Pulls].
//
// Each package is drawn from the seed and its number alone. Two consequences:
//
//   - A catalog of any size is written as a stream, see [Generator.WriteCatalog].
//   - With [Config.Window] set, the first packages of a large catalog are those
//     of a smaller one with the same settings, so that one request can be posed
//     to both and must cost the same.
//
// [Preset] has ready-made settings, among them "random", the instance that the
// project's goals for speed speak of.
package synthetic
