// Package watch turns what a search does into events, and calls the hooks of a resolver with
// these and others.
package watch

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/resolver/trace"
)

// Hooks are all hooks of a resolver, called in their order.
type Hooks []*trace.Hooks

// FollowSearch reports whether a hook is called with what a search does.
func (hs Hooks) FollowSearch() bool {
	return slices.ContainsFunc(hs, func(h *trace.Hooks) bool { return h.Search != nil })
}

// FollowSolver reports whether a hook is called with formulas and solver calls.
func (hs Hooks) FollowSolver() bool {
	return slices.ContainsFunc(hs, func(h *trace.Hooks) bool { return h.Solver != nil })
}

// Resolution calls the hooks about a resolution as a whole, and returns the context that it
// goes on with if that is up to them.
func (hs Hooks) Resolution(ctx context.Context, e trace.Event) context.Context {
	for _, h := range hs {
		if h.Resolution == nil {
			continue
		}
		if next := h.Resolution(ctx, e); next != nil && (e.Began != nil || e.Explain != nil) {
			ctx = next
		}
	}
	return ctx
}

// Search calls the hooks about a search.
func (hs Hooks) Search(ctx context.Context, e trace.Event) {
	for _, h := range hs {
		if h.Search != nil {
			h.Search(ctx, e)
		}
	}
}

// Solver calls the hooks about formulas and solver calls.
func (hs Hooks) Solver(ctx context.Context, e trace.Event) {
	for _, h := range hs {
		if h.Solver != nil {
			h.Solver(ctx, e)
		}
	}
}
