// Package watch turns what a search does into events, and calls the hooks of a resolver with
// these and others.
package watch

import (
	"context"

	"github.com/seed109e2655/resolute/resolver/trace"
)

// Hooks are all hooks of a resolver that are set, to be called in their order.
type Hooks struct {
	resolution     []func(context.Context, trace.Event) context.Context
	Search, Solver Calls
}

// Calls are the hooks about a search, or about formulas and solver calls.
type Calls []func(context.Context, trace.Event)

// Of collects hooks; some may be nil.
func Of(list []*trace.Hooks) Hooks {
	var all Hooks
	for _, h := range list {
		if h == nil {
			continue
		}
		if h.Resolution != nil {
			all.resolution = append(all.resolution, h.Resolution)
		}
		if h.Search != nil {
			all.Search = append(all.Search, h.Search)
		}
		if h.Solver != nil {
			all.Solver = append(all.Solver, h.Solver)
		}
	}
	return all
}

// Resolution calls the hooks about a resolution as a whole, and returns the context that it
// goes on with if that is up to them.
func (hs *Hooks) Resolution(ctx context.Context, e trace.Event) context.Context {
	for _, call := range hs.resolution {
		if next := call(ctx, e); next != nil && (e.Began != nil || e.Explain != nil) {
			ctx = next
		}
	}
	return ctx
}

// Hearers counts the hooks about a resolution as a whole.
func (hs *Hooks) Hearers() int { return len(hs.resolution) }

// Tell calls the hooks with an event.
func (cs Calls) Tell(ctx context.Context, e trace.Event) {
	for _, call := range cs {
		call(ctx, e)
	}
}
