// Package resolute finds out which operators to install, and in which order,
// for what a cluster's owners asked for: given catalogs in the file-based
// format of Operator Lifecycle Manager, what is installed, and what is wanted,
// it returns an ordered set of bundles, or the reason why there is none.
//
// This package holds no code. The work is done by the packages below it, each
// of which knows only those after it:
//
//   - [github.com/seed109e2655/resolute/resolver] turns a Request into a
//     Solution or a Conflict: the decisions, the order of installation, the
//     minimal set of facts that cannot hold together. Its folder scenario reads
//     and writes a whole problem as one file.
//   - [github.com/seed109e2655/resolute/cache] holds catalogs as immutable,
//     indexed snapshots. Its folder fbc reads them from file-based catalogs.
//   - [github.com/seed109e2655/resolute/graph] orders the bundles of a channel,
//     finds the edges along which one replaces another, and says what is wrong
//     with a package.
//   - [github.com/seed109e2655/resolute/constraints] is what a bundle asks of
//     others: a small language of kinds that nest, CEL rules among them.
//   - [github.com/seed109e2655/resolute/properties] is what a bundle says of
//     itself, parsed once into typed values.
//
// What a program can ask beside resolver.Resolver.Resolve, each with an example in its package:
//
//   - whatif.FindCorrections and resolver.Request.Apply: the smallest changes after which
//     there is a solution, each verified, and how to make them.
//   - resolver.Resolver.Session and Session.Resolve with changes, whatif.Compare: what would
//     change if a subscription were dropped, added or pinned, a bundle forbidden or forced, a
//     catalog replaced. Session.WhyNot: why a bundle is in the result, or what is in its way.
//   - resolver.Resolver.Converge: the whole upgrade path, round by round.
//   - audit.Run: of every bundle of a catalog whether it can be installed, and gets to the
//     head of its channel. upgradetest.CheckAll: the same in a Go test beside a catalog, on the
//     smallest case.
//   - graph.NewUpdates, catalogdiff.Compare: upgrade paths and dead ends; what a change of a
//     catalog makes worse for users.
//   - olm.Cluster: dumps of clusters as requests. olm.Commands: corrections as kubectl commands.
//   - draw.SVG, draw.Solution, draw.Conflict, draw.Path: pictures of update graphs, solutions,
//     conflicts and upgrade paths, as SVG, DOT or Mermaid.
//   - trace.NewRecorder: how one answer was found. resolver.Resolver.WriteDIMACS: the hard
//     rules of a request as a formula for other SAT solvers.
//
// Beside them, benchmarks/synthetic makes catalogs of any size to measure with,
// and examples holds programs to copy from: quickstart embeds the library in a
// few lines, embed does so with operators of its own. The command line is cmd/resolute.
//
// The same Request always gives the same answer, to the byte. Everything that
// can take long takes a context.Context and stops soon after it ends. Catalogs
// that are damaged in places lose no more than those places, and say where.
//
// Before 1.0.0 a minor version may change names of this API; CHANGELOG.md then lists what
// was renamed or removed, and CONTRIBUTING.md what does not change.
package resolute
