// Package sat solves Boolean satisfiability problems and explains
// unsatisfiable ones.
//
// It wraps the SAT solver gini, which nothing else in the module imports, and
// knows nothing of bundles: its terms are literals, clauses, at-most-one
// groups and assumptions. It guarantees, in addition to gini:
//
//   - Answers, models and cores depend only on the calls made, never on time,
//     map order or goroutines.
//   - Cancelling the context or exhausting a budget stops even a long solve
//     within milliseconds, and no goroutine outlives the call.
//   - [Solver.Failed] returns failed assumptions in the order given, and
//     [Minimize] reduces them to the unique minimal core defined by the order
//     of preference, regardless of the core that the solver found.
//   - gini is set up by the first Solve, so an unused Solver is nearly free.
//
// Typically, each removable constraint has a guard literal of its own. Its
// clauses apply only while the guard holds, and solving assumes the guards:
//
//	s := sat.New(sat.Options{})
//	wanted, a, b := s.NewVar(), s.NewVar(), s.NewVar()
//	s.Add(wanted.Not(), a, b)             // while wanted: a or b
//	s.AtMostOne([]sat.Lit{a, b}, 0)       // never both
//	status, err := s.Solve(ctx, wanted)
package sat
