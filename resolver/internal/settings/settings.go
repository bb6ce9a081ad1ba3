// Package settings has the settings of a resolver: those of its public options, and those for its
// sibling packages and for tests. An option of the resolver is a function that changes them; being
// internal, they keep users of the module from writing options.
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

// WithAside ignores some roots of each request, so that one of several independent conflicts can be
// resolved alone.
func WithAside(a Aside) func(*Settings) { return func(s *Settings) { s.Aside = a } }

// PartOf makes hooks, logs and metrics report every resolution as part of a larger operation: an
// upgrade path, an audit, a search for corrections. It does not change an operation that is already
// set.
func PartOf(op trace.Operation) func(*Settings) {
	return func(s *Settings) {
		if s.Operation == "" {
			s.Operation = op
		}
	}
}
