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

// maxInterruptions bounds the checks of the context at which one request is interrupted.
const maxInterruptions = 30

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
		n, err := interrupted(generated(t, preset, func(c *synthetic.Config) { *c = c.Sized(100) }))
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
	for n := int64(1); n <= total; n += 1 + total/maxInterruptions {
		short, err := askAgain(&testkit.CountingContext{Context: background, Ends: n}, shared, req, want)
		if err != nil {
			return cut, fmt.Errorf("after an interruption at check %d of %d: %w", n, total, err)
		}
		cut += short
	}
	for n := 1; n <= 1000; n *= 3 {
		for _, l := range []resolver.Limits{{CELCost: int64(n)}, {Solves: n}, {Bundles: n}} {
			limited := resolver.New(resolver.WithLimits(l))
			fresh, _ := answerOf(limited.Resolve(background, req))
			short, err := askAgain(background, limited, req, fresh, want)
			if err != nil {
				return cut, fmt.Errorf("within the limits %+v: %w", l, err)
			}
			cut += short
		}
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
		return conflict.Text(), !conflict.Minimal
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
