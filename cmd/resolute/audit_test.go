package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// sound is a catalog in which there is nothing to find.
const sound = "a/stable a.v1 a.v2"

func TestAuditExitStatuses(t *testing.T) {
	ok := write(t, "ok.json", universe.JSON(t, sound))
	other := write(t, "ok.json", universe.JSON(t, sound))
	waysOut(t, map[string]wayOut{
		"nothing found":        {[]string{"audit", ok}, 0, ""},
		"nothing found, JSON":  {[]string{"audit", "-o", "json", ok}, 0, ""},
		"something found":      {[]string{"audit", community}, 1, ""},
		"something, HTML":      {[]string{"audit", "-o", "html", community}, 1, ""},
		"only sound packages":  {[]string{"audit", "--package", "etcd", community}, 0, ""},
		"only stuck":           {[]string{"audit", "--package", "eclipse-che", community}, 1, ""},
		"no catalog":           {[]string{"audit"}, 2, "audit needs CATALOG..."},
		"missing":              {[]string{"audit", "nowhere"}, 2, "nowhere: no such file"},
		"two of one name":      {[]string{"audit", ok, other}, 2, "both have the key default/ok; rename one with NAME="},
		"named":                {[]string{"audit", ok, "second=" + other}, 0, ""},
		"named wrongly":        {[]string{"audit", "a/b/c=" + ok}, 2, `"a/b/c" is not a catalog key`},
		"strict":               {[]string{"audit", "--strict", untidied}, 2, "problems"},
		"unknown package":      {[]string{"audit", "--package", "etc", community}, 2, "no catalog has this package"},
		"no shard":             {[]string{"audit", "--shard", "2/2", ok}, 2, `"2/2" is not a shard`},
		"no number":            {[]string{"audit", "--workers=-1", ok}, 2, "must not be negative"},
		"time over":            {[]string{"audit", "--timeout", "1ns", ok}, 3, "stopped"},
		"a budget":             {[]string{"audit", "--max-bundles", "1", community}, 1, ""},
		"unknown form":         {[]string{"audit", "-o", "dot", ok}, 2, "is not text, json, html, markdown, sarif, junit or github"},
		"like a scenario":      {[]string{"audit", "--cluster", kube, "--package", "prometheus", community}, 0, ""},
		"like none":            {[]string{"audit", "--cluster", "nowhere.yaml", community}, 2, "nowhere.yaml: no such file"},
		"merge nothing":        {[]string{"audit", "--merge"}, 2, "audit needs CATALOG..."},
		"merge something else": {[]string{"audit", "--merge", ok}, 2, "ok.json: input 1, line 1: "},
		"merge what is not":    {[]string{"audit", "--merge", "nowhere"}, 2, "nowhere: no such file"},
		"merge and audit":      {[]string{"audit", "--merge", "--shard", "0/2", ok}, 2, "--shard cannot be combined with --merge, which only combines results"},
		"merge, time over":     {[]string{"audit", "--merge", "--timeout", "1ns", ok}, 3, "audit --merge: reading stopped"},
		"shard of the command": {[]string{"audit", "--shard", "0/1", ok}, 0, ""},
	})
}

// TestAuditInterrupted: whenever the interrupt comes, the audit ends soon, and says
// how far it got.
func TestAuditInterrupted(t *testing.T) {
	for d := time.Duration(0); d < 20*time.Millisecond; d += 2 * time.Millisecond {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		start := time.Now()
		got := resolute(ctx, "", "audit", "-o", "json", community)
		require.Contains(t, []int{1, 3}, got.status)
		if got.status == 3 {
			require.Contains(t, got.errOut, "stopped")
			require.NotContains(t, got.out, `"summary"`)
		}
		require.Less(t, time.Since(start), d+10*time.Second)
		cancel()
	}
}

