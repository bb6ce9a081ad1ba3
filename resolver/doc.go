// Package resolver resolves dependencies between operators: a [Request] goes in,
// a [Solution] (an ordered install set) or a [Conflict] (an explanation) comes
// out.
//
//	solution, err := resolver.New().Resolve(ctx, resolver.Request{
//		Namespace:     "operators",
//		Catalogs:      []resolver.Catalog{{Key: key, Content: community}},
//		Subscriptions: []resolver.Subscription{{Name: "traces", Package: "tracing"}},
//	})
//	if err != nil {
//		log.Fatal(err) // a *resolver.Conflict says why there is no solution
//	}
//	for _, step := range solution.Steps {
//		fmt.Println(step.Wave, step.Action, step.Bundle)
//	}
//	// Output:
//	// 0 install collector.v3
//	// 1 install tracing.v1
//
// The result is fully specified, including tie-breaks: catalogs are ordered by priority,
// channels from their head down the replaces chain, subscriptions by their order in the
// request. The solution is the lexicographically best one that satisfies the whole request.
// The same request always gives the same solution.
//
// # How it works
//
// A resolution makes one decision for each subscription and for each requirement of a
// selected bundle, always for the best candidate that propagation does not reject. If every
// decision succeeds, as for nearly all real requests, the result is optimal and no SAT solver
// is needed. After too many conflicts, the reachable part of the request is encoded as clauses
// for a SAT solver, which finds the first decision that cannot be part of a solution. The
// search backtracks to it and goes on. ALGORITHM.md describes each step and proves it correct.
//
// An unsatisfiable request is explained afterwards: it is encoded again with a guard literal
// for each fact, and the unsatisfiable core is minimized.
//
// # What-ifs and explanations
//
// [Resolver.Session] answers what-ifs about one request, each a list of [Change]s. Package whatif
// compares solutions, and finds minimal corrections of a [Conflict]. [Session.WhyNot] explains
// why a bundle is not in the result. [Resolver.Converge] follows the upgrades round by round.
//
// # Observability
//
// Package resolver/trace records the decisions, candidates, solver calls and backtracks of a
// resolution. [WithHooks] calls functions with the same events as they happen, [WithMetrics]
// records metrics, and [WithLogger] logs. None of them changes a result, and none has a cost
// while it is off. [Resolver.WriteDIMACS] writes the hard rules of a request for other solvers.
package resolver
