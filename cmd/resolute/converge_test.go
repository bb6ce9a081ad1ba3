package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	road     = "../../examples/scenarios/upgrade.yaml"
	loop     = "../../examples/scenarios/loop.yaml"
	oneEdge  = "../../resolver/scenario/testdata/conformance/upgrade-one-edge.yaml"
	deadlock = "../../resolver/scenario/testdata/conformance/documented-version-deadlock.yaml"
)

func TestConvergeExitStatuses(t *testing.T) {
	invalid := write(t, "invalid.yaml", "subscriptions: [{name: a}]")
	waysOut(t, map[string]wayOut{
		"settled":         {[]string{"converge", road}, 0, ""},
		"documented road": {[]string{"converge", oneEdge}, 0, ""},
		"nothing changes": {[]string{"converge", "../../resolver/scenario/testdata/rules/orphan-at-the-head.yaml"}, 0, ""},
		"a loop":          {[]string{"converge", loop}, 1, ""},
		"a loop, as JSON": {[]string{"converge", "-o", "json", loop}, 1, ""},
		"a loop, as SVG":  {[]string{"converge", "-o", "svg", loop}, 1, ""},
		"a conflict":      {[]string{"converge", conflict}, 1, ""},
		"not a scenario":  {[]string{"converge", invalid}, 2, "package is missing"},
		"missing file":    {[]string{"converge", "nowhere.yaml"}, 2, "nowhere.yaml: no such file"},
		"no file":         {[]string{"converge"}, 2, "converge needs FILE|DIR;"},
		"two files":       {[]string{"converge", road, loop}, 2, "converge needs FILE|DIR;"},
		"unknown form":    {[]string{"converge", "-o", "jpeg", road}, 2, `"jpeg" is not text, json, html, mermaid, dot or svg`},
		"time over":       {[]string{"converge", "--timeout", "1ns", road}, 3, "deadline exceeded"},
		"budget":          {[]string{"converge", "--max-bundles", "1", road}, 3, "more than 1 candidate bundles"},
	})
}

func TestConvergeAsText(t *testing.T) {
	require.Equal(t, oneEdge+`: settled after 2 rounds
round 1:
  ~ example.v0.1.1 -> example.v0.1.2
round 2:
  ~ example.v0.1.2 -> example.v0.1.3
PACKAGE  NOW             ROUND 1         ROUND 2
example  example.v0.1.1  example.v0.1.2  example.v0.1.3
`, resolute(context.Background(), "", "converge", oneEdge).out)

	got := resolute(context.Background(), "", "converge", road)
	require.Regexp(t, `(?m)^grafana-operator +grafana-operator.v5.9.2 +=  +=$`, got.out)
	require.Regexp(t, `(?m)^etcd +etcdoperator.v0.9.1 +etcdoperator.v0.9.2 +etcdoperator.v0.9.4$`, got.out)

	got = resolute(context.Background(), "", "converge", loop)
	require.True(t, strings.HasPrefix(got.out, loop+": the upgrades repeat forever: round 3 returns to the state after round 1\n"), got.out)

	got = resolute(context.Background(), "", "converge", conflict)
	require.True(t, strings.HasPrefix(got.out, conflict+": no solution in round 1\nround 1: no solution\n  "), got.out)
	require.Contains(t, got.out, "Any of these would resolve it:")

	got = resolute(context.Background(), "", "converge", "../../resolver/scenario/testdata/rules/orphan-at-the-head.yaml")
	require.Regexp(t, `orphan-at-the-head.yaml: nothing changes\nwarning: orphan: a.v1 .*\n$`, got.out, "the end is told of, and no table of nothing")

	got = resolute(context.Background(), "", "converge", "../../examples/scenarios/partial.yaml")
	require.Contains(t, got.out, "PACKAGE     NOW  ROUND 1\nprometheus  -    prometheusoperator.0.56.3\nleft out: subscription gateway\n")

	got = resolute(context.Background(), "", "converge", "--max-bundles", "1", road)
	require.Equal(t, road+": incomplete\n", got.out)
}

// TestConvergeDirectory: a directory means its scenarios, as in resolve; the worst status counts.
func TestConvergeDirectory(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"alternatives", "loop"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "scenarios"), 0o755))
		data, err := os.ReadFile("../../examples/scenarios/" + name + ".yaml")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "scenarios", name+".yaml"), data, 0o600))
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "catalogs"), os.DirFS("../../examples/catalogs")))
	t.Chdir(dir)
	got := run1(t, "converge", "scenarios")
	require.Equal(t, exitNo, got.status, got.errOut)
	one, two, found := strings.Cut(got.out, "\n\n")
	require.True(t, found, got.out)
	require.Equal(t, run1(t, "converge", "scenarios/alternatives.yaml").out, one+"\n")
	require.Equal(t, run1(t, "converge", "scenarios/loop.yaml").out, two)
	require.Equal(t, 2, strings.Count(run1(t, "converge", "-o", "json", "scenarios").out, "\n"))
	page := run1(t, "converge", "-o", "html", "scenarios")
	require.Equal(t, 1, strings.Count(page.out, "<html"))
	require.Contains(t, page.out, "alternatives.yaml")
	require.Contains(t, page.out, "loop.yaml")
	got = run1(t, "converge", "-o", "svg", "scenarios")
	require.Equal(t, exitUnusable, got.status)
	require.Contains(t, got.errOut, "-o svg takes one scenario, but scenarios has 2; see resolute converge --help")
	got = run1(t, "converge", "catalogs/community")
	require.Equal(t, exitUnusable, got.status)
	require.Contains(t, got.errOut, "catalogs/community: this is a catalog, not a scenario")
	require.NoError(t, os.Mkdir("empty", 0o755))
	require.Contains(t, run1(t, "converge", "empty").errOut, "no scenario (.yaml or .json) in empty")
}

// TestConvergeTellsAWarningOnce, in the round that brings it.
func TestConvergeTellsAWarningOnce(t *testing.T) {
	got := resolute(context.Background(), "", "converge", "../../examples/scenarios/deprecated.json")
	require.Equal(t, 1, strings.Count(got.out, "warning: deprecated"), got.out)
}
