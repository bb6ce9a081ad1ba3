package resolver_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Every fact of a conflict is told by one statement at least, what a statement refers
// to is there, and what it says in words is nothing but its own fields.
func TestArgumentTrees(t *testing.T) {
	situations(t, func(t *testing.T, _ string, c *resolver.Conflict) {
		a := c.Argument()
		require.Equal(t, c.Text(), a.Text())
		told, numbers, sees := map[int]bool{}, map[int]bool{}, map[int]bool{}
		a.Walk(func(depth int, s *argument.Statement) {
			for _, f := range s.Facts {
				told[f] = true
			}
			for _, f := range append(slices.Clone(s.Because), s.Facts...) {
				require.Less(t, f, len(c.Facts))
			}
			require.Equal(t, depth == 0, s.Kind == "asked" || s.Kind == "rule", s.Text)
			require.Contains(t, s.Sentence(), s.Text)
			if s.Number > 0 {
				numbers[s.Number] = true
			}
			if s.See > 0 {
				sees[s.See] = true
				require.Empty(t, s.Children, "the reasons are told once")
			}
		})
		require.Equal(t, numbers, sees)
		for i, f := range c.Facts {
			require.True(t, told[i], f.Text)
		}
		data := testkit.Must(json.Marshal(a))(t)
		var again argument.Argument
		require.NoError(t, json.Unmarshal(data, &again))
		require.Equal(t, a, &again, "JSON tells everything")
		require.Equal(t, a.Text(), again.Text())
	})
}

// The graphs have a node for every statement, an edge to every reason, and no markup
// of anybody else's.
func TestArgumentGraphs(t *testing.T) {
	dotLine := regexp.MustCompile(`^  s\d+( -> s\d+)?( \[.*\])?;$|^  (rankdir=TB|compound=true);$|^  (node|edge) \[.*\];$|^digraph conflict \{$|^\}$`)
	mermaidLine := regexp.MustCompile(`^flowchart TD$|^  s\d+(\["[^"<>&]*"\]|\(\["[^"<>&]*"\]\))$|^  s\d+ (-->|-\.->) s\d+$`)
	situations(t, func(t *testing.T, _ string, c *resolver.Conflict) {
		a := c.Argument()
		dot, mermaid := a.DOT(), a.Mermaid()
		for line := range strings.Lines(dot) {
			require.Regexp(t, dotLine, strings.TrimSuffix(line, "\n"))
		}
		for line := range strings.Lines(mermaid) {
			require.Regexp(t, mermaidLine, strings.TrimSuffix(line, "\n"))
		}
		nodes, reasons := 0, 0
		a.Walk(func(_ int, s *argument.Statement) {
			require.Contains(t, dot, fmt.Sprintf("\n  s%d [", nodes))
			nodes++
			reasons += len(s.Children)
		})
		require.NotContains(t, dot, fmt.Sprintf("\n  s%d [", nodes))
		require.Equal(t, reasons, strings.Count(mermaid, " --> "))
		if graphviz, err := exec.LookPath("dot"); err == nil {
			cmd := exec.Command(graphviz, "-Tsvg")
			cmd.Stdin = strings.NewReader(dot)
			require.NoError(t, cmd.Run(), "Graphviz reads it")
		}
	})
}
