package scenario

import (
	"errors"
	"time"

	"github.com/seed109e2655/resolute/resolver"
)

// NewAnswer puts what [resolver.Resolver.Resolve] returned into the shape of an
// answer. The times are left at zero.
func NewAnswer(sol *resolver.Solution, err error) *Answer {
	a := new(Answer)
	var conflict *resolver.Conflict
	var incomplete *resolver.IncompleteError
	switch {
	case err == nil:
		a.Status = Resolved
		a.Set, a.Steps, a.Warnings, a.Unresolved, a.Stats.Stats = sol.Set(), sol.Steps, sol.Warnings, sol.Unresolved, sol.Stats
	case errors.As(err, &conflict):
		a.Status = Unsatisfiable
		a.Conflict = conflict
		a.Stats.Stats = conflict.Stats
	case errors.As(err, &incomplete):
		a.Status = Incomplete
		a.Error = err.Error()
		a.Stats.Stats = incomplete.Progress.Stats
	case isStopped(err):
		a.Status = Incomplete
		a.Error = err.Error()
	default:
		a.Status = Invalid
		a.Error = err.Error()
	}
	return a
}

// milliseconds returns a duration in milliseconds, to the microsecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
