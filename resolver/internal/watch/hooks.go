// Package watch turns what the stages of a resolution do into events, and calls the
// hooks of the resolver with them.
package watch

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/resolver/trace"
)

// Hooks are all hooks of a resolver, called in their order.
type Hooks []*trace.Hooks

// FollowSearch reports whether a hook is called with what a search does.
func (hs Hooks) FollowSearch() bool { return slices.ContainsFunc(hs, (*trace.Hooks).FollowsSearch) }

// FollowSolver reports whether a hook is called with formulas and solver calls.
func (hs Hooks) FollowSolver() bool { return slices.ContainsFunc(hs, (*trace.Hooks).FollowsSolver) }

// call calls a hook that is set.
func call[E any](ctx context.Context, hook func(context.Context, E), e E) {
	if hook != nil {
		hook(ctx, e)
	}
}

// Began calls the hooks at the beginning of a resolution, and returns the context that
// it goes on with.
func (hs Hooks) Began(ctx context.Context, e trace.Began) context.Context {
	for _, h := range hs {
		if h.ResolveBegan == nil {
			continue
		}
		if next := h.ResolveBegan(ctx, e); next != nil {
			ctx = next
		}
	}
	return ctx
}

// Ended calls the hooks at the end of a resolution.
func (hs Hooks) Ended(ctx context.Context, e trace.Ended) {
	for _, h := range hs {
		call(ctx, h.ResolveEnded, e)
	}
}

// LeftOut calls the hooks when something is left out.
func (hs Hooks) LeftOut(ctx context.Context, e trace.LeftOut) {
	for _, h := range hs {
		call(ctx, h.LeftOut, e)
	}
}

// ExplainBegan calls the hooks at the beginning of an explanation, and returns the
// context that it goes on with.
func (hs Hooks) ExplainBegan(ctx context.Context) context.Context {
	for _, h := range hs {
		if h.ExplainBegan == nil {
			continue
		}
		if next := h.ExplainBegan(ctx); next != nil {
			ctx = next
		}
	}
	return ctx
}

// ExplainEnded calls the hooks at the end of an explanation.
func (hs Hooks) ExplainEnded(ctx context.Context, e trace.Conflict) {
	for _, h := range hs {
		call(ctx, h.ExplainEnded, e)
	}
}
