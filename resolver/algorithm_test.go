package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// TestAlgorithmTraces: what ALGORITHM.md shows of searches is what happens. Each
// problem there is a block of "problem", followed by the "trace" of its resolution.
func TestAlgorithmTraces(t *testing.T) {
	doc, err := os.ReadFile("ALGORITHM.md")
	require.NoError(t, err)
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
		Decide: func(_ context.Context, d trace.Decision) {
			line.Reset()
			fmt.Fprintf(&line, "%d. %s %s:", d.Index+1, d.Kind, d.Subject)
		},
		Candidate: func(_ context.Context, _ trace.Decision, c trace.Candidate) {
			if c.Verdict != trace.Chosen {
				fmt.Fprintf(&line, " not %s (%s),", c.Bundle, c.Verdict)
			}
		},
		Decided: func(_ context.Context, d trace.Decision) {
			fmt.Fprintf(&out, "%s %s\n", line.String(), strings.TrimSpace(fmt.Sprintf("%s %s", d.Result, d.Choice.Bundle)))
		},
		Back: func(_ context.Context, b trace.Back) {
			fmt.Fprintf(&out, "back to %d, %d undone\n", b.Index+1, b.Undone)
		},
		Solve: func(_ context.Context, s trace.Solve) { solves[s.Purpose]++ },
		ResolveEnded: func(_ context.Context, e trace.Ended) {
			var conflict *resolver.Conflict
			if errors.As(e.Err, &conflict) {
				for i := range conflict.Facts {
					fmt.Fprintf(&out, "fact: %s %s\n", conflict.Facts[i].Kind, conflict.Facts[i].Subject)
				}
			}
			fmt.Fprintf(&out, "%s, solver calls: %v\n", e.Outcome, solves)
		},
	})).Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	if err != nil {
		require.ErrorAs(t, err, &conflict)
	}
	return out.String()
}
