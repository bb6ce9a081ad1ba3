// Package sat answers whether a set of clauses can hold, and if not, why not.
//
// It is the project's only door to the SAT solver underneath (gini), and it
// knows nothing of bundles: it deals in literals, clauses, at-most-one groups
// and assumptions. What the rest of the project relies on, and what this
// package adds to the solver underneath:
//
//   - Answers, models and cores are a function of the calls made, never of
//     time, map order or goroutines.
//   - A context that ends, or a budget that runs out, stops even a long solve
//     within some milliseconds, and no goroutine outlives the call.
//   - [Solver.Failed] names assumptions in the order in which they were given,
//     and [Minimize] shrinks them to the one minimal core that the order of
//     preference singles out, whatever core the solver happened to find.
//   - Nothing is built before the first Solve, so a Solver that is never asked
//     costs next to nothing. A small problem is answered by unit propagation where
//     that leaves one answer only, and gini is set up for those that are left.
//
// A typical use hangs whatever may be taken away on a literal of its own, adds
// clauses that bite only while that literal holds, and solves under the
// assumption of those literals:
//
//	s := sat.New(sat.Options{})
//	wanted, a, b := s.NewVar(), s.NewVar(), s.NewVar()
//	s.Add(wanted.Not(), a, b)             // while wanted: a or b
//	s.AtMostOne([]sat.Lit{a, b}, 0)       // never both
//	status, err := s.Solve(ctx, wanted)
package sat
