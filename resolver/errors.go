package resolver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// ErrSolvable is returned by [Resolver.WriteDRAT] for a request that has a solution.
var ErrSolvable = errors.New("the request has a solution, so there is no proof of unsatisfiability; to prove the answer, make a certificate")

// ErrNotProven is returned by [Resolver.Prove] for an answer that it cannot prove.
var ErrNotProven = errors.New("this answer has no proof: the deadline stopped the minimization of the conflict; allow more time")

// RequestError reports an invalid request. Nothing was resolved. It lists all problems, not only
// the first.
type RequestError struct {
	Problems []RequestProblem
}

// RequestProblem is one problem of an invalid request.
type RequestProblem struct {
	// Field is the path of the invalid field, for example "subscriptions[2].package".
	Field string
	// Value is the invalid value; empty if it is missing.
	Value string
	// Message states the problem and how to fix it.
	Message string
	// Err is the cause; nil if there is none.
	Err error
}

// Error lists the problems, one per line if there are several.
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

// Unwrap returns the non-nil causes.
func (e *RequestError) Unwrap() []error {
	var errs []error
	for _, p := range e.Problems {
		if p.Err != nil {
			errs = append(errs, p.Err)
		}
	}
	return errs
}

// String returns the problem in one line. Control characters are escaped.
func (p RequestProblem) String() string {
	field, message := text.Inert(p.Field), text.Inert(clip(p.Message))
	if p.Value == "" {
		return field + ": " + message
	}
	return fmt.Sprintf("%s: %q: %s", field, clip(p.Value), message)
}

// Limit is the stable name of an exhausted budget.
type Limit string

// The limits that stop a resolution.
const (
	// LimitContext: the context was canceled or its deadline exceeded.
	LimitContext Limit = problem.ResourceTime
	// LimitSolves: the number of solver calls.
	LimitSolves Limit = problem.ResourceSolves
	// LimitSteps: the number of steps of a search.
	LimitSteps Limit = problem.ResourceSteps
	// LimitBundles: the number of candidate bundles.
	LimitBundles Limit = problem.ResourceBundles
	// LimitCELCost: the cost of CEL rules.
	LimitCELCost Limit = problem.ResourceCELCost
	// LimitRounds: the number of rounds of an upgrade path.
	LimitRounds Limit = "rounds"
)

// IncompleteError reports a resolution that stopped before it had an answer. The request may or
// may not be satisfiable, unless Unsatisfiable is set. A conflict whose explanation was cut
// short is not an IncompleteError but a [*Conflict] that is not Minimal.
type IncompleteError struct {
	// Unsatisfiable reports whether the request is known to have no solution; only the
	// explanation is missing.
	Unsatisfiable bool
	// Limit is the exhausted budget, and Allowed its size (0 for a context).
	Limit    Limit
	Allowed  uint64
	Progress Progress
	// Setting is how users set the limit, from [WithLimitNames]; or empty.
	Setting string
	// Err is the error of the context; nil for other limits.
	Err error
}

// Progress reports how far a resolution got.
type Progress struct {
	// Decided is the number of decisions made, and Pending of those known to remain.
	Decided, Pending int
	Stats            Stats
}

// Error states the exhausted limit, the progress, and what to do.
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
	return fmt.Sprintf("%s: more than %d %s needed (%s); raise %s or narrow the request",
		what, e.Allowed, e.Limit, far, cmp.Or(e.Setting, "the limit"))
}

// Unwrap returns Err.
func (e *IncompleteError) Unwrap() error { return e.Err }

// VetoError reports that [Request.Veto] could not decide about a bundle. Nothing was resolved.
type VetoError struct {
	Bundle BundleRef
	Err    error // of Veto
}

// Error names the bundle and the cause. Control characters are escaped.
func (e *VetoError) Error() string {
	return text.Inert(fmt.Sprintf("Request.Veto cannot decide about %s: %s", e.Bundle, clip(fmt.Sprint(e.Err))))
}

// Unwrap returns Err.
func (e *VetoError) Unwrap() error { return e.Err }

// veto is the veto of the request, with errors that name the bundle; nil if it has none.
func (req *Request) veto() func(context.Context, cache.Key, *graph.Bundle) (string, error) {
	if req.Veto == nil {
		return nil
	}
	return func(ctx context.Context, catalog cache.Key, b *graph.Bundle) (string, error) {
		why, err := req.Veto(ctx, catalog, b)
		if err != nil {
			return "", &VetoError{Bundle: BundleRef{Catalog: catalog, Name: b.Name}, Err: err}
		}
		return why, nil
	}
}

// clip truncates a text to the maximum length of a message.
func clip(s string) string { return text.Clip(s, lexicon.MaxText) }

// line formats the description of a change.
func line(format string, args ...any) string { return text.Inert(clip(fmt.Sprintf(format, args...))) }
