package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIfExitStatuses(t *testing.T) {
	bad := write(t, "bad.yaml", "whatif: [{name: w, add: {subscriptions: [{name: a, package: none}]}}]")
	waysOut(t, map[string]wayOut{
		"all resolved":              {[]string{"whatif", "../scenarios/alternatives.yaml"}, 0, ""},
		"several files":             {[]string{"whatif", "../scenarios/alternatives.yaml", "../scenarios/priorities.yaml"}, 0, ""},
		"the base has no solution":  {[]string{"whatif", conflict}, 1, ""},
		"a what-if has no solution": {[]string{"whatif", bad}, 1, ""},
		"not a what-if":             {[]string{"whatif", write(t, "w.yaml", "whatif: [{name: w, drop: {subscriptions: [x]}}]")}, 2, `"x"`},
		"no file":                   {[]string{"whatif"}, 2, "whatif needs FILE..."},
		"missing file":              {[]string{"whatif", "nowhere.yaml"}, 2, "nowhere.yaml: no such file"},
		"time over":                 {[]string{"whatif", "--timeout", "1ns", conflict}, 3, "deadline exceeded"},
		"budget":                    {[]string{"whatif", "--max-bundles", "1", "../scenarios/alternatives.yaml"}, 3, "../scenarios/alternatives.yaml: resolution stopped"},
		"strict":                    {[]string{"whatif", "--strict", write(t, "u.yaml", untidy(t))}, 2, "problems"},
		"unknown form":              {[]string{"whatif", "-o", "html", conflict}, 2, `"html" is not text or json`},
	})
}

func TestWhatIfOfNothing(t *testing.T) {
	got := resolute(context.Background(), "", "whatif", install)
	require.True(t, strings.HasSuffix(got.out, "\nthe scenario asks no what-ifs\n"), got.out)
}

// TestWhatIfShowsWhatIsNew: warnings, and who is left out, only where the base
// problem has not had them already.
func TestWhatIfShowsWhatIsNew(t *testing.T) {
	file := write(t, "w.yaml", `
installed: [{name: a.v1, package: a, automatic: true}, {name: b.v1, package: b, automatic: true}]
subscriptions: [{name: b, package: b, installedCSV: b.v1}, {name: x, package: none}]
policy: {failures: Partial}
whatif:
- {name: nobody owns b, drop: {subscriptions: [b]}}
- {name: another, add: {subscriptions: [{name: y, package: none}]}}
- {name: nothing, forbid: [{bundle: z.v1}]}
- {name: not so, drop: {subscriptions: [x]}, add: {subscriptions: [{name: x, package: none, channel: beta}]}}
`)
	got := resolute(context.Background(), "", "whatif", file)
	parts := strings.Split(got.out, "\nwhat if ")
	require.Len(t, parts, 5, got.out)
	require.Contains(t, parts[0], "warning: orphan: a.v1")
	require.Contains(t, parts[1], "\n  warning: orphan: b.v1")
	require.NotContains(t, parts[1], "orphan: a.v1")
	require.Contains(t, parts[2], "\nleft out: subscription y\n")
	require.NotContains(t, parts[2], "subscription x\n")
	require.Contains(t, parts[3], "\n  nothing changes\n  = a.v1, b.v1\n")
	require.NotContains(t, parts[3], "orphan")
	require.Contains(t, parts[4], "\nleft out: subscription x\n", "for another reason than before")
}
