// Package trace records what a resolution did: every decision in its order with the
// candidates that it looked at, what the solver was asked, where the search ran into a
// dead end and how far it went back, and the answer. A trace is made of what the hooks
// of the resolver are called with ([event.Hooks]), and of nothing else.
package trace

import (
	"cmp"
	"context"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/event"
)

// Trace is the record of one resolution: every decision in its order with the
// candidates it looked at, what the solver was asked, where the search ran into a
// dead end and how far it went back, and the answer.
//
// Without durations it is determined by the request: the same request gives the
// same trace, byte for byte, in any form. It marshals to JSON with the keys of
// its fields; names and texts in it are as they come from the request and the
// catalogs. [Trace.Text] is made inert.
type Trace struct {
	// Namespace, Subscriptions and Installed say what was resolved, as [event.Began].
	Namespace     string `json:"namespace"`
	Subscriptions int    `json:"subscriptions"`
	Installed     int    `json:"installed"`
	// Events are what happened, in order.
	Events []event.Event `json:"events,omitempty"`
	// Outcome, Set and Error are the answer: the result set, or the error in
	// short.
	Outcome event.Outcome `json:"outcome"`
	Set     []string      `json:"set,omitempty"`
	Error   string        `json:"error,omitempty"`
	// Stats count the work.
	Stats Stats `json:"stats"`
	// Took is the whole time, if it was asked for.
	Took event.Duration `json:"tookMs,omitempty"`
}

// Stats are [event.Stats], with the cost of rules.
type Stats struct {
	event.Stats
	CELCost uint64 `json:"celCost,omitempty"`
}

// The defaults of [Options].
const (
	DefaultEvents     = 10_000
	DefaultCandidates = 20
)

// Options bound a trace. The zero value is the default.
type Options struct {
	// Events is how many events are kept: the first half of them and the last
	// half, with one between that counts those dropped. Zero stands for
	// DefaultEvents, a negative number for all.
	Events int
	// Candidates is how many refused candidates of one decision are listed, the
	// best ones; the others are counted by verdict. Zero stands for
	// DefaultCandidates, a negative number for all.
	Candidates int
	// Durations records how long things took.
	Durations bool
}

// Resolve resolves a request like [resolver.Resolver.Resolve], with the same Solution
// and the same error, and records how. There is always a Trace, also of a request that
// cannot be resolved. Hooks and metrics of the Resolver work as usual.
func Resolve(ctx context.Context, r *resolver.Resolver, req resolver.Request, opts Options) (*Trace, *resolver.Solution, error) {
	opts.Events, opts.Candidates = cmp.Or(opts.Events, DefaultEvents), cmp.Or(opts.Candidates, DefaultCandidates)
	rec := &recorder{opts: opts}
	sol, err := r.With(resolver.WithHooks(rec.hooks())).Resolve(ctx, req)
	return rec.trace(), sol, err
}
