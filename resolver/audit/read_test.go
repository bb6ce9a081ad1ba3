package audit_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// A report of an audit that was read back is that of the audit itself.
func TestReportOfWhatWasRead(t *testing.T) {
	report := reportOf(t, universe.Catalogs(t, untidy), audit.Options{})
	again := &audit.Report{Summary: report.Summary}
	lines := linesOf(t, resolver.New(), universe.Catalogs(t, untidy), audit.Options{}, nil)
	_, err := audit.Read(strings.NewReader(lines), again.Bundle)
	require.NoError(t, err)
	for _, write := range []func(*audit.Report, io.Writer) error{(*audit.Report).WriteText, (*audit.Report).WriteHTML} {
		var first, second strings.Builder
		require.NoError(t, write(report, &first))
		require.NoError(t, write(again, &second))
		require.Equal(t, first.String(), second.String())
	}
}

// A conflict comes back from JSON with its text, whoever printed it.
func TestConflictThroughJSON(t *testing.T) {
	r := resolver.New(resolver.WithPrinter(func(*resolver.Conflict) string { return "no, said somebody else\n" }))
	var conflict *resolver.Conflict
	_, err := audit.Run(context.Background(), r, universe.Catalogs(t, shapes), audit.Options{Each: func(b *audit.Bundle) error {
		if b.Conflict != nil {
			conflict = b.Conflict
		}
		return nil
	}})
	require.NoError(t, err)
	data, err := json.Marshal(conflict)
	require.NoError(t, err)
	var again resolver.Conflict
	require.NoError(t, json.Unmarshal(data, &again))
	require.Equal(t, "no, said somebody else\n", again.Text())
	require.Len(t, again.Facts, len(conflict.Facts))
	twice, err := json.Marshal(&again)
	require.NoError(t, err)
	require.Equal(t, string(data), string(twice))
}
