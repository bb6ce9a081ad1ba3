package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// TestPropertyConverge walks the whole upgrade path of each problem on both sides:
// every round is what brute force answers to the problem as the round before left
// it, and the path ends where nothing changes any more, or in a loop.
func TestPropertyConverge(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.3, func(p *oracle.Problem) error { return c.converge(r, p) })
}

func (c converter) converge(r *resolver.Resolver, p *oracle.Problem) error {
	path, err := r.Converge(context.Background(), c.request(p), resolver.ConvergeOptions{MaxRounds: 50})
	var conflict *resolver.Conflict
	var twice *resolver.RequestError // two of one name are installed, see below
	if err != nil && !errors.As(err, &conflict) && !errors.As(err, &twice) {
		return err
	}
	for n := 0; ; n++ {
		want, serr := oracle.Solve(p)
		switch {
		case serr != nil:
			return nil // the path leads to a problem that is too big
		case !want.Resolved && conflict != nil && n == len(path.Rounds):
			return nil
		case !want.Resolved:
			return fmt.Errorf("round %d has no solution; the road has %d rounds and ends with %v", n, len(path.Rounds), err)
		case n == len(path.Rounds) && path.Loop:
			return nil
		case len(slices.Compact(slices.Clone(want.Set))) < len(want.Set):
			return nil // two of one name, of different packages: no cluster can have both
		case n == len(path.Rounds):
			return c.atTheEnd(path, want, err)
		}
		if d := difference(c.fromOracle(want), fromSolution(path.Rounds[n])); d != "" {
			return fmt.Errorf("round %d differs (- oracle, + resolver):\n%s", n, d)
		}
		p = oracle.Advance(p, want)
	}
}

// atTheEnd checks that a path ends where nothing is left to do.
func (c converter) atTheEnd(path *resolver.Path, want oracle.Answer, err error) error {
	if slices.ContainsFunc(want.Steps, func(s oracle.Step) bool { return s.Action != "keep" }) {
		return fmt.Errorf("the road ends although %v comes next (%v)", want.Set, err)
	}
	if err != nil {
		return fmt.Errorf("the road ends with %w, although %v stays as it is", err, want.Set)
	}
	if d := difference(c.fromOracle(want), fromSolution(path.Last)); d != "" {
		return fmt.Errorf("the end differs (- oracle, + resolver):\n%s", d)
	}
	return nil
}

// TestPropertyGeneratedRoad: at each station of an upgrade path, the subscriptions
// that came with dependencies do the same as if somebody had written them down, at
// the end of the list.
func TestPropertyGeneratedRoad(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.3, func(p *oracle.Problem) error { return c.byHand(r, p) })
}

func (c converter) byHand(r *resolver.Resolver, p *oracle.Problem) error {
	ctx := context.Background()
	req := c.request(p)
	for range 50 {
		sol, err := r.Resolve(ctx, req)
		byHand := req
		byHand.Subscriptions = withoutMarks(req)
		same, sameErr := r.Resolve(ctx, byHand)
		if (err == nil) != (sameErr == nil) {
			return fmt.Errorf("generated: %v, by hand: %v", err, sameErr)
		}
		if err != nil {
			return nil
		}
		if d := cmp.Diff(stepsOf(sol), stepsOf(same)); d != "" {
			return fmt.Errorf("the answer differs (- generated, + by hand):\n%s", d)
		}
		next := req.Advance(sol)
		if !slices.ContainsFunc(sol.Steps, func(s resolver.Step) bool { return s.Action != resolver.Keep }) {
			return nil
		}
		req = next
	}
	return nil
}

// withoutMarks lists the subscriptions of a request as a user would have written
// them: those that came with dependencies stand last, by name.
func withoutMarks(req resolver.Request) []resolver.Subscription {
	subs := slices.Clone(must(req.Apply()).Subscriptions)
	slices.SortStableFunc(subs, func(a, b resolver.Subscription) int {
		switch {
		case a.Generated && b.Generated:
			return strings.Compare(a.Name, b.Name)
		case a.Generated:
			return 1
		case b.Generated:
			return -1
		}
		return 0
	})
	for i := range subs {
		subs[i].Generated = false
	}
	return subs
}

// stepsOf writes the steps of a solution, one a line.
func stepsOf(sol *resolver.Solution) []string {
	var out []string
	for _, s := range sol.Steps {
		out = append(out, fmt.Sprintf("%d %s %s %s %s %q %v %v", s.Wave, s.Action, s.Bundle, s.Catalog, s.Channel, s.Replaces, s.Because, s.PassedOver))
	}
	return out
}

// TestPlacesOfOddNames: names that hold what stands between names make places of their
// own.
func TestPlacesOfOddNames(t *testing.T) {
	place := func(names ...string) string {
		var req resolver.Request
		for _, name := range names {
			req.Installed = append(req.Installed, resolver.Installed{Name: name})
		}
		return resolver.Place(&req)
	}
	for _, other := range [][]string{{"a\nb"}, {"a", "b\n"}, {"a\n", "b"}, {"1:a", "b"}, {"a1:b"}, {"a0:0:1:i1:b"}} {
		require.NotEqual(t, place("a", "b"), place(other...), "%q", other)
	}
	require.Equal(t, place("a", "b"), place("b", "a"), "in any order")
}
