package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// points returns the numbers from 1 to n at which something is interrupted: all of them if there are
// few, else those at both ends and others spread evenly.
func points(n int64) (out []int64) {
	all, ends, spread := testkit.Times[int64](60, 100), testkit.Times[int64](10, 25), testkit.Times[int64](20, 25)
	for i := int64(1); i <= n; i++ {
		if n <= all || i <= ends || i > n-ends || i%(n/spread+1) == 0 {
			out = append(out, i)
		}
	}
	return out
}

// TestPropertyInterrupted: a question that is cut short, by its context at each of its
// checks or by a limit, leaves nothing behind. The next answer of the same Session and of
// the same Resolver is that of fresh ones, to the byte.
func TestPropertyInterrupted(t *testing.T) {
	c, cut := newConverter(), 0
	checkProperty(t, 0.1, func(p *oracle.Problem) error {
		n, err := interrupted(c.request(p))
		cut += n
		return err
	})
	require.Positive(t, cut, "no question was cut short")
}

// The same of requests that take many decisions, dead ends and solver calls.
func TestInterruptedFarDown(t *testing.T) {
	cut := 0
	for _, preset := range []string{"random", "mixed", "deep-conflict", "gvk-contention", "wide-any"} {
		n, err := interrupted(generated(t, preset, func(c *synthetic.Config) { *c = c.Sized(testkit.Times(100, 200)) }))
		require.NoError(t, err, preset)
		cut += n
	}
	require.Positive(t, cut)
}

// A rule that was not evaluated because the context or the budget for rules had ended has
// no result.
func TestInterruptedRules(t *testing.T) {
	req := universe.Request(t, `
		db/stable db.v1
		db/stable db.v2 replaces=db.v1
		web/stable web.v1
		require web.v1 cel(properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'db'))
		subscribe web`)
	n, err := interrupted(req)
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, 3)
	for cost := range int64(40) {
		s, err := resolver.New(resolver.WithLimits(resolver.Limits{CELCost: cost + 1})).Session(t.Context(), req)
		require.NoError(t, err)
		for range 3 {
			sol, err := s.Resolve(t.Context())
			var incomplete *resolver.IncompleteError
			if !errors.As(err, &incomplete) {
				require.NoError(t, err)
				require.Equal(t, []string{"db.v2", "web.v1"}, sol.Set())
			}
		}
	}
}

// interrupted interrupts a request and returns how many questions were cut short.
func interrupted(req resolver.Request) (cut int, err error) {
	background := context.Background()
	want, _ := answerOf(resolver.New().Resolve(background, req))
	looks := &testkit.CountingContext{Context: background}
	if _, err := askAgain(looks, resolver.New(), req, want); err != nil {
		return 0, err
	}
	total, shared := looks.Count.Load(), resolver.New()
	for _, n := range points(total) {
		short, err := askAgain(&testkit.CountingContext{Context: background, Ends: n}, shared, req, want)
		if err != nil {
			return cut, fmt.Errorf("after an interruption at check %d of %d: %w", n, total, err)
		}
		cut += short
	}
	for _, limits := range []func(n int64) resolver.Limits{
		func(n int64) resolver.Limits { return resolver.Limits{CELCost: n} },
		func(n int64) resolver.Limits { return resolver.Limits{Solves: int(n)} },
		func(n int64) resolver.Limits { return resolver.Limits{Steps: int(n)} },
		func(n int64) resolver.Limits { return resolver.Limits{Bundles: int(n)} },
	} {
		short, err := limited(req, want, limits)
		if cut += short; err != nil {
			return cut, err
		}
	}
	return cut, nil
}

// limited asks a question within each value of a limit, up to the first that is enough for the
// complete answer.
func limited(req resolver.Request, want string, limits func(n int64) resolver.Limits) (cut int, err error) {
	fresh := func(n int64) string {
		answer, _ := answerOf(resolver.New(resolver.WithLimits(limits(n))).Resolve(context.Background(), req))
		return answer
	}
	enough := int64(1)
	for fresh(enough) != want {
		if enough *= 2; enough > 1<<40 {
			return 0, fmt.Errorf("no limit like %+v is enough for the answer\n%s", limits(1), want)
		}
	}
	for _, n := range points(enough) {
		r := resolver.New(resolver.WithLimits(limits(n)))
		short, err := askAgain(context.Background(), r, req, fresh(n), want)
		if err != nil {
			return cut, fmt.Errorf("within the limits %+v: %w", limits(n), err)
		}
		cut += short
	}
	return cut, nil
}

// askAgain asks a question that may be cut short, and then twice again: a session, and the
// resolver. Each later answer has to be one of those wanted.
func askAgain(first context.Context, r *resolver.Resolver, req resolver.Request, want ...string) (cut int, err error) {
	s, err := r.Session(context.Background(), req)
	if err != nil { // of a limit, which every session runs into
		return 1, nil
	}
	for i, ask := range []func(context.Context) (*resolver.Solution, error){
		func(ctx context.Context) (*resolver.Solution, error) { return s.Resolve(ctx) },
		func(ctx context.Context) (*resolver.Solution, error) { return r.Resolve(ctx, req) },
	} {
		if _, short := answerOf(ask(first)); short {
			cut++
		}
		for range 2 {
			got, _ := answerOf(ask(context.Background()))
			if !slices.Contains(want, got) {
				return cut, fmt.Errorf("asked again in way %d, the answer is\n%s\ninstead of\n%s", i, got, want[0])
			}
		}
	}
	return cut, nil
}

// answerOf is an answer without what it took to find it, and whether it was cut short.
func answerOf(sol *resolver.Solution, err error) (string, bool) {
	var conflict *resolver.Conflict
	var incomplete *resolver.IncompleteError
	switch {
	case errors.As(err, &conflict):
		text, err := json.Marshal(conflict)
		if err != nil {
			return err.Error(), false
		}
		return string(text), !conflict.Minimal
	case errors.As(err, &incomplete):
		return "incomplete: " + string(incomplete.Limit), true
	case err != nil:
		return err.Error(), false
	}
	sol.Stats = resolver.Stats{}
	text, err := json.Marshal(sol)
	if err != nil {
		return err.Error(), false
	}
	return string(text), false
}
