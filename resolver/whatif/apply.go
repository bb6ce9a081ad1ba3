package whatif

import (
	"context"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// maxApplied bounds the corrections that one call makes, each of which leaves fewer
// conflicts than there were.
const maxApplied = 100

// Applied is the result of [ApplyCorrections].
type Applied struct {
	// Request is the corrected request; the given one if it needed no correction.
	Request resolver.Request
	// Solution is the solution of Request; nil if there is an error.
	Solution *resolver.Solution
	// Corrections are the corrections applied, in order. The Changes of one are applied
	// together.
	Corrections []resolver.Correction
}

// ApplyCorrections resolves a request and, while it is unsatisfiable, applies the best
// correction that [FindCorrections] finds. Use Allow of opts to restrict the changes.
// Corrections that are upgrade paths are skipped, because they cannot be applied at once.
//
// The error is that of resolving or of FindCorrections. It is a [*resolver.Conflict] with the
// corrections found if none of them can be applied. The result is never nil; with an error it
// has the corrections applied so far and no Solution.
//
// ApplyCorrections is safe for concurrent use. It is deterministic.
func ApplyCorrections(ctx context.Context, r *resolver.Resolver, req resolver.Request, opts FindOptions) (*Applied, error) {
	resolve := r.Resolve
	if opts.Resolve != nil {
		resolve = opts.Resolve
	}
	done := &Applied{Request: req}
	for {
		sol, err := resolve(ctx, done.Request)
		var conflict *resolver.Conflict
		if done.Solution = sol; !errors.As(err, &conflict) || len(done.Corrections) == maxApplied {
			return done, err
		}
		if err := FindCorrections(ctx, r, done.Request, conflict, opts); err != nil {
			return done, err
		}
		next := firstAtOnce(conflict)
		if next == nil {
			return done, conflict
		}
		if done.Request, err = done.Request.Apply(next.List()...); err != nil {
			return done, err
		}
		done.Corrections = append(done.Corrections, *next)
	}
}

// firstAtOnce is the first correction of a conflict, or else of a further one, that is no
// upgrade path.
func firstAtOnce(conflict *resolver.Conflict) *resolver.Correction {
	for _, c := range conflict.All() {
		for i := range c.Corrections {
			if !isPath(&c.Corrections[i]) {
				return &c.Corrections[i]
			}
		}
	}
	return nil
}

// isPath reports whether a correction is an upgrade path.
func isPath(c *resolver.Correction) bool {
	return slices.ContainsFunc(c.List(), func(c resolver.Change) bool {
		follow, ok := c.(resolver.FollowChannel)
		return ok && follow.Round > 0
	})
}
