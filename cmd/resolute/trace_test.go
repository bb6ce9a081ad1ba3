package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTraceText: the trace follows the answer, under a heading of its own, and the
// answer is the same as without.
func TestTraceText(t *testing.T) {
	plain := resolute(context.Background(), "", "resolve", install)
	got := resolute(context.Background(), "", "resolve", "--trace", install)
	require.Equal(t, exitOK, got.status)
	require.Empty(t, got.errOut)
	require.True(t, strings.HasPrefix(got.out, plain.out+"\nTRACE\n"), got.out)
	require.Equal(t, got.out, resolute(context.Background(), "", "resolve", "--trace", install).out)
}

// TestTraceJSON: the trace is the last key of the answer's object, and all else is
// as without.
func TestTraceJSON(t *testing.T) {
	times := regexp.MustCompile(`"(load|resolve)Ms":[0-9.e-]+`)
	run := func(args ...string) string {
		got := resolute(context.Background(), "", append([]string{"resolve", "-o", "json"}, args...)...)
		require.Equal(t, exitOK, got.status, got.errOut)
		return times.ReplaceAllString(got.out, `"${1}Ms":0`)
	}
	plain, traced := run(install), run("--trace", install)
	head, trace, ok := strings.Cut(traced, `,"trace":`)
	require.True(t, ok, traced)
	require.Equal(t, plain, head+"}\n")
	require.Contains(t, trace, `"decision":{"index":3,`)
	require.NotContains(t, traced, "tookMs")
	require.Contains(t, run("--trace", "--trace-times", install), `"tookMs":`)
	require.Equal(t, traced, run("--trace", install))
}

// TestTraceOfSeveral: each scenario has a trace of its own.
func TestTraceOfSeveral(t *testing.T) {
	got := resolute(context.Background(), "", "resolve", "--trace", install, "../../examples/scenarios/partial.yaml", "nowhere.yaml")
	require.Equal(t, exitUnusable, got.status)
	require.Equal(t, 2, strings.Count(got.out, "\nTRACE\n"))
	require.Contains(t, got.out, "  subscription gateway is left out: subscription gateway cannot be met\n")
}

// TestTraceUsage: what bounds a trace needs one, and a picture has none.
func TestTraceUsage(t *testing.T) {
	waysOut(t, map[string]wayOut{
		"html":             {[]string{"resolve", "--trace", "-o", "html", install}, 2, "--trace requires -o text or json, not html"},
		"mermaid":          {[]string{"resolve", "--trace", "-o", "mermaid", install}, 2, "--trace requires -o text or json, not mermaid"},
		"dimacs":           {[]string{"resolve", "--trace", "-o", "dimacs", install}, 2, "--trace requires -o text or json, not dimacs"},
		"times alone":      {[]string{"resolve", "--trace-times", install}, 2, "--trace-times requires --trace"},
		"events alone":     {[]string{"resolve", "--trace-events", "5", install}, 2, "--trace-events requires --trace"},
		"candidates alone": {[]string{"resolve", "--trace-candidates", "5", install}, 2, "--trace-candidates requires --trace"},
		"all of them":      {[]string{"resolve", "--trace", "--trace-times", "--trace-events=-1", "--trace-candidates=0", install}, 0, ""},
		"a time limit":     {[]string{"resolve", "--trace", "--timeout", "1ns", install}, 3, "deadline exceeded"},
	})
	few := resolute(context.Background(), "", "resolve", "--trace", "--trace-events", "2", install)
	require.Contains(t, few.out, "  … 4 events not kept …\n")
}

// TestDIMACS: the formula of one scenario is written, and nothing else.
func TestDIMACS(t *testing.T) {
	got := resolute(context.Background(), "", "resolve", "-o", "dimacs", install)
	require.Equal(t, exitOK, got.status, got.errOut)
	require.Empty(t, got.errOut)
	require.Regexp(t, `(?m)^c [0-9]+ olm/community etcdoperator\.v0\.9\.4$`, got.out)
	require.Regexp(t, `(?m)^p cnf [0-9]+ [0-9]+$`, got.out)
	require.Equal(t, got.out, resolute(context.Background(), "", "resolve", "-o", "dimacs", install).out)
	unsolvable := resolute(context.Background(), "", "resolve", "-o", "dimacs", conflict)
	require.Equal(t, exitOK, unsolvable.status, "a formula without a model is a formula")
	waysOut(t, map[string]wayOut{
		"two at once":  {[]string{"resolve", "-o", "dimacs", install, conflict}, 2, "-o dimacs takes one FILE, but 2 are given"},
		"missing":      {[]string{"resolve", "-o", "dimacs", "nowhere.yaml"}, 2, "nowhere.yaml: no such file"},
		"invalid":      {[]string{"resolve", "-o", "dimacs", write(t, "i.yaml", "subscriptions: [{name: a}]")}, 2, "package is missing"},
		"no catalog":   {[]string{"resolve", "-o", "dimacs", write(t, "n.yaml", "catalogs: [{name: c, path: nowhere}]")}, 2, "nowhere: no such file"},
		"time is over": {[]string{"resolve", "-o", "dimacs", "--timeout", "1ns", install}, 3, "deadline exceeded"},
		"budget":       {[]string{"resolve", "-o", "dimacs", "--max-bundles", "1", install}, 3, "more than 1 candidate bundles"},
	})
}

// TestLog: what is logged goes to standard error, from the level asked for on, and
// changes nothing else.
func TestLog(t *testing.T) {
	ctx := context.Background()
	plain := resolute(ctx, "", "resolve", install)
	got := resolute(ctx, "", "resolve", "--log", "debug", install)
	require.Equal(t, plain.out, got.out)
	require.Contains(t, got.errOut, "level=DEBUG msg=resolved operation=resolve outcome=resolved")
	require.Empty(t, resolute(ctx, "", "resolve", "--log=info", install).errOut)
	got = resolute(ctx, "", "resolve", "--log=info", "--no-corrections", conflict)
	require.Contains(t, got.errOut, `level=INFO msg="no solution"`)
	require.Contains(t, resolute(ctx, "", "audit", "--log=debug", "../../examples/catalogs/certified.yaml").errOut, "operation=audit")
	require.Contains(t, resolute(ctx, "", "converge", "--log=debug", "../../examples/scenarios/upgrade.yaml").errOut, "operation=converge")
	waysOut(t, map[string]wayOut{"unknown level": {[]string{"resolve", "--log", "loud", install}, 2, "must be debug, info, warn or error"}})
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("namespace: \"a\\e[2Jb\"\n"), 0o600))
	got = resolute(ctx, "", "resolve", "--log=debug", filepath.Join(dir, "a.yaml"))
	require.Contains(t, got.errOut, "msg=")
	require.NotContains(t, got.errOut, "\x1b")
}
