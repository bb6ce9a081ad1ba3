package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// tryCatalogs writes two catalogs, the second of them as the directory more.
func tryCatalogs(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("c.jsonl", []byte(universe.JSON(t, `
	db/stable db.v1.0.0 db.v2.0.0
	db/beta db.v3.0.0
	web/stable web.v1.0.0 needs=db@>=1.0.0 needs=log@>=1.0.0`)), 0o600))
	require.NoError(t, os.MkdirAll("more", 0o700))
	require.NoError(t, os.WriteFile(filepath.Join("more", "log.json"), []byte(universe.JSON(t, `log/stable log.v1.0.0`)), 0o600))
}

// TestTry: what is asked on the command line alone gets the answer that resolve and explain
// give to the scenario that -o scenario writes.
func TestTry(t *testing.T) {
	tryCatalogs(t)
	for name, tc := range map[string]struct {
		args   []string
		status int
		says   []string
	}{
		"the newest":               {[]string{"c.jsonl", "db"}, exitOK, []string{"db: resolved, 1 bundle", "db.v2.0.0"}},
		"a version":                {[]string{"c.jsonl", "db=1.0.0"}, exitOK, []string{"db.v1.0.0"}},
		"a range":                  {[]string{"c.jsonl", "db=<2.0.0"}, exitOK, []string{"db.v1.0.0"}},
		"a range that nothing has": {[]string{"c.jsonl", "db=>=9.0.0"}, exitNo, []string{"db: no solution"}},
		"a channel":                {[]string{"--channel", "beta", "c.jsonl", "db"}, exitOK, []string{"db.v3.0.0"}},
		"a channel of one":         {[]string{"--channel", "db=beta", "c.jsonl", "more", "db", "web"}, exitOK, []string{"db.v3.0.0", "web.v1.0.0"}},
		"a dependency is missing":  {[]string{"c.jsonl", "web"}, exitNo, []string{"package log"}},
		"from another catalog":     {[]string{"c.jsonl", "more", "web"}, exitOK, []string{"web: resolved, 3 bundles", "default/more"}},
		"a catalog with a name":    {[]string{"c.jsonl", "olm/extra=more", "web"}, exitOK, []string{"olm/extra"}},
		"an upgrade":               {[]string{"--installed", "db.v1.0.0", "c.jsonl", "db"}, exitOK, []string{"db.v1.0.0 -> db.v2.0.0"}},
		"beside what is installed": {[]string{"--installed", "db.v1.0.0", "c.jsonl", "more", "web"}, exitOK, []string{"keep     db.v1.0.0"}},
		"why":                      {[]string{"--explain", "db.v1.0.0", "c.jsonl", "db"}, exitOK, []string{"db.v1.0.0 is not in the result: db.v2.0.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := run1(t, append([]string{"try"}, tc.args...)...)
			require.Equal(t, tc.status, got.status, got.errOut)
			for _, says := range tc.says {
				require.Contains(t, got.out, says)
			}
			if name == "why" {
				return
			}
			file := run1(t, append([]string{"try", "-o", "scenario"}, tc.args...)...)
			require.Equal(t, exitOK, file.status, file.errOut)
			again := resolute(t.Context(), file.out, "resolve", "-")
			require.Equal(t, tc.status, again.status, again.errOut)
			if tc.status != exitOK {
				return // there is no cluster: see TestTryKnowsNoCluster
			}
			_, tried, _ := strings.Cut(got.out, "\n")
			_, resolved, _ := strings.Cut(again.out, "\n")
			require.Equal(t, tried, resolved)
		})
	}
}

