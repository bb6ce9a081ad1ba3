package upgrade

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// TargetError is an invalid target.
type TargetError struct {
	Target Target
	// Extension is true if the target is an extension of OLM v1, or was searched among them.
	Extension bool
	// Reason is the reason, and what to do.
	Reason string
}

// Error implements error.
func (e *TargetError) Error() string {
	asker := "subscription"
	if e.Extension {
		asker = "extension"
	}
	return text.Inert(fmt.Sprintf("%s %s: %s", asker, e.Target.Subscription, e.Reason))
}

func targetError(req *resolver.Request, t Target, reason string) *TargetError {
	return &TargetError{t, len(req.Extensions) > 0, reason}
}

// RefusedError means that no upgrade path reaches the goals of the targets.
type RefusedError struct {
	// Request is the request without demands that have no installed bundle, and Targets the goals
	// of its subscriptions or extensions. Package whatif finds corrections of it for the conflict
	// in Err, verified by following the path, with Allow and Reach as its options.
	Request resolver.Request
	Targets []Target
	// Rounds are the longest upgrade path, and Err is the error that ends it.
	Rounds []*resolver.Solution
	Err    error

	goals map[string]string
}

// Error returns that of Err.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RefusedError) Unwrap() error { return e.Err }

// Allow reports whether a change of the request preserves the targets: a correction must not give
// one up. It is for the options of package whatif.
func (e *RefusedError) Allow(c resolver.Change) bool {
	switch c := c.(type) {
	case resolver.DropSubscription:
		return e.goals[c.Subscription] == ""
	case resolver.RemoveInstalled:
		owned := e.Request.Owned()
		return !slices.ContainsFunc(demands(&e.Request), func(s demand) bool {
			return e.goals[s.Name] != "" && owned[s.Name] == c.Bundle
		})
	default:
		return true
	}
}

// Reach resolves a changed request by following the upgrade path: the solution is that of its last
// round, in which the targets are at their goals, and the error the one that ends it before. It is
// for the options of package whatif.
func (e *RefusedError) Reach(r *resolver.Resolver) func(context.Context, resolver.Request) (*resolver.Solution, error) {
	return func(ctx context.Context, req resolver.Request) (*resolver.Solution, error) {
		u := &least{ctx: ctx, r: r, names: make(map[string]bool)}
		req = fork(req)
		for i, s := range demands(&req) {
			if goal := e.goals[s.Name]; goal != "" {
				*pin(&req, i), u.names[s.Name] = goal, true
			}
		}
		_, path, err := u.follow(req)
		if err != nil {
			return nil, err
		}
		return path.Rounds[len(path.Rounds)-1], nil
	}
}
