package trace

import "context"

// Hooks are functions that a resolver calls while it resolves. Any of them may be nil;
// set them with resolver.WithHooks. They are for tracing, measuring and debugging: they
// never change the answer.
//
// Every function is called in the goroutine of the resolution that it is about,
// in the order of the work, and the resolution goes on when it returns. A
// Resolver that is used by several goroutines calls its hooks from all of them,
// as does an audit from its workers, so they have to be safe for concurrent use
// if the Resolver is. The context identifies the resolution: the one that
// ResolveBegan returned comes with every later call about that resolution. They
// must not call back into a Session that is at work. What is passed to them is only
// for reading.
//
// A Resolver without hooks pays one comparison for each of the places where
// one could be called, and nothing for making events.
type Hooks struct {
	// ResolveBegan is called before anything is done about a request. It may
	// return a context made from the given one, with which the resolution and all
	// later hooks go on (to carry a span, for example), or nil to keep that.
	ResolveBegan func(context.Context, Began) context.Context
	// ResolveEnded is called with the answer, once for each ResolveBegan.
	ResolveEnded func(context.Context, Ended)

	// SearchBegan is called when the decisions of section 6 of the semantics are
	// begun from the start, with nothing chosen.
	SearchBegan func(context.Context, Search)
	// Decide is called when a decision is taken up, without its result.
	Decide func(context.Context, Decision)
	// Candidate is called for each candidate that a decision looks at, with the
	// verdict.
	Candidate func(context.Context, Decision, Candidate)
	// Decided is called when a decision is over: something was chosen, or it is
	// satisfied already, or nothing is left to choose.
	Decided func(context.Context, Decision)
	// Back is called when choices are undone, after a dead end.
	Back func(context.Context, Back)
	// LeftOut is called for each subscription that policy Partial leaves out and each
	// installed bundle that it finds broken, after the explanation of its conflict.
	LeftOut func(context.Context, LeftOut)

	// Formula is called when a formula was written down for the solver.
	Formula func(context.Context, Formula)
	// Solve is called after each solver call. There are as many calls as Stats count.
	Solve func(context.Context, Solve)

	// ExplainBegan is called when there is no solution, before facts that explain
	// it are looked for. It may return a context like ResolveBegan.
	ExplainBegan func(context.Context) context.Context
	// ExplainEnded is called when they are found, or the search was stopped.
	ExplainEnded func(context.Context, Conflict)
}

// FollowsSearch reports whether the hooks are called with what a search does.
func (h *Hooks) FollowsSearch() bool {
	return h.SearchBegan != nil || h.Decide != nil || h.Candidate != nil || h.Decided != nil || h.Back != nil
}

// FollowsSolver reports whether the hooks are called with formulas and solver calls.
func (h *Hooks) FollowsSolver() bool { return h.Formula != nil || h.Solve != nil }
