package resolver

import "github.com/seed109e2655/resolute/resolver/internal/settings"

// WithDeadEnds sets how many dead ends in a row may lead no deeper before the
// solver is asked.
func WithDeadEnds(n int) Option { return func(s *settings.Settings) { s.DeadEnds = n } }

// WithLarge sets how many facts of a conflict are so many that it is trimmed first.
func WithLarge(facts int) Option { return func(s *settings.Settings) { s.Large = facts } }

// Place identifies what is installed and who owns it.
func Place(req *Request) string { return req.place() }
