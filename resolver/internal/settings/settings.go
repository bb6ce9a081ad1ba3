// Package settings has the settings of a resolver: those of its public options, and those for its
// sibling packages and for tests.
package settings

import (
	"log/slog"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Settings are the settings of a resolver.
type Settings struct {
	Limits problem.Limits

	Hooks   []trace.Hooks
	Logger  *slog.Logger  // nil for none
	Metrics cache.Metrics // likewise

	Operation trace.Operation // that all resolutions are part of; empty: each has its own
	Aside     Aside

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

// AsOption makes a resolver.Option of a function. Package resolver sets it when the program starts:
// its options have a hidden method, and its sibling packages have settings that users do not have.
var AsOption func(func(*Settings)) any
