package upgrade

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// maxOrderTries limits the resolutions of the search for an order of the steps of one round.
const maxOrderTries = 200

// executable returns the changes of a round in an order in which they can be executed one by one.
// The waves of the solution are such an order unless bundles depend on each other, or an installed
// bundle lacks a dependency: executing one step may then install a dependency that the other steps
// do not permit. Such a step waits for one that installs only bundles of the round, and the bundles
// that this one installs come right after it. Steps that need each other keep the order of the
// waves.
func (c *checker) executable(ctx context.Context, at resolver.Request, in *world, sol *resolver.Solution) ([]resolver.Step, error) {
	left := slices.DeleteFunc(slices.Clone(sol.Steps), func(s resolver.Step) bool { return s.Action == resolver.Keep })
	if len(left) < 2 {
		return left, nil
	}
	if !bringsLater(left) {
		if lacks, err := c.missesDependency(ctx, at, in); err != nil || !lacks {
			return left, err
		}
	}
	var order []resolver.Step
	end, tries := setOf(sol.Set()), 0
	for i := 0; i < len(left) && tries < maxOrderTries; {
		after, err := c.alone(ctx, at, in, &left[i], end)
		if err != nil {
			return nil, err
		}
		if tries++; after == nil {
			i++
			continue
		}
		first := left[i]
		at, left, i = *after, slices.Delete(left, i, i+1), 0
		order = append(order, first)
		there := placesOf(&at).installed
		for _, s := range left {
			if there[s.Bundle] != nil {
				order = append(order, s)
			}
		}
		left = slices.DeleteFunc(left, func(s resolver.Step) bool { return there[s.Bundle] != nil })
	}
	return append(order, left...), nil
}

// bringsLater reports whether a dependency of a step comes after it.
func bringsLater(steps []resolver.Step) bool {
	before := make(map[string]bool, len(steps))
	for i := range steps {
		if slices.ContainsFunc(steps[i].Because, func(why resolver.Reason) bool { return before[why.Bundle] }) {
			return true
		}
		before[steps[i].Bundle] = true
	}
	return false
}

// missesDependency reports whether an installed bundle lacks a dependency, which every step
// installs.
func (c *checker) missesDependency(ctx context.Context, at resolver.Request, in *world) (bool, error) {
	req := in.request(at, resolver.MinimalChange)
	stay(&req, nil)
	sol, err := c.r.Resolve(ctx, req)
	if err != nil {
		return false, ignoreConflict(err)
	}
	return slices.ContainsFunc(sol.Steps, func(s resolver.Step) bool { return s.Action != resolver.Keep }), nil
}

// alone executes one step: its owner goes to the bundle, or the bundle is installed with an owner
// of its own. It returns the state after it, nil if the step is impossible by itself or changes
// anything else, except to bundles of end.
func (c *checker) alone(ctx context.Context, at resolver.Request, in *world, step *resolver.Step, end map[string]bool) (*resolver.Request, error) {
	i := slices.IndexFunc(demands(&at), func(a demand) bool { return a.InstalledCSV != "" && slices.Contains(step.Replaces, a.InstalledCSV) })
	if i < 0 {
		var ok bool
		if at, ok = addOwner(at, step); !ok {
			return nil, nil
		}
		i = len(demands(&at)) - 1
	}
	req := fork(in.request(at, resolver.MinimalChange))
	release(&req, i)
	stay(&req, map[int]bool{i: true})
	send(&req, i, step.Bundle)
	sol, err := c.r.Resolve(ctx, req)
	if err != nil {
		return nil, ignoreConflict(err)
	}
	if agrees, err := c.agrees(ctx, in, req, sol); err != nil || !agrees {
		return nil, err
	}
	if set := sol.Set(); !slices.Contains(set, step.Bundle) || slices.ContainsFunc(sol.Steps, func(s resolver.Step) bool {
		return s.Action != resolver.Keep && !end[s.Bundle]
	}) {
		return nil, nil
	}
	after := at.Advance(sol)
	return &after, nil
}

// addOwner adds the subscription or extension that a new bundle gets. The result is false if it
// gets none, or its name is taken.
func addOwner(req resolver.Request, step *resolver.Step) (resolver.Request, bool) {
	req = fork(req)
	names := placesOf(&req).subs
	if e, ok := step.Extension(); ok && names[e.Name] == nil {
		e.InstalledCSV, e.VersionRange = "", ""
		req.Extensions = append(req.Extensions, e)
		return req, true
	}
	if s, ok := step.Subscription(); ok && names[s.Name] == nil {
		s.InstalledCSV = ""
		req.Subscriptions = append(req.Subscriptions, s)
		return req, true
	}
	return req, false
}

func setOf(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, name := range list {
		out[name] = true
	}
	return out
}
