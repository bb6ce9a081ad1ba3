// Package settings has the settings of a resolver: those that its options make, and those
// that are for the packages beside it and for tests alone. A function that changes them is
// an option of the resolver, and a user of the module cannot write one.
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

// Aside names what asks for nothing while the rest of a request is looked at:
// subscriptions, installed bundles that need not stay, forced bundles. What is installed
// is still there and may be chosen.
type Aside map[Root]bool

// Root is what a conflict can start from, by the kind of the fact and its name.
type Root struct {
	Kind argument.FactKind
	Name string
}

// WithAside sets aside a part of each request: one of several independent conflicts can be
// looked at while the others count as settled.
func WithAside(a Aside) func(*Settings) { return func(s *Settings) { s.Aside = a } }

// PartOf makes hooks, logs and metrics count every resolution as a part of a larger
// operation: an upgrade path, an audit, a search for corrections. What is part of an
// operation already stays so.
func PartOf(op trace.Operation) func(*Settings) {
	return func(s *Settings) {
		if s.Operation == "" {
			s.Operation = op
		}
	}
}
