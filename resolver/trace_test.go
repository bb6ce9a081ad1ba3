package resolver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// farAway is a request whose first candidate fails only where no quick look gets
// to: app.v2 needs a, which needs b, … down to f, which needs an old lib while the
// first subscription has chosen the new one.
const farAway = farAwayButA + "bundle app.v2 needs=a@>=1.0.0\n"

// farAwayButA is that without what leads from app.v2 to a.
const farAwayButA = `
	catalog apps/c
	lib/s lib.v1 lib.v2
	app/s app.v1 app.v2
	a/s a.v1 needs=b@>=1.0.0
	b/s b.v1 needs=c@>=1.0.0
	c/s c.v1 needs=d@>=1.0.0
	d/s d.v1 needs=e@>=1.0.0
	e/s e.v1 needs=f@>=1.0.0
	f/s f.v1 needs=lib@<2.0.0
	subscribe lib
	subscribe app
`

// crowded is a request whose first candidate fails for a reason that takes a solver:
// app.v2 wants each of n pigeons in a hole, and there is one hole too few, each for
// one pigeon at a time.
func crowded(n int) string {
	holes := strings.TrimSuffix(each(n-1, "h%[1]d@%%[1]d.0.0, "), ", ")
	return "catalog apps/c\nsubscribe app\napp/s app.v1 app.v2\n" + each(n-1, versions("h%%[1]d", n, "")) +
		each(n, "require app.v2 any("+holes+") ; m\n")
}

// TestTraceOfTheSolver: the trace says what the solver was asked, and what it refused.
func TestTraceOfTheSolver(t *testing.T) {
	record, _, _ := tracedBy(context.Background(), resolver.New(resolver.WithDeadEnds(3)), universe.Request(t, crowded(7)), trace.Options{})
	text := record.Text()
	require.Contains(t, text, "solver: is there a solution at all? satisfiable (0 assumptions)\n")
	require.Regexp(t, `solver: are the first choices possible together\? not satisfiable \([0-9]+ assumptions?\)`, text)
	require.Regexp(t, `back to decision 1, [0-9]+ choices undone: app\.v2 \(apps/c\) is impossible with the choices before it
1\. subscription app
    app\.v2 \(apps/c\): no, the solver found it impossible with the choices before
    app\.v1 \(apps/c\): chosen
answer: resolved with 1 bundle: app\.v1
`, text)
	calls := 0
	for _, e := range record.Events {
		if e.Solve != nil {
			calls += e.Solve.Calls
		}
	}
	require.Equal(t, record.Stats.Solves, calls)
}

// traced resolves a universe with a trace.
// tracedBy resolves a request and records how.
func tracedBy(ctx context.Context, r *resolver.Resolver, req resolver.Request, opts trace.Options) (*trace.Trace, *resolver.Solution, error) {
	recorder := trace.NewRecorder(opts)
	sol, err := r.With(resolver.WithHooks(recorder.Hooks())).Resolve(ctx, req)
	return recorder.Trace(), sol, err
}

func traced(t *testing.T, text string, opts trace.Options) *trace.Trace {
	t.Helper()
	record, _, _ := tracedBy(context.Background(), resolver.New(), universe.Request(t, text), opts)
	return record
}

// TestTraceOfADeadEnd: the trace shows the way into the dead end and of the way
// back, choice by choice.
func TestTraceOfADeadEnd(t *testing.T) {
	want := `2 subscriptions and 0 installed bundles in namespace apps
search started with a lookahead of 1 level
1. subscription lib
    lib.v2 (apps/c): chosen
2. subscription app
    app.v2 (apps/c): chosen
3. app.v2 (apps/c) requires package a in range >=1.0.0
    a.v1 (apps/c): chosen
4. a.v1 (apps/c) requires package b in range >=1.0.0
    b.v1 (apps/c): chosen
5. b.v1 (apps/c) requires package c in range >=1.0.0
    c.v1 (apps/c): chosen
6. c.v1 (apps/c) requires package d in range >=1.0.0
    d.v1 (apps/c): chosen
7. d.v1 (apps/c) requires package e in range >=1.0.0
    e.v1 (apps/c): chosen
8. e.v1 (apps/c) requires package f in range >=1.0.0
    f.v1 (apps/c): no, its requirement cannot be met: package lib in range <2.0.0
    dead end: no candidate is left
back to decision 7, 1 choice undone: e.v1 (apps/c) is impossible with the choices before it
`
	got := traced(t, farAway, trace.Options{}).Text()
	require.Contains(t, got, `back to decision 2, 1 choice undone: app.v2 (apps/c) is impossible with the choices before it
2. subscription app
    app.v2 (apps/c): no, every choice after it failed, given the choices before
    app.v1 (apps/c): chosen
answer: resolved with 2 bundles: app.v1, lib.v2
`)
	if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" {
		t.Errorf("the way into the dead end (-want +got):\n%s", diff)
	}
}

