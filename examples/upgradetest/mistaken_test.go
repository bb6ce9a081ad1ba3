package upgradetest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// mistaken is the catalog with the mistakes.
func mistaken(t *testing.T) *cache.Catalog {
	catalog, err := fbc.Load(t.Context(), os.DirFS("testdata/mistaken"), fbc.Options{})
	require.NoError(t, err)
	return catalog
}

// TestMistakesAreFound asks for the report instead of failing, and looks at what it
// says of the two mistakes.
func TestMistakesAreFound(t *testing.T) {
	report, err := upgradetest.Run(t.Context(), mistaken(t), upgradetest.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	var got []string
	for i := range report.Findings {
		f := &report.Findings[i]
		got = append(got, f.String())
		require.LessOrEqual(t, f.Small.Bundles, 3)
		t.Log(f.Text())
	}
	require.Equal(t, []string{
		"reachesHead: package database, channel stable: database.v1.1.0 [noEdge]",
		"dependents: package database, channel stable, at database.v1.0.0: nightly.v0.1.0 and nightly.v0.2.0 [stuck+constraint+package]",
		"addition: package database, at database.v1.3.0 [noCandidate+offChain+skipped]",
	}, got)
}

// TestScenarioShowsTheMistake replays what was written: the update that is asked for in
// its what-if cannot be made, although the scenario expects that it can.
func TestScenarioShowsTheMistake(t *testing.T) {
	report, err := upgradetest.Run(t.Context(), mistaken(t), upgradetest.Options{Dir: t.TempDir(), Only: []upgradetest.Property{upgradetest.Dependents}})
	require.NoError(t, err)
	require.Len(t, report.Findings, 1)
	s, err := scenario.ReadFile(t.Context(), report.Findings[0].Small.File)
	require.NoError(t, err)
	answer, differences, err := (&scenario.Runner{}).Test(t.Context(), s)
	require.NoError(t, err)
	require.NotEmpty(t, differences)
	require.Equal(t, scenario.Unsatisfiable, answer.WhatIf[0].Status)
	require.Contains(t, answer.WhatIf[0].Conflict.Text(), "requires an operator that provides example.com/v1/Backup")
}

// TestKnownFlawsStay names the flaws that are to stay for now, with the reasons; a new
// one would fail.
func TestKnownFlawsStay(t *testing.T) {
	upgradetest.CheckAll(t, mistaken(t), upgradetest.Options{Dir: t.TempDir(), Exceptions: []upgradetest.Exception{{Name: "database.v1.1.0", Reason: "withdrawn: those few who run it get a mail"}, {Name: "database.v1.3.0", Reason: "it took 1.1.0 off the chain, see there"}, {Property: upgradetest.Dependents, Name: "database", Reason: "nightly gets a release without backups"}}})
}
