// Package oracle answers small resolution problems by brute force, following
// the text of the semantics sentence by sentence: it lists every set of bundles
// that satisfies sections 3 and 5, and then makes the decisions of section 6 by
// looking for a member of that list.
//
// It is the yardstick of the property tests of package resolver and shares no
// code with it, with graph or with constraints: it has its own model of a
// problem, its own reading of channels, its own ranking and its own evaluation
// of constraints, CEL rules included, which come from a few templates that have
// a meaning here as well as a text. It is simple where the resolver is fast:
// it handles no more than [MaxVariables] bundles and never consults a solver.
//
// It judges what is said where there is no solution, too: a [Judge] reports whether the
// facts of conflicts cannot hold together, and whether no conflict is missing.
//
// A [Problem] can be written out as the blobs of file-based catalogs and as a
// scenario file, so that the problem a test fails on can be kept as one.
package oracle
