package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExplainExitStatuses(t *testing.T) {
	waysOut(t, map[string]wayOut{
		"it is in":         {[]string{"explain", install, "cert-manager.v1.16.5"}, 0, ""},
		"it is out":        {[]string{"explain", install, "cert-manager.v1.16.1"}, 0, ""},
		"it cannot be":     {[]string{"explain", kube, "strimzi-cluster-operator.v0.51.0"}, 0, ""},
		"no solution":      {[]string{"explain", conflict, "kuadrant-operator.v0.11.1"}, 1, ""},
		"unknown bundle":   {[]string{"explain", install, "cert-manager.v1.16.6"}, 2, `"cert-manager.v1.16.6": no catalog and nothing installed has a bundle of this name; did you mean`},
		"unknown, as JSON": {[]string{"explain", "-o", "json", install, "nothing.v1"}, 2, "nothing.v1"},
		"unknown beats no": {[]string{"explain", conflict, "nothing.v1"}, 2, "nothing.v1"},
		"no bundle":        {[]string{"explain", install}, 2, "explain needs FILE BUNDLE"},
		"no file":          {[]string{"explain"}, 2, "explain needs FILE BUNDLE"},
		"two bundles":      {[]string{"explain", install, "a.v1", "b.v1"}, 2, "explain needs FILE BUNDLE"},
		"missing file":     {[]string{"explain", "nowhere.yaml", "a.v1"}, 2, "nowhere.yaml: no such file"},
		"time over":        {[]string{"explain", "--timeout", "1ns", install, "cert-manager.v1.16.5"}, 3, "deadline exceeded"},
		"budget":           {[]string{"explain", "--max-bundles", "1", install, "cert-manager.v1.16.5"}, 3, "more than 1 candidate bundles"},
		"unknown form":     {[]string{"explain", "-o", "svg", install, "a.v1"}, 2, `"svg" is not text, json or html`},
	})
}

func TestExplainAsText(t *testing.T) {
	require.Equal(t, run1(t, "explain", install, "cert-manager.v1.16.5"), run1(t, "explain", install, "olm/community:cert-manager.v1.16.5"))

	got := resolute(context.Background(), "", "explain", conflict, "kuadrant-operator.v0.11.1")
	require.Contains(t, got.out, "conflict.yaml: no solution\n")
	require.Contains(t, got.out, "Any of these would resolve it:")
	got = resolute(context.Background(), "", "explain", "--no-corrections", conflict, "kuadrant-operator.v0.11.1")
	require.NotContains(t, got.out, "Any of these")
}
