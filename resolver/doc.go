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
// What a resolution means, to the last tie-break, is fixed: catalogs are ordered
// by priority, channels from their head down the replaces chain, subscriptions
// by their order in the request, and the answer is the lexicographic best that
// satisfies the whole problem. The same request gives the same answer, always.
//
// # How it works
//
// A resolution takes decisions, one for each subscription and for each
// requirement of what was chosen, always the best candidate that is not plainly
// refuted by what is chosen already. Where that comes through, the result itself
// proves that every choice was possible, and no solver is needed: so it is for
// nearly all real requests. Where it runs into a dead end, everything that the
// request can reach is written as clauses for a SAT solver, which finds the first
// choice that was impossible; the decisions go on behind it. No choice is ever
// made or refused on a guess. ALGORITHM.md goes through it step by step, and says why
// each step is right.
//
// Explaining starts only once there is no solution: the problem is written again
// with a switch for every fact, and the facts are thinned out until none can be
// dropped.
//
// # Asking further
//
// [Resolver.Session] answers what-ifs about one request: package whatif makes the changes,
// compares the answers, and finds the smallest changes after which a [Conflict] is gone.
// [Session.WhyNot] explains why a bundle is not in the result. [Resolver.Converge] follows
// the upgrades round by round.
//
// # Watching it
//
// Package resolver/trace records one resolution: its decisions, the candidates they
// looked at, the solver calls, the dead ends. [WithHooks] calls functions with the same
// events as they happen; [WithMetrics] measures and [WithLogger] logs
// them. None of them changes an answer, and none costs anything while it is off.
// [Resolver.WriteDIMACS] writes the hard rules of a request for other solvers.
package resolver
