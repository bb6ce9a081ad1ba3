package trace

import "context"

// Hooks are functions that a resolver calls with events. Any of them may be nil. Set them with
// resolver.WithHooks. Hooks are for tracing, metrics and debugging; they cannot change the
// answer.
//
// A hook is called synchronously, in the goroutine of the resolution and in the order of the
// events. A Resolver used by several goroutines calls its hooks from all of them, as does an
// audit from its workers; the hooks must then be safe for concurrent use. The context identifies
// the resolution: the context that was returned for Began is passed with every later event. A
// hook must not call a Session that is resolving, and must not modify events.
//
// An unset hook costs one comparison per event.
type Hooks struct {
	// Resolution is called with Began before a request is processed, with LeftOut, Explain and
	// Conflict, and with Ended once for each Began. For Began and Explain it may return a
	// context derived from the given one, for example with a span, which the resolution or the
	// explanation and all later hooks use. Nil keeps the given context. The result is ignored
	// for other events.
	Resolution func(context.Context, Event) context.Context
	// Search is called with the events of the search (section 6 of the semantics): Search,
	// Decide, Candidate, Decision and Back.
	Search func(context.Context, Event)
	// Solver is called with Formula and Solve. The number of Solve events is Stats.Solves.
	Solver func(context.Context, Event)
}