// jsonLines audits as JSON, and returns the lines without the seconds.
func jsonLines(t *testing.T, args ...string) []string {
	t.Helper()
	got := resolute(context.Background(), "", append([]string{"audit", "-o", "json"}, args...)...)
	require.Less(t, got.status, 2, got.errOut)
	text := regexp.MustCompile(`"seconds":[0-9.e-]+`).ReplaceAllString(got.out, `"seconds":0`)
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// TestAuditAsJSON: a line a bundle, then the summary, each in the shape of the
// format.
func TestAuditAsJSON(t *testing.T) {
	lines := jsonLines(t, write(t, "sound.json", universe.JSON(t, sound)))
	require.Equal(t, []string{
		`{"catalog":"default/sound","package":"a","bundle":"a.v1","installable":true,"reachesHead":{"channel":"stable","reaches":true,"rounds":1}}`,
		`{"catalog":"default/sound","package":"a","bundle":"a.v2","installable":true,"reachesHead":{"channel":"stable","reaches":true,"rounds":0}}`,
		`{"summary":{"bundles":2,"installable":2,"stuck":0,"clashes":[],"seconds":0}}`,
	}, lines)

	lines = jsonLines(t, "--package", "kuadrant-operator", "--package", "grafana-operator", "--package", "eclipse-che", community)
	found := make(map[string]string)
	for _, line := range lines {
		var b struct{ Bundle string }
		require.NoError(t, json.Unmarshal([]byte(line), &b))
		found[b.Bundle] = line
	}
	require.Equal(t, []string{"catalog", "package", "bundle", "installable", "conflict", "reachesHead", "skippedBy"}, keys(t, found["grafana-operator.v5.6.1"]), "it is skipped")
	require.Equal(t, []string{"catalog", "package", "bundle", "installable", "reachesHead"}, keys(t, found["kuadrant-operator.v0.10.0"]))
	var stuck struct {
		ReachesHead json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(found["eclipse-che.v7.41.2"]), &stuck))
	require.Equal(t, []string{"channel", "reaches", "rounds", "stuckAt", "conflict"}, keys(t, string(stuck.ReachesHead)))
}

// TestAuditShards: the parts put together are the whole, byte for byte, in whatever
// order they come.
func TestAuditShards(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, shard := range []string{"2/3", "0/3", "1/3"} {
		got := resolute(context.Background(), "", "audit", "-o", "json", "--workers", "2", "--shard", shard, community)
		file := filepath.Join(dir, strings.ReplaceAll(shard, "/", "-")+".jsonl")
		require.NoError(t, os.WriteFile(file, []byte(got.out), 0o600))
		files = append(files, file)
	}
	whole := jsonLines(t, community)
	require.Equal(t, whole, jsonLines(t, append([]string{"--merge"}, files...)...))
	require.Len(t, whole, 38+1)

	got := resolute(context.Background(), "", append([]string{"audit", "--merge"}, files...)...)
	require.Equal(t, 1, got.status)
	want := resolute(context.Background(), "", "audit", community)
	require.Equal(t, withoutSeconds(want.out), withoutSeconds(got.out))

	got = resolute(context.Background(), "", "audit", "--merge", files[0], files[1])
	require.Equal(t, 2, got.status)
	require.Contains(t, got.errOut, "missing shards 1/3")
	require.Empty(t, got.out)

	// Standard input is one of the parts.
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	got = resolute(context.Background(), string(data), "audit", "--merge", "-", files[1], files[2])
	require.Equal(t, withoutSeconds(want.out), withoutSeconds(got.out))
}

func withoutSeconds(text string) string {
	return regexp.MustCompile(`\nAudited in .*`).ReplaceAllString(text, "")
}

// TestAuditImaginesACluster: the rule about the Kubernetes version holds on that of
// the scenario, for the versions that it is high enough for.
func TestAuditImaginesACluster(t *testing.T) {
	count := func(args ...string) int {
		lines := jsonLines(t, append(args, "--package", "strimzi-kafka-operator", platform, community)...)
		return strings.Count(strings.Join(lines, "\n"), `"installable":true`)
	}
	require.Equal(t, 1, count())
	require.Equal(t, 2, count("--cluster", kube))
}

// TestAuditAsHTML: one page that needs nothing else.
func TestAuditAsHTML(t *testing.T) {
	got := resolute(context.Background(), "", "audit", "-o", "html", community)
	require.Contains(t, got.out, "eclipse-che.v7.41.2")
	require.NotContains(t, got.out, "<script")
	require.True(t, strings.HasPrefix(got.out, "<!DOCTYPE html>"))
}
