package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	road     = "../scenarios/upgrade.yaml"
	loop     = "../scenarios/loop.yaml"
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
		"no file":         {[]string{"converge"}, 2, "converge needs FILE;"},
		"two files":       {[]string{"converge", road, loop}, 2, "converge needs FILE;"},
		"unknown form":    {[]string{"converge", "-o", "jpeg", road}, 2, `"jpeg" is not text, json, html, mermaid, dot or svg`},
		"time over":       {[]string{"converge", "--timeout", "1ns", road}, 3, "deadline exceeded"},
		"budget":          {[]string{"converge", "--max-bundles", "1", road}, 3, "more than 1 candidate bundles"},
	})
}

func TestConvergeAsText(t *testing.T) {
	require.Equal(t, oneEdge+`: settled after 2 rounds
round 1:
  upgrade example.v0.1.1 -> example.v0.1.2
round 2:
  upgrade example.v0.1.2 -> example.v0.1.3
PACKAGE  NOW             ROUND 1         ROUND 2
example  example.v0.1.1  example.v0.1.2  example.v0.1.3
`, resolute(context.Background(), "", "converge", oneEdge).out)

	got := resolute(context.Background(), "", "converge", road)
	require.Regexp(t, `(?m)^grafana-operator +grafana-operator.v5.9.2 +=  +=$`, got.out)
	require.Regexp(t, `(?m)^etcd +etcdoperator.v0.9.1 +etcdoperator.v0.9.2 +etcdoperator.v0.9.4$`, got.out)

	got = resolute(context.Background(), "", "converge", loop)
	require.True(t, strings.HasPrefix(got.out, loop+": the upgrades repeat forever: round 3 leads back to where round 1 ended\n"), got.out)

	got = resolute(context.Background(), "", "converge", conflict)
	require.True(t, strings.HasPrefix(got.out, conflict+": no solution in round 1\nround 1: no solution\n  "), got.out)
	require.Contains(t, got.out, "Any of these would resolve it:")

	got = resolute(context.Background(), "", "converge", "../../resolver/scenario/testdata/rules/orphan-at-the-head.yaml")
	require.Regexp(t, `orphan-at-the-head.yaml: nothing changes\nwarning: orphan: a.v1 .*\n$`, got.out, "the end is told of, and no table of nothing")

	got = resolute(context.Background(), "", "converge", "../scenarios/partial.yaml")
	require.Contains(t, got.out, "PACKAGE     NOW  ROUND 1\nprometheus  -    prometheusoperator.0.56.3\nleft out: subscription gateway\n")

	got = resolute(context.Background(), "", "converge", "--max-bundles", "1", road)
	require.Equal(t, road+": incomplete\n", got.out)
}

// TestConvergeTellsAWarningOnce, in the round that brings it.
func TestConvergeTellsAWarningOnce(t *testing.T) {
	got := resolute(context.Background(), "", "converge", "../scenarios/deprecated.json")
	require.Equal(t, 1, strings.Count(got.out, "warning: deprecated"), got.out)
}
