package upgrade

import (
	"errors"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// passing returns the steps of targets without a version, and stuck those of them that keep the
// targets at their bundles although better candidates exist.
func (u *least) passing(targets []Target) (passing, stuck []resolver.Step) {
	if u.newest == nil {
		return nil, nil
	}
	for _, step := range u.newest.Steps {
		if !slices.ContainsFunc(targets, func(t Target) bool { return t.Version == "" && meets(&step, t.Subscription) }) {
			continue
		}
		if passing = append(passing, step); step.Action == resolver.Keep && len(step.PassedOver) > 0 {
			stuck = append(stuck, step)
		}
	}
	return passing, stuck
}

// maxFarther limits the candidates of a target to which longer upgrade paths are searched.
const maxFarther = 3

// farther searches for an upgrade path of several rounds if a single upgrade reaches nothing
// better. The result is nil if there is none.
func (u *least) farther(req resolver.Request, targets []Target, stuck []resolver.Step) (*Upgraded, error) {
	for _, step := range stuck {
		for _, better := range step.PassedOver[:min(len(step.PassedOver), maxFarther)] {
			named := slices.Clone(targets)
			for i := range named {
				if t := &named[i]; t.Version == "" && meets(&step, t.Subscription) {
					t.Version = better.Name
				}
			}
			out, err := Least(u.ctx, u.r, req, named)
			var conflict *resolver.Conflict
			var target *TargetError
			switch {
			case err == nil:
				return out, nil
			case !errors.As(err, &conflict) && !errors.As(err, &target):
				return nil, err
			}
		}
	}
	return nil, nil
}

// meets reports whether a step satisfies a subscription.
func meets(step *resolver.Step, subscription string) bool {
	return slices.ContainsFunc(step.Because, func(r resolver.Reason) bool { return r.Subscription == subscription })
}

// The limits of the search for other choices of dependencies.
const (
	maxVaried = 3
	maxVary   = 60
)

// vary searches for a change with fewer companions by other choices of dependencies: up to three of
// the newly installed companions are forbidden.
func (u *least) vary(most int) error {
	type choice struct {
		forbidden []resolver.Forbidden
		moved     []*resolver.Step
	}
	seen := make(map[string]bool)
	tries := 0
	for todo := []choice{{nil, u.moved(u.best)}}; len(todo) > 0 && most > 1; todo = todo[1:] {
		for _, step := range todo[0].moved {
			if step.Action != resolver.Install || len(todo[0].forbidden) == maxVaried {
				continue
			}
			forbidden := append(slices.Clip(todo[0].forbidden), resolver.Forbidden{Bundle: resolver.BundleRef{Catalog: step.Catalog, Name: step.Bundle}})
			names := text.Each(forbidden, func(f resolver.Forbidden) string { return f.Bundle.String() })
			slices.Sort(names)
			if key := strings.Join(names, " "); seen[key] {
				continue
			} else if seen[key] = true; tries == maxVary {
				return nil
			}
			tries++
			req := u.req
			req.Forbid = append(slices.Clip(req.Forbid), forbidden...)
			sol, err := u.r.Resolve(u.ctx, req)
			var conflict *resolver.Conflict
			switch {
			case errors.As(err, &conflict):
				continue
			case err != nil:
				return err
			}
			moved := u.moved(sol)
			if len(moved) < most {
				u.best, most = sol, len(moved)
			}
			todo = append(todo, choice{forbidden, moved})
		}
	}
	return nil
}
