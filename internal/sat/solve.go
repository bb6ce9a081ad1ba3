package sat

import (
	"context"
	"fmt"
	"time"
)

// Solve solves the clauses under the assumptions, which apply to this call
// only.
//
// The error is nil if and only if the status is not Unknown. It wraps
// ctx.Err() if the context ended, or is a *BudgetError after Options.MaxSolves
// solves. The Solver stays usable in both cases. Cancellation takes effect
// within milliseconds, also during a long solve. A context that cannot end has
// no cost.
func (s *Solver) Solve(ctx context.Context, assumptions ...Lit) (Status, error) {
	s.failed = s.failed[:0]
	if err := ctx.Err(); err != nil {
		return Unknown, s.stopped(ctx)
	}
	if s.broken {
		return Unsatisfiable, nil
	}
	for _, l := range assumptions {
		if l == 0 {
			s.failed = append(s.failed, l)
			return Unsatisfiable, nil
		}
		s.ensureVar(l)
	}
	if s.opts.MaxSolves > 0 && s.solves >= s.opts.MaxSolves {
		return Unknown, &BudgetError{Limit: s.opts.MaxSolves, Solves: s.solves}
	}
	s.solves++
	if s.backend == nil && !s.start(ctx) {
		return Unknown, s.stopped(ctx)
	}
	if s.flush(ctx); len(s.pending) > 0 {
		return Unknown, s.stopped(ctx)
	}
	if status := s.backend.solve(ctx, assumptions, s); status != Unknown {
		return status, nil
	}
	return Unknown, s.stopped(ctx)
}

// The creation time of a backend with at least manyVars variables, about twice
// the measured value. It cannot be interrupted.
const (
	manyVars  = 1 << 16
	startEach = 250 * time.Nanosecond // per variable
)

// start creates the backend. If a deadline would pass first, it waits for the
// deadline and returns false.
func (s *Solver) start(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	if ok && ctx.Done() != nil && s.vars >= manyVars && time.Until(deadline) < time.Duration(s.vars)*startEach {
		<-ctx.Done()
		return false
	}
	s.backend = newBackend(s.vars, len(s.pending))
	return true
}

// flush passes the clauses added since the last solve to the backend until ctx
// ends.
func (s *Solver) flush(ctx context.Context) {
	rest := s.pending
	for len(rest) > 0 && ctx.Err() == nil {
		n := min(len(rest), flushStep)
		for rest[n-1] != 0 {
			n++
		}
		s.backend.addAll(rest[:n])
		rest = rest[n:]
	}
	s.pending = append(s.pending[:0], rest...)
}

// flushStep is the number of literals passed between two context checks: some
// milliseconds.
const flushStep = 1 << 16

// stopped returns the error of a solve that ctx interrupted or prevented.
func (s *Solver) stopped(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || cause == err {
		return fmt.Errorf("stopped after %d solver calls: %w", s.solves, err)
	}
	return fmt.Errorf("stopped after %d solver calls: %w: %w", s.solves, err, cause)
}

// recordFailed records the assumptions in core, in their order, without
// duplicates. If there are none, the clauses alone are unsatisfiable.
func (s *Solver) recordFailed(assumptions, core []Lit) {
	if need := 2*s.vars + 2; len(s.marks) < need {
		s.marks = make([]bool, need+need/4)
	}
	for _, l := range core {
		s.marks[markIndex(l)] = true
	}
	for _, l := range assumptions {
		if i := markIndex(l); s.marks[i] {
			s.marks[i] = false
			s.failed = append(s.failed, l)
		}
	}
	s.broken = len(s.failed) == 0
}

func markIndex(l Lit) int {
	if l < 0 {
		return -2*int(l) + 1
	}
	return 2 * int(l)
}
