package sat

import (
	"context"
	"fmt"
	"time"
)

// Solve finds out whether the clauses can hold while every assumption holds.
// The assumptions count for this call alone.
//
// The error is nil exactly when the status is not Unknown. It wraps ctx.Err()
// when the context ended, or is a *BudgetError when Options.MaxSolves solves
// were made. The Solver stays usable after either. A context that ends takes
// effect within some milliseconds, also in the middle of a long solve; a
// context that can never end costs nothing.
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
		s.know(l)
	}
	if s.opts.MaxSolves > 0 && s.solves >= s.opts.MaxSolves {
		return Unknown, &BudgetError{Limit: s.opts.MaxSolves, Solves: s.solves}
	}
	s.solves++
	if s.backend == nil && len(s.pending) <= quickMost {
		if status := s.quickly(assumptions); status != Unknown {
			return status, nil
		}
	}
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

// The backend of many variables, manyVars at least, takes this long to make, about twice
// what was measured, and cannot be stopped meanwhile.
const (
	manyVars  = 1 << 16
	startEach = 250 * time.Nanosecond // for each variable
)

// start makes the backend. Where a deadline would pass before that is done, and so before
// anything could be found out, it waits for the deadline and reports false.
func (s *Solver) start(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	if ok && ctx.Done() != nil && s.vars >= manyVars && time.Until(deadline) < time.Duration(s.vars)*startEach {
		<-ctx.Done()
		return false
	}
	s.backend = newBackend(s.vars, len(s.pending))
	return true
}

// flush passes the clauses added since the last solve to the backend, as far as ctx
// lets it.
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

// flushStep is how many literals are passed on between two looks at the context: some
// milliseconds' worth.
const flushStep = 1 << 16

// stopped is the error of a solve that ctx ended, or kept from starting.
func (s *Solver) stopped(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || cause == err {
		return fmt.Errorf("stopped after %d solver calls: %w", s.solves, err)
	}
	return fmt.Errorf("stopped after %d solver calls: %w: %w", s.solves, err, cause)
}

// recordFailed keeps those assumptions that are in core, in their order, each
// once. Without any, it is the clauses alone that cannot hold.
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