// TestTryKnowsNoCluster: try proposes neither dropping what was asked for nor commands for a
// cluster; resolve does both for the same question.
func TestTryKnowsNoCluster(t *testing.T) {
	tryCatalogs(t)
	for _, args := range [][]string{
		{"c.jsonl", "web"}, {"c.jsonl", "db=>=9.0.0"}, {"c.jsonl", "db", "web"}, {"--channel", "beta", "c.jsonl", "db=<2.0.0"},
		{"--installed", "db.v3.0.0", "c.jsonl", "web"}, {"--installed", "web.v1.0.0", "c.jsonl", "db"},
	} {
		for _, form := range []string{"text", "json", "html", "installplan"} {
			got := run1(t, append([]string{"try", "-o", form}, args...)...)
			require.Equal(t, exitNo, got.status, "%v: %s", args, got.errOut)
			for _, word := range []string{"kubectl", "drop subscription", "dropSubscription", "no kubectl"} {
				require.NotContains(t, got.out+got.errOut, word, "%v -o %s", args, form)
			}
		}
		got := run1(t, append([]string{"try", "--explain", "db.v1.0.0"}, args...)...)
		require.NotContains(t, got.out, "kubectl")
	}
	got := run1(t, "try", "c.jsonl", "db=>=9.0.0")
	require.Contains(t, got.out, "release the version range >=9.0.0 of subscription db")
	scenario := run1(t, "try", "-o", "scenario", "c.jsonl", "web").out
	require.Contains(t, resolute(t.Context(), scenario, "resolve", "-").out, "kubectl -n default delete subscription")
}

// TestTryMistakes: each says what to do, and nothing is answered.
func TestTryMistakes(t *testing.T) {
	tryCatalogs(t)
	scenario := "catalogs: [{name: c, path: c.jsonl}]\nsubscriptions: [{name: db, package: db}]\n"
	require.NoError(t, os.WriteFile("s.yaml", []byte(scenario), 0o600))
	require.NoError(t, os.Mkdir("empty", 0o700))
	for want, args := range map[string][]string{
		"try needs CATALOG... PACKAGE": {"try", "c.jsonl"},
		"no such file":                 {"try", "nowhere.yaml", "db"},
		`db=1.15: "1.15" is not a version such as 1.2.3 or a range such as '>=1.2.0 <2.0.0'; did you mean 1.15.0 or '>=1.15.0 <1.16.0'?`: {"try", "c.jsonl", "db=1.15"},
		`"newest" is not a version such as 1.2.3`:                                                    {"try", "c.jsonl", "db=newest"},
		"--channel bd=x: package bd is not requested; did you mean db?":                              {"try", "--channel", "bd=x", "c.jsonl", "db"},
		"--installed db.v1.0.1: no catalog has that bundle; did you mean db.v1.0.0":                  {"try", "--installed", "db.v1.0.1", "c.jsonl", "db"},
		"--explain supports the formats text, json or html, not dot":                                 {"try", "-o", "dot", "--explain", "db.v1.0.0", "c.jsonl", "db"},
		"s.yaml: this is a scenario, not a catalog; to resolve it, run: resolute resolve s.yaml":     {"try", "s.yaml", "db"},
		"resolute: s.yaml: this is a scenario, not a catalog":                                        {"validate", "s.yaml"},
		"resolute: s.yaml: this is a scenario, not a catalog; to resolve it, run: ":                  {"audit", "s.yaml"},
		"resolute: s.yaml: this is a scenario, not a catalog; to resolve it, run: resolute":          {"render", "s.yaml"},
		"c.jsonl: this is a catalog, not a scenario; to check whether its packages can be installed": {"explain", "c.jsonl", "db.v1.0.0"},
		"more: this is a catalog, not a scenario":                                                    {"resolve", "more"},
		"installed, run: resolute try more PACKAGE":                                                  {"test", "more"},
		"no scenario (.yaml or .json) in empty":                                                      {"resolve", "empty"},
		"resolute: no scenario (.yaml or .json) in empty":                                            {"ready", "empty", "--next", "c=c.jsonl"},
		"resolute: c.jsonl: this is a catalog, not a scenario; to check whether its packages can":    {"upgrade", "c.jsonl", "db"},
	} {
		got := run1(t, args...)
		require.Equal(t, exitUnusable, got.status, want)
		require.Contains(t, got.errOut, want)
		require.Empty(t, got.out)
	}
	got := run1(t, "resolve", ".")
	require.Equal(t, exitUnusable, got.status, "the catalog among the scenarios")
	require.Contains(t, got.out, "s.yaml: resolved")
}
