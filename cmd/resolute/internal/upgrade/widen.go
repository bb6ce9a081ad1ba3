package upgrade

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// widen adds a round in which the demands that block the others are free to move as well.
func (f *pathFinder) widen(ctx context.Context, s stage, sol *resolver.Solution) error {
	free := maps.Clone(s.free)
	for i := range sol.Steps {
		step := &sol.Steps[i]
		for _, why := range step.Because {
			if !s.free[why.Subscription] || len(step.PassedOver) == 0 {
				continue
			}
			req := f.request(s)
			for k, a := range demands(&req) {
				if a.Name == why.Subscription {
					send(&req, k, step.PassedOver[0].Name)
				}
			}
			f.tries++
			_, err := f.r.Resolve(ctx, req)
			var conflict *resolver.Conflict
			switch {
			case errors.As(err, &conflict):
				f.inTheWay(conflict, free)
			case err != nil:
				return err
			}
		}
	}
	if len(free) > len(s.free) {
		s.free = free
		f.queue = append(f.queue, s)
	}
	return nil
}

// inTheWay adds the subscriptions of a conflict, without the targets.
func (f *pathFinder) inTheWay(c *resolver.Conflict, to map[string]bool) {
	for _, one := range c.All() {
		for i := range one.Facts {
			fact := &one.Facts[i]
			if (fact.Kind == argument.FactSubscription || fact.Kind == argument.FactHold) && !slices.Contains(f.targets, fact.Subscription) {
				to[fact.Subscription] = true
			}
		}
	}
}
