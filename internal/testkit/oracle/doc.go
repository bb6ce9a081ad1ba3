// Package oracle answers small resolution problems by brute force, following
// the text of the semantics sentence by sentence: it lists every set of bundles
// that satisfies sections 3 and 5, and then makes the decisions of section 6 by
// looking for a member of that list.
//
// It is the yardstick of the property tests of package resolver and shares no
// logic with it, with graph or with constraints: a [Problem] has the shapes of catalogs
// that all tests have and the resolver's plain data, but its own reading of channels and
// ranges, its own ranking and its own evaluation of constraints, CEL rules included, which
// come from a few templates that have a meaning here as well as a text. It is simple where
// the resolver is fast: it handles no more than [MaxVariables] bundles and never consults
// a solver. Only [Problem.Request] and [Problem.Scenario] call the library, to hand a
// problem over to it.
//
// It judges what is said where there is no solution, too: a [Judge] reports whether the
// facts of conflicts cannot hold together, and whether no conflict is missing.
//
// A problem can be written out as a scenario file, so that the one a test fails on can be
// kept as one.
package oracle
