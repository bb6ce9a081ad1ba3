package upgradetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// mistaken is the catalog with the mistakes.
func mistaken(t *testing.T) *cache.Catalog { return load(t, "testdata/mistaken") }

// TestMistakesAreFound requests the report instead of failing, and checks its
// two findings.
func TestMistakesAreFound(t *testing.T) {
	report, err := upgradetest.Run(t.Context(), mistaken(t), upgradetest.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	var got []string
	for i := range report.Findings {
		f := &report.Findings[i]
		got = append(got, fmt.Sprintf("%s:%d: %s %s", f.File, f.Line, f.Code, f.Bundle))
		require.LessOrEqual(t, f.Small.Bundles, 3)
		t.Log(f.Lines())
	}
	require.Equal(t, []string{"database.yaml:30: headUnreachable database.v1.1.0", "nightly.yaml:22: dependentBroken nightly.v0.2.0"}, got)
}

// TestBefore sets the state before a change: only regressions are found.
func TestBefore(t *testing.T) {
	for before, findings := range map[string]int{"testdata/catalog": 2, "testdata/mistaken": 0} {
		report, err := upgradetest.Run(t.Context(), mistaken(t), upgradetest.Options{Before: load(t, before), NoFiles: true})
		require.NoError(t, err)
		require.Len(t, report.Findings, findings, before)
	}
}

// TestScenarioShowsTheMistake replays a written scenario: upgrades keep the
// old database although its channel has a newer version.
func TestScenarioShowsTheMistake(t *testing.T) {
	report, err := upgradetest.Run(t.Context(), mistaken(t), upgradetest.Options{Dir: t.TempDir(), Only: []string{"dependentBroken"}})
	require.NoError(t, err)
	require.Len(t, report.Findings, 1)
	require.Contains(t, report.Findings[0].Text, "requires an operator that provides example.com/v1/Backup")
	s, err := scenario.ReadFile(t.Context(), report.Findings[0].Small.File)
	require.NoError(t, err)
	path := (&scenario.Runner{}).Converge(t.Context(), s, nil)
	require.Equal(t, scenario.Resolved, path.Status)
	require.Equal(t, []string{"database.v1.0.0", "nightly.v0.2.0"}, path.Set)
}

// TestKnownFlawsStay lists accepted findings with reasons; a new one would
// fail.
func TestKnownFlawsStay(t *testing.T) {
	upgradetest.CheckAll(t, mistaken(t), upgradetest.Options{Dir: t.TempDir(), Exceptions: []upgradetest.Exception{{Name: "database.v1.1.0", Reason: "withdrawn: those few who run it get a mail"}, {Code: "dependentBroken", Name: "nightly", Reason: "it gets a release without backups"}}})
}
