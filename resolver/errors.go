package resolver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// ErrSolvable is the error of [Resolver.WriteDRAT] for a request that has a solution.
var ErrSolvable = errors.New("the hard rules have a solution, so nothing proves that they have none; for a proof of the answer, make a certificate")

// ErrNotProven is the error of [Resolver.Prove] for an answer that has no proof.
var ErrNotProven = errors.New("this answer has no proof: installed bundles are broken already, a subscription is left out before one that is pinned away from what it owns, or the time was too short to make the conflict minimal")

// RequestError says that a request is not a well-formed problem: nothing was
// resolved. It lists everything that is wrong, not only the first thing.
type RequestError struct {
	Problems []RequestProblem
}

// RequestProblem is one thing that is wrong with a request.
type RequestProblem struct {
	// Field is the path of the offending part, for example
	// "subscriptions[2].package".
	Field string
	// Value is what was given, empty if nothing was.
	Value string
	// Message says what is wrong and what to do.
	Message string
	// Err is the cause, if there is one.
	Err error
}

// Error lists the problems, one a line if there are several.
func (e *RequestError) Error() string {
	if len(e.Problems) == 1 {
		return "invalid request: " + e.Problems[0].String()
	}
	var b strings.Builder
	b.WriteString("invalid request:")
	for _, p := range e.Problems {
		b.WriteString("\n- " + p.String())
	}
	return b.String()
}

// Unwrap returns the causes of the problems that have one.
func (e *RequestError) Unwrap() []error {
	var errs []error
	for _, p := range e.Problems {
		if p.Err != nil {
			errs = append(errs, p.Err)
		}
	}
	return errs
}

// String returns the problem as one line. Names in it are made inert.
func (p RequestProblem) String() string {
	field, message := text.Inert(p.Field), text.Inert(clip(p.Message))
	if p.Value == "" {
		return field + ": " + message
	}
	return fmt.Sprintf("%s: %q: %s", field, clip(p.Value), message)
}

// Limit is the stable name of what stopped a resolution.
type Limit string

// The limits that stop a resolution.
const (
	// LimitContext: the context ended.
	LimitContext Limit = problem.ResourceTime
	// LimitSolves: the allowed solver calls.
	LimitSolves Limit = problem.ResourceSolves
	// LimitBundles: the allowed candidate bundles.
	LimitBundles Limit = problem.ResourceBundles
	// LimitCELCost: the allowed cost of CEL rules.
	LimitCELCost Limit = problem.ResourceCELCost
	// LimitRounds: the allowed rounds of an upgrade path.
	LimitRounds Limit = "rounds"
)

// IncompleteError says that a resolution stopped before it had an answer. The
// request may or may not be satisfiable, unless Unsatisfiable is set. (A conflict whose
// explanation was cut short is a [*Conflict] that is not Minimal.)
type IncompleteError struct {
	// Unsatisfiable says that the request is known to have no solution: only the
	// facts that explain why were not found in time.
	Unsatisfiable bool
	// Limit is what ran out, and Allowed how much of it there was (0 for a context).
	Limit   Limit
	Allowed uint64
	// Progress says how far the resolution got.
	Progress Progress
	// Err is the context's error, nil for the other limits.
	Err error
}

// Progress says how far a resolution got.
type Progress struct {
	// Decided and Pending are the decisions made and known to be left.
	Decided, Pending int
	// Stats are the counts so far.
	Stats Stats
}

// Error says which limit was hit, how far the resolution got, and what to do.
func (e *IncompleteError) Error() string {
	p := e.Progress
	far := fmt.Sprintf("%d decisions made, %d pending, %d bundles reached, %d solver calls",
		p.Decided, p.Pending, p.Stats.Reached, p.Stats.Solves)
	what := "resolution stopped"
	if e.Unsatisfiable {
		what = "there is no solution, but the search for the reasons stopped"
	}
	if e.Limit == LimitContext {
		text := fmt.Sprintf("%s: %v (%s)", what, e.Err, far)
		if errors.Is(e.Err, context.DeadlineExceeded) {
			text += "; allow more time or narrow the request"
		}
		return text
	}
	return fmt.Sprintf("%s: more than %d %s needed (%s); raise the limit or narrow the request",
		what, e.Allowed, e.Limit, far)
}

// Unwrap returns the context's error, if that is what ended the resolution.
func (e *IncompleteError) Unwrap() error { return e.Err }

// clip cuts the end off a text that is longer than a sentence repeats.
func clip(s string) string { return text.Clip(s, lexicon.MaxText) }
