package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// TestReplays runs the command that each finding of the test kit comes with, on the files
// that it wrote: the command fails, and says why in the words of the finding.
func TestReplays(t *testing.T) {
	dir := t.TempDir()
	replay := func(t *testing.T, f *upgradetest.Finding, reason string) {
		require.NotNil(t, f.Small, "%s", f)
		require.NotEmpty(t, f.Small.Replay)
		for _, line := range f.Small.Replay {
			words := strings.Fields(line)
			got := resolute(t.Context(), "", words[1:]...)
			require.Equal(t, exitNo, got.status, "%s\n%s%s", line, got.out, got.errOut)
			if words[1] != "test" { // which says what differs
				require.Contains(t, got.out, reason, line)
			}
		}
	}
	opts := upgradetest.Options{Dir: dir}
	for name, c := range map[string]struct{ catalog, finding, reason string }{
		"no edge": {`
			db/stable db.v1
			db/stable db.v2 replaces=db.v1
			db/stable db.v3 replaces=db.v2
			db/stable db.v4 replaces=db.v1 skips=db.v3`, "headUnreachable", "db.v4 has no update edge from db.v2"},
		"a requirement of the head": {`
			db/stable db.v1
			db/stable db.v2 replaces=db.v1 needs=Missing`, "headUnreachable", "db.v2 requires an operator that provides example.com/v1/Missing"},
		"a requirement on the way": {`
			db/stable db.v1
			db/stable db.v2 replaces=db.v1 needs=Missing
			db/stable db.v3 replaces=db.v2 needs=Missing
			db/stable db.v4 replaces=db.v3 needs=Missing
			db/stable db.v5 replaces=db.v4`, "headUnreachable", "db.v2 requires an operator that provides example.com/v1/Missing"},
		"a withdrawn head": {`
			db/stable db.v1
			db/stable db.v2 replaces=db.v1 barred`, "headUnreachable", "db.v2 is marked olm.deprecated"},
		"a broken head": {`
			db/stable db.v1
			db/stable db.v2 replaces=db.v1
			property db.v2 olm.gvk "text"`, "headUnreachable", "its head db.v2 is ignored, because it is broken"},
		"a circle": {`
			db/stable db.v1 range=>=2.0.0
			db/stable db.v2 replaces=db.v1`, "headUnreachable", "the upgrades repeat forever"},
		"a dependent": {`
			app/stable app.v1 needs=DB
			db/stable db.v1 provides=DB
			db/stable db.v2 replaces=db.v1`, "dependentBroken", "app.v1 requires an operator that provides example.com/v1/DB"},
		"nobody provides it": {`
			app/stable app.v1 needs=DB`, "notInstallable", "app.v1 requires an operator that provides example.com/v1/DB"},
		"two heads": {`
			db/stable db.v1
			db/stable db.v2`, "newProblem", "has 2 heads"},
		"behind what is skipped": {`
			db/stable db.v1
			db/stable db.v2 replaces=db.v1
			db/stable db.v3 replaces=db.v2 skips=db.v2`, "newProblem", `leads to entry "db.v1" only through "db.v2", which is skipped`},
	} {
		t.Run(name, func(t *testing.T) {
			u := testkit.Must(universe.Parse("catalog olm/catalog\n" + c.catalog))(t)
			content := testkit.Must(u.Catalogs[0].Build(t.Context()))(t)
			report := testkit.Must(upgradetest.Run(t.Context(), content, opts))(t)
			found := 0
			for i := range report.Findings {
				if f := &report.Findings[i]; f.Code == c.finding {
					replay(t, f, c.reason)
					found++
				}
			}
			require.Positive(t, found, "%v", report.Findings)
		})
	}
	content := testkit.Must(fbc.Load(t.Context(), os.DirFS("../../examples/upgradetest/testdata/mistaken"), fbc.Options{}))(t)
	report := testkit.Must(upgradetest.Run(t.Context(), content, opts))(t)
	require.Len(t, report.Findings, 2)
	replay(t, &report.Findings[0], "database.v1.3.0 has no update edge from database.v1.1.0")
	replay(t, &report.Findings[1], "nightly.v0.2.0 requires an operator that provides example.com/v1/Backup")
}
