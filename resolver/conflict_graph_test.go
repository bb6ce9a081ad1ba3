package resolver_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
)

// The graphs have a node for every fact and no markup of anybody else's.
func TestConflictGraphs(t *testing.T) {
	dotLine := regexp.MustCompile(`^  f[0-9a-z_]+( -> f[0-9a-z_]+)?( \[.*\])?;$|^  rankdir=TB;$|^  node \[.*\];$|^digraph conflict \{$|^\}$`)
	mermaidLine := regexp.MustCompile(`^flowchart TD$|^  f[0-9a-z_]+(\["[^"<>&]*"\]|\(\["[^"<>&]*"\]\))$|^  f[0-9a-z_]+ -->(\|"[^"<>&]*"\|)? f[0-9a-z_]+$`)
	situations(t, func(t *testing.T, _ string, c *resolver.Conflict) {
		for line := range strings.Lines(c.DOT()) {
			require.Regexp(t, dotLine, strings.TrimSuffix(line, "\n"))
		}
		for line := range strings.Lines(c.Mermaid()) {
			require.Regexp(t, mermaidLine, strings.TrimSuffix(line, "\n"))
		}
		for i := range c.Facts {
			require.Contains(t, c.DOT(), "f"+string(rune('0'+i%10)))
		}
		for i, f := range c.Facts {
			ruledOut := false
			for _, r := range f.Candidates {
				ruledOut = ruledOut || !r.NearMiss()
				for _, by := range r.By {
					require.Regexp(t, fmt.Sprintf(`(?m)^  f%d_c\d+ -> f%d `, i, by), c.DOT())
					require.Regexp(t, fmt.Sprintf(`(?m)^  f%d_c\d+ -->\|.*\| f%d$`, i, by), c.Mermaid())
				}
			}
			require.Equal(t, ruledOut, strings.Contains(c.DOT(), fmt.Sprintf("  f%d -> f%d_c0;\n", i, i)))
			require.Equal(t, ruledOut, strings.Contains(c.Mermaid(), fmt.Sprintf("  f%d --> f%d_c0\n", i, i)))
		}
		if dot, err := exec.LookPath("dot"); err == nil {
			cmd := exec.Command(dot, "-Tsvg")
			cmd.Stdin = strings.NewReader(c.DOT())
			require.NoError(t, cmd.Run(), "Graphviz reads it")
		}
	})
}
