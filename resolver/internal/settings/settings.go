// Package settings has the settings of a resolver: those of its public options, and those for its
// sibling packages and for tests.
package settings

import (
	"context"
	"log/slog"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Settings are the settings of a resolver.
type Settings struct {
	Limits    problem.Limits
	LimitName func(resource string) string // how users set a limit; or nil
	Terms     graph.Terms                  // the nouns of texts

	Hooks   []trace.Hooks
	Logger  *slog.Logger  // nil for none
	Metrics cache.Metrics // likewise

	Operation trace.Operation // that all resolutions are part of; empty: each has its own

	DeadEnds int // conflicts without progress before the solver decides; 0 means the default, negative none
	Look     int // levels of requirements that refute an option; 0 for the default, negative for none
	Large    int // facts that are many for one conflict, 0 for the default
}

// Aside names the roots of a request to ignore: subscriptions, installed bundles that need not stay,
// and forced bundles. Installed bundles remain candidates.
type Aside map[Root]bool

// Root identifies a root of a conflict by the kind of its fact and its name.
type Root struct {
	Kind argument.FactKind
	Name string
}

// asideKey is the key of an Aside in a context.
type asideKey struct{}

// WithAside returns a context in which resolutions ignore some roots.
func WithAside(ctx context.Context, aside Aside) context.Context {
	return context.WithValue(ctx, asideKey{}, aside)
}

// AsideOf returns the roots to ignore in a context, or nil.
func AsideOf(ctx context.Context) Aside {
	aside, _ := ctx.Value(asideKey{}).(Aside)
	return aside
}
