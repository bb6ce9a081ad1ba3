package resolver_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// TestAlgorithmTraces: what ALGORITHM.md shows of searches is what happens. Each
// problem there is a block of "problem", followed by the "trace" of its resolution.
func TestAlgorithmTraces(t *testing.T) {
	doc := testkit.Must(os.ReadFile("ALGORITHM.md"))(t)
	blocks := regexp.MustCompile("(?s)```problem\n(.*?)```.*?```trace\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	require.Len(t, blocks, 2)
	for i, b := range blocks {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			require.Equal(t, b[2], events(t, universe.Request(t, b[1])))
		})
	}
}

// events resolves a request and writes down what happens, a line for each decision.
func events(t *testing.T, req resolver.Request) string {
	t.Helper()
	var out, line strings.Builder
	solves := make(map[trace.Purpose]int)
	_, err := resolver.New(resolver.WithHooks(trace.Hooks{
		Search: func(_ context.Context, e trace.Event) {
			switch {
			case e.Decide != nil:
				line.Reset()
				fmt.Fprintf(&line, "%d. %s %s:", e.Decide.Index+1, e.Decide.Kind, e.Decide.Subject)
			case e.Candidate != nil && e.Candidate.Verdict != trace.Chosen:
				fmt.Fprintf(&line, " not %s (%s),", e.Candidate.Bundle, e.Candidate.Verdict)
			case e.Decision != nil:
				fmt.Fprintf(&out, "%s %s\n", line.String(), strings.TrimSpace(fmt.Sprintf("%s %s", e.Decision.Result, e.Decision.Choice.Bundle)))
			case e.Back != nil:
				fmt.Fprintf(&out, "back to %d, %d undone\n", e.Back.Index+1, e.Back.Undone)
			}
		},
		Solver: func(_ context.Context, e trace.Event) {
			if e.Solve != nil {
				solves[e.Solve.Purpose]++
			}
		},
	})).Resolve(context.Background(), req)
	outcome := trace.OutcomeResolved
	var conflict *resolver.Conflict
	if err != nil {
		require.ErrorAs(t, err, &conflict)
		outcome = trace.OutcomeUnsatisfiable
		for i := range conflict.Facts {
			fmt.Fprintf(&out, "fact: %s %s\n", conflict.Facts[i].Kind, conflict.Facts[i].Subject)
		}
	}
	fmt.Fprintf(&out, "%s, solver calls: %v\n", outcome, solves)
	return out.String()
}