// TestTraceUndoesWhatWasDone: a choice that commits to a bundle which is in the set
// already does not take it out of the set when it is undone.
func TestTraceUndoesWhatWasDone(t *testing.T) {
	record := traced(t, farAwayButA+"require app.v2 any(all(lib@>=1.0.0, a@>=1.0.0), nowhere@>=1.0.0) ; m", trace.Options{})
	require.Equal(t, []string{"app.v1", "lib.v2"}, record.Set)
	committed, undone, names := false, 0, []string(nil)
	for _, e := range record.Events {
		if d := e.Decision; d != nil && d.Kind == trace.DecisionConstraint && d.Choice.Bundle != "" {
			committed = committed || d.Choice.Bundle == "lib.v2"
		}
		if e.Back == nil {
			continue
		}
		undone += e.Back.Undone
		for _, b := range e.Back.Undecided {
			names = append(names, b.Bundle)
		}
	}
	require.True(t, committed, record.Text())
	require.Contains(t, names, "app.v2")
	require.NotContains(t, names, "lib.v2")
	require.Equal(t, len(names)+1, undone)
}

// TestTraceBounds: of many events the first and the last are kept, and of many
// candidates the best; what is left out is counted.
func TestTraceBounds(t *testing.T) {
	all := traced(t, farAway, trace.Options{Events: -1, Candidates: -1})
	for _, most := range []int{1, 2, 5, len(all.Events) - 1} {
		some := traced(t, farAway, trace.Options{Events: most})
		require.Len(t, some.Events, most+1)
		head := (most + 1) / 2
		require.Equal(t, all.Events[:head], some.Events[:head])
		require.Equal(t, trace.Event{Dropped: len(all.Events) - most}, some.Events[head])
		require.Equal(t, all.Events[len(all.Events)-most/2:], some.Events[head+1:])
		require.Contains(t, some.Text(), "not kept …\n")
		require.Equal(t, all.Stats, some.Stats)
	}
	require.Equal(t, all, traced(t, farAway, trace.Options{Events: len(all.Events)}))
	require.Equal(t, all, traced(t, farAway, trace.Options{}))

	few := traced(t, many(50), trace.Options{Candidates: 3})
	d := few.Events[1].Decision
	require.Len(t, d.Candidates, 4)
	require.Equal(t, []string{"p.v50", "p.v49", "p.v48", "p.v1"},
		[]string{d.Candidates[0].Bundle, d.Candidates[1].Bundle, d.Candidates[2].Bundle, d.Candidates[3].Bundle})
	require.Equal(t, 49, d.Candidates[3].Index)
	require.Equal(t, map[argument.Rejection]int{argument.RejectedForbidden: 46}, d.Omitted)
	require.Contains(t, few.Text(), `    p.v48 (default/c): no, the request forbids it
    … and 46 more not chosen (46 forbidden)
    p.v1 (default/c): chosen
`)
	require.Len(t, traced(t, many(50), trace.Options{Candidates: -1}).Events[1].Decision.Candidates, 50)
}

// many is a request with n versions of p, of which all but the oldest are forbidden.
func many(n int) string {
	text := "catalog default/c\nsubscribe p\np/s p.v1\n"
	for i := 2; i <= n; i++ {
		text += fmt.Sprintf("p/s p.v%[1]d replaces=p.v%[2]d\nforbid p.v%[1]d\n", i, i-1)
	}
	return text
}

// TestTraceTimes: durations are there only where they are asked for.
func TestTraceTimes(t *testing.T) {
	plain := traced(t, farAway, trace.Options{})
	require.NotContains(t, string(must(json.Marshal(plain))), "tookMs")
	require.NotContains(t, plain.Text(), ", in ")
	timed := traced(t, farAway, trace.Options{Durations: true})
	require.Positive(t, timed.Took)
	var read trace.Trace
	require.NoError(t, json.Unmarshal(must(json.Marshal(timed)), &read))
	require.Equal(t, timed.Text(), read.Text())
	require.Contains(t, timed.Text(), "solver calls, in ")
}

// TestTraceOfWhatIsNotResolved: there is a trace also where there is no answer.
func TestTraceOfWhatIsNotResolved(t *testing.T) {
	r := resolver.New()
	record, sol, err := tracedBy(context.Background(), r, resolver.Request{Namespace: "n", Subscriptions: make([]resolver.Subscription, 1)}, trace.Options{})
	require.Nil(t, sol)
	require.Error(t, err)
	require.EqualValues(t, trace.OutcomeInvalid, record.Outcome)
	require.Empty(t, record.Events)
	require.Equal(t, "n", record.Namespace)
	require.Contains(t, record.Text(), "answer: invalid: ")

	record, _, err = tracedBy(testkit.Ended(), r, universe.Request(t, farAway), trace.Options{})
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, trace.OutcomeIncomplete, record.Outcome)

	record, _, err = tracedBy(context.Background(), resolver.New(resolver.WithLimits(resolver.Limits{Solves: 1})), universe.Request(t, farAway+"forbid app.v1\nforbid lib.v1"), trace.Options{})
	require.Error(t, err)
	require.EqualValues(t, trace.OutcomeUnsatisfiable, record.Outcome)
	require.Contains(t, record.Text(), ", not made minimal: ")

	ctx, cancel := context.WithCancel(context.Background())
	ended := resolver.New(resolver.WithHooks(trace.Hooks{Resolution: func(_ context.Context, e trace.Event) context.Context {
		if e.Explain != nil {
			cancel()
		}
		return nil
	}}))
	record, _, err = tracedBy(ctx, ended, universe.Request(t, farAway+"forbid app.v1\nforbid lib.v1"), trace.Options{})
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, trace.OutcomeIncomplete, record.Outcome)
	require.Contains(t, record.Text(), "explanation stopped: ")
}
