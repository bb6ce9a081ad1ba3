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

// Applied is a request that was corrected until it has a solution.
type Applied struct {
	// Request is the changed request: what was asked for, if nothing had to be changed.
	Request resolver.Request
	// Solution is what resolving it gives.
	Solution *resolver.Solution
	// Corrections are those that were made, in their order; the Changes of one are made
	// together. They are empty if the request has a solution as it is.
	Corrections []resolver.Correction
}

// ApplyCorrections makes the first correction that [FindCorrections] finds of a conflict,
// and so on with what is left, until the request has a solution: what a person does who
// always takes the first suggestion. Each step is verified, and no request is changed by
// more than its corrections; which those may be, [FindOptions] say with Allow. A correction
// that is an upgrade path is passed by, for it cannot be made at once.
//
// The error is what resolving returns, or what FindCorrections returns if the context ends
// or a limit is reached: a [*resolver.Conflict] where no correction was found that may be
// made, with those that were tried. The result has what was changed by then, without a
// Solution. It is never nil.
//
// It is safe to call from several goroutines. The same request gives the same corrections.
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
		if done.Request, err = done.Request.Apply(next.Changes...); err != nil {
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
			if !slices.ContainsFunc(c.Corrections[i].Changes, func(c resolver.Change) bool { return c.Round > 0 }) {
				return &c.Corrections[i]
			}
		}
	}
	return nil
}
