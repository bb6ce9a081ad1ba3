package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExplainExitStatuses(t *testing.T) {
	waysOut(t, map[string]wayOut{
		"it is in":         {[]string{"explain", install, "cert-manager.v1.16.5"}, 0, ""},
		"it is out":        {[]string{"explain", install, "cert-manager.v1.16.1"}, 0, ""},
		"it cannot be":     {[]string{"explain", kube, "strimzi-cluster-operator.v0.51.0"}, 0, ""},
		"no solution":      {[]string{"explain", conflict, "kuadrant-operator.v0.11.1"}, 1, ""},
		"unknown bundle":   {[]string{"explain", install, "cert-manager.v1.16.6"}, 2, `no bundle or package "cert-manager.v1.16.6" in any catalog or on the cluster; did you mean`},
		"unknown, as JSON": {[]string{"explain", "-o", "json", install, "nothing.v1"}, 2, "nothing.v1"},
		"unknown beats no": {[]string{"explain", conflict, "nothing.v1"}, 2, "nothing.v1"},
		"no bundle":        {[]string{"explain", install}, 2, "explain needs FILE BUNDLE|PACKAGE"},
		"no file":          {[]string{"explain"}, 2, "explain needs FILE BUNDLE|PACKAGE"},
		"two bundles":      {[]string{"explain", install, "a.v1", "b.v1"}, 2, "explain needs FILE BUNDLE|PACKAGE"},
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

// TestExplainPackage: a package stands for its newest version, and what is misspelt is met with
// the newest first.
func TestExplainPackage(t *testing.T) {
	got := run1(t, "explain", install, "cert-manager")
	require.Equal(t, exitOK, got.status, got.errOut)
	require.True(t, strings.HasPrefix(got.out, "The newest version of package cert-manager is cert-manager.v1.16.5.\ncert-manager.v1.16.5 is in the result:\n"), got.out)
	require.Equal(t, got, run1(t, "explain", install, "olm/community:cert-manager"))
	require.Equal(t, run1(t, "explain", "-o", "json", install, "cert-manager.v1.16.5").out, run1(t, "explain", "-o", "json", install, "cert-manager").out)
	out := run1(t, "explain", kube, "strimzi-kafka-operator").out
	require.Contains(t, out, "strimzi-cluster-operator.v0.51.0 is not in the result, and cannot be.\n", "the newest, not the one that is in")
	require.Contains(t, run1(t, "try", "../../examples/catalogs/community", "etcd", "--explain", "etcd").out, "etcdoperator.v0.9.4 is in the result")

	for name, want := range map[string]string{
		"cert-manager.v9":      "; did you mean cert-manager.v1.16.5?",
		"cert-manager.v1.16.6": "; did you mean cert-manager.v1.16.5, cert-manager.v1.16.1 or ",
		"cert-manger":          "; did you mean cert-manager?",
	} {
		got := run1(t, "explain", install, name)
		require.Equal(t, exitUnusable, got.status)
		require.Contains(t, got.errOut, `install.yaml: no bundle or package "`+name+`" in any catalog or on the cluster`)
		require.Contains(t, got.errOut, want)
	}
}
