package trace

import "context"

// Hooks are functions that a resolver calls with events while it resolves. Any of them may
// be nil; set them with resolver.WithHooks. They are for tracing, measuring and debugging:
// they never change the answer.
//
// Every function is called in the goroutine of the resolution that it is about,
// in the order of the work, and the resolution goes on when it returns. A
// Resolver that is used by several goroutines calls its hooks from all of them,
// as does an audit from its workers, so they have to be safe for concurrent use
// if the Resolver is. The context identifies the resolution: the one that
// was returned for Began comes with every later call about that resolution. They
// must not call back into a Session that is at work. What is passed to them is only
// for reading.
//
// A Resolver without hooks pays one comparison for each of the places where
// one could be called, and nothing for making events.
type Hooks struct {
	// Resolution is called about a resolution as a whole: with Began before anything is
	// done about a request, with LeftOut, with Explain and Conflict, and with Ended once
	// for each Began. For Began and for Explain it may return a context made from the
	// given one, with which the resolution, or the explanation, and all later hooks go on
	// (to carry a span, for example), or nil to keep that. What it returns for others does
	// not count.
	Resolution func(context.Context, Event) context.Context
	// Search is called with what the decisions of section 6 of the semantics do: Search,
	// Decide, Candidate, Decision and Back.
	Search func(context.Context, Event)
	// Solver is called with Formula and Solve. There are as many Solve as Stats count.
	Solver func(context.Context, Event)
}
