package audit_test

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// The report of an audit that was read back is that of the audit itself, without pictures of
// conflicts.
func TestReportOfReadAudit(t *testing.T) {
	report := reportOf(t, universe.Catalogs(t, untidy), audit.Options{})
	again := &audit.Report{Summary: report.Summary}
	lines := linesOf(t, resolver.New(), universe.Catalogs(t, untidy), audit.Options{}, nil)
	_, err := audit.Merge(again.Bundle, strings.NewReader(lines))
	require.NoError(t, err)
	for _, write := range []func(*audit.Report, io.Writer) error{(*audit.Report).WriteText, (*audit.Report).WriteHTML} {
		var first, second strings.Builder
		require.NoError(t, write(report, &first))
		require.NoError(t, write(again, &second))
		require.NotContains(t, second.String(), "<svg", "what was read has no derivation to draw")
		require.Equal(t, argued.ReplaceAllString(first.String(), ""), argued.ReplaceAllString(second.String(), ""), "but for the argument, which is text")
	}
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

var (
	argued  = regexp.MustCompile(`(?s)<div class="why">.*?</figure>|<pre>.*?</pre>`)
	picture = regexp.MustCompile(`(?s)<figure>.*?</figure>`)
)

// The page of an audit has a picture of each conflict with the text of its argument.
func TestConflictsAreDrawn(t *testing.T) {
	report := reportOf(t, universe.Catalogs(t, untidy), audit.Options{})
	drawn := 0
	for _, p := range report.Packages {
		for _, n := range p.Notes {
			if n.Argument != nil {
				drawn++
			}
		}
	}
	require.Positive(t, drawn)
	var page strings.Builder
	require.NoError(t, report.WriteHTML(&page))
	require.Len(t, picture.FindAllString(page.String(), -1), drawn)
	require.Equal(t, drawn, strings.Count(page.String(), "Show source"))
}
