package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/seed109e2655/resolute/internal/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// TestPropertyConverge walks the whole upgrade road of each problem on both sides:
// every round is what brute force answers to the problem as the round before left
// it, and the road ends where nothing changes any more, or in a loop.
func TestPropertyConverge(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.3, func(p *oracle.Problem) error { return c.converge(r, p) })
}

func (c converter) converge(r *resolver.Resolver, p *oracle.Problem) error {
	road, err := r.Converge(context.Background(), c.request(p), resolver.ConvergeOptions{MaxRounds: 50})
	var conflict *resolver.Conflict
	if err != nil && !errors.As(err, &conflict) {
		return err
	}
	for n := 0; ; n++ {
		want, serr := oracle.Solve(p)
		switch {
		case serr != nil:
			return nil // the road leads to a problem that is too big
		case !want.Resolved && conflict != nil && n == len(road.Rounds):
			return nil
		case !want.Resolved:
			return fmt.Errorf("round %d has no solution; the road has %d rounds and ends with %v", n, len(road.Rounds), err)
		case n == len(road.Rounds) && road.Loop:
			return nil
		case n == len(road.Rounds):
			return c.atTheEnd(road, want, err)
		}
		if d := difference(c.fromOracle(want), fromSolution(road.Rounds[n])); d != "" {
			return fmt.Errorf("round %d differs (- oracle, + resolver):\n%s", n, d)
		}
		p = oracle.Advance(p, want)
	}
}

// atTheEnd checks that a road ends where nothing is left to do.
func (c converter) atTheEnd(road *resolver.Road, want oracle.Answer, err error) error {
	if slices.ContainsFunc(want.Steps, func(s oracle.Step) bool { return s.Action != "keep" }) {
		return fmt.Errorf("the road ends although %v comes next (%v)", want.Set, err)
	}
	if err != nil {
		return fmt.Errorf("the road ends with %w, although %v stays as it is", err, want.Set)
	}
	if d := difference(c.fromOracle(want), fromSolution(road.Last)); d != "" {
		return fmt.Errorf("the end differs (- oracle, + resolver):\n%s", d)
	}
	return nil
}
