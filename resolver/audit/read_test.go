package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// The report of an audit that was read back is that of the audit itself.
func TestReportOfReadAudit(t *testing.T) {
	report := reportOf(t, universe.Catalogs(t, untidy), audit.Options{})
	again := &audit.Report{Summary: report.Summary}
	lines := linesOf(t, resolver.New(), universe.Catalogs(t, untidy), audit.Options{}, nil)
	_, err := audit.Merge(again.Bundle, strings.NewReader(lines))
	require.NoError(t, err)
	var first, second strings.Builder
	require.NoError(t, report.WriteText(&first))
	require.NoError(t, again.WriteText(&second))
	require.Equal(t, first.String(), second.String())
}

// A bundle that cannot be installed is reported as such even if the search for facts was stopped
// early, which the report and the JSON mention.
func TestFindingsOfStoppedSearch(t *testing.T) {
	const crowded = `
		op/c op.v1 needs=p0@>=0.0.0 needs=p1@>=0.0.0 needs=p2@>=0.0.0
		p0/c p0.v1 provides=g1.example.com/v1/Hole
		p0/c p0.v2 replaces=p0.v1 provides=g2.example.com/v1/Hole
		p1/c p1.v1 provides=g1.example.com/v1/Hole
		p1/c p1.v2 replaces=p1.v1 provides=g2.example.com/v1/Hole
		p2/c p2.v1 provides=g1.example.com/v1/Hole
		p2/c p2.v2 replaces=p2.v1 provides=g2.example.com/v1/Hole`
	for _, solves := range []int{0, 1} {
		report, early := &audit.Report{}, resolver.New(resolver.WithLimits(resolver.Limits{Solves: solves}))
		lines := linesOf(t, early, universe.Catalogs(t, crowded), audit.Options{}, nil)
		_, err := audit.Merge(func(b *audit.Bundle) error {
			require.Equal(t, b.Bundle != "op.v1", b.Installable)
			require.Empty(t, b.Incomplete)
			if !b.Installable {
				require.Equal(t, solves == 0, b.Conflict.Minimal)
				require.Equal(t, solves > 0, strings.Contains(b.Conflict.Text(), "stopped early"))
			}
			return report.Bundle(b)
		}, strings.NewReader(lines))
		require.NoError(t, err)
		require.Contains(t, lines, fmt.Sprintf(`"minimal":%t`, solves == 0))
		var text strings.Builder
		require.NoError(t, report.WriteText(&text))
		require.Equal(t, solves > 0, strings.Contains(text.String(), "the search for the reason was stopped early"))
	}
}
