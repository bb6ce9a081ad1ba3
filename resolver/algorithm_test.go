package resolver_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/universe"
	"github.com/seed109e2655/resolute/resolver"
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
	solves := make(map[resolver.SolvePurpose]int)
	_, err := resolver.New(resolver.WithHooks(resolver.Hooks{
		Decide: func(_ context.Context, d resolver.Decision) {
			line.Reset()
			fmt.Fprintf(&line, "%d. %s %s:", d.Index+1, d.Kind, d.Subject)
		},
		Candidate: func(_ context.Context, _ resolver.Decision, c resolver.Candidate) {
			if !c.Chosen {
				fmt.Fprintf(&line, " not %s (%s),", c.Bundle.Name, c.Reason)
			}
		},
		Decided: func(_ context.Context, _ resolver.Decision, d resolver.Decided) {
			fmt.Fprintf(&out, "%s %s\n", line.String(), strings.TrimSpace(fmt.Sprintf("%s %s", d.Result, d.Choice.Bundle.Name)))
		},
		Back: func(_ context.Context, b resolver.Back) {
			fmt.Fprintf(&out, "back to %d, %d undone\n", b.Decision.Index+1, b.Undone)
		},
		Solve: func(_ context.Context, s resolver.SolveCall) { solves[s.Purpose]++ },
		ExplainEnded: func(_ context.Context, e resolver.ExplainEnded) {
			for i := range e.Conflict.Facts {
				fmt.Fprintf(&out, "fact: %s %s\n", e.Conflict.Facts[i].Kind, e.Conflict.Facts[i].Subject)
			}
		},
		ResolveEnded: func(_ context.Context, e resolver.ResolveEnded) {
			fmt.Fprintf(&out, "%s, solver calls: %v\n", e.Outcome, solves)
		},
	})).Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	if err != nil {
		require.ErrorAs(t, err, &conflict)
	}
	return out.String()
}
