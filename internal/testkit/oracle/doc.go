// Package oracle is the reference implementation: it answers small resolution
// problems by brute force, following SEMANTICS.md sentence by sentence. It
// enumerates every set of bundles that satisfies sections 3 and 5, and then
// makes the decisions of section 6 against that list.
//
// The property tests of package resolver compare with it. It shares no logic
// with resolver, graph or constraints. A [Problem] uses the catalog shapes of
// all tests and the resolver's plain data, but the oracle reads channels and
// ranges, ranks candidates and evaluates constraints by itself. CEL rules come
// from a few templates that the oracle can evaluate. It favours simplicity
// over speed: it handles at most [MaxVariables] bundles and uses no solver.
// Only [Problem.Request] and [Problem.Scenario] call the library, to convert a
// problem.
//
// It also checks explanations: a [Judge] reports whether the facts of a
// conflict are unsatisfiable, and whether a conflict is missing.
//
// A problem can be written as a scenario file, so that a failing problem can
// be kept as a regression test.
package oracle
