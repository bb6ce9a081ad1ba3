package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// readyClusters writes clusters and catalogs, and returns the folder of the scenarios and
// the --next of 4.19.
func readyClusters(t *testing.T) (clusters, next string) {
	t.Helper()
	dir := t.TempDir()
	clusters = filepath.Join(dir, "clusters")
	require.NoError(t, os.Mkdir(clusters, 0o755))
	put := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return file
	}
	foo := universe.JSON(t, "foo/stable foo.v1 foo.v2\nbundle foo.v1 max=4.18")
	today := put("today.jsonl", foo+universe.JSON(t, "bar/stable bar.v1"))
	tomorrow := put("next.jsonl", foo+
		`{"schema":"io.openshift.operators.lifecycles.v1alpha1","package":"foo","versions":[{"name":"1.0","phases":[{"name":"Full support","startDate":"2024-01-01","endDate":"2025-01-01"}]}]}`+"\n")
	for i := range 5 {
		pkg := []string{"foo", "bar"}[i%2]
		put(fmt.Sprintf("clusters/c%d.yaml", i), fmt.Sprintf(`
catalogs: [{name: community, namespace: olm, path: %s}]
cluster: {openshiftVersion: "4.18"}
installed: [{name: %[2]s.v1}]
subscriptions: [{name: %[2]s, package: %[2]s, channel: stable, installedCSV: %[2]s.v1}]
`, today, pkg))
	}
	return clusters, "olm/community=" + tomorrow
}

// TestReady: verdict, road and order of a cluster, as each form says them.
func TestReady(t *testing.T) {
	clusters, next := readyClusters(t)
	file := filepath.Join(clusters, "c0.yaml")
	got := resolute(context.Background(), "", "ready", file, "--next", next, "--openshift", "4.19")
	require.Equal(t, exitNo, got.status, got.errOut)
	require.Contains(t, got.out, "updates are due before the cluster moves")
	require.Contains(t, got.out, "update before           foo.v1 (subscription foo)")
	require.Contains(t, got.out, "foo.v1 works up to OpenShift 4.18")
	require.Contains(t, got.out, "Full support from 2024-01-01 to 2025-01-01")
	require.Contains(t, got.out, "1. before: upgrade foo.v1 to foo.v2 from channel stable of olm/community\n")
	require.Contains(t, got.out, "2. upgrade the cluster to OpenShift 4.19, Kubernetes 1.32.0\n")

	got = resolute(context.Background(), "", "ready", file, "--next", next, "--openshift", "4.19", "-o", "json")
	require.Equal(t, exitNo, got.status)
	var report struct {
		File, Status string
		Operators    []struct {
			Bundle, Package, Subscription, Verdict string
			Road                                   []struct{ When, Action, Bundle, Replaces string }
			Reasons                                []struct{ Code, Text string }
		}
		Order []struct{ When, Action, Bundle, Replaces string }
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &report), "one line for one scenario: %s", got.out)
	require.Equal(t, []string{file, "before", "updateBefore", "foo.v2", "maxOpenShiftVersion", "lifecycle"},
		[]string{report.File, report.Status, report.Operators[0].Verdict, report.Order[0].Bundle, report.Operators[0].Reasons[0].Code, report.Operators[0].Reasons[1].Code})

	got = resolute(context.Background(), "", "ready", clusters, "--next", next, "--openshift", "4.19", "-o", "html")
	require.Equal(t, exitNo, got.status)
	require.Contains(t, got.out, "<svg")
	require.Contains(t, got.out, "bar.v1 is gone")
	require.NotContains(t, got.out, "<script")
}

// TestReadyIsReady: exit status 0 only if all are.
func TestReadyIsReady(t *testing.T) {
	clusters, next := readyClusters(t)
	got := resolute(context.Background(), "", "ready", filepath.Join(clusters, "c0.yaml"), "--next", next, "--kubernetes", "1.31.5")
	require.Equal(t, exitOK, got.status, got.out)
	got = resolute(context.Background(), "", "ready", filepath.Join(clusters, "c0.yaml"), "--next", next, "--openshift", "4.18")
	require.Equal(t, exitUnusable, got.status, "a move to the version that the cluster has")
	got = resolute(context.Background(), "", "ready", clusters, "--next", next, "--kubernetes", "1.31.5")
	require.Equal(t, exitNo, got.status, got.out)
	require.Contains(t, got.out, "5 clusters: 3 ready, 0 with updates after, 0 with updates before, 2 blocked")
	require.Contains(t, got.out, "1. bar frees 2 clusters, 2 in all")
}

// TestReadyShards: the parts together are the whole, byte for byte, in each form.
func TestReadyShards(t *testing.T) {
	clusters, next := readyClusters(t)
	for _, form := range []string{"json", "text", "html"} {
		whole := resolute(context.Background(), "", "ready", clusters, "--next", next, "--openshift", "4.19", "-o", form)
		args := []string{"ready", "--merge", "-o", form}
		for i := range 3 {
			part := resolute(context.Background(), "", "ready", clusters, "--next", next, "--openshift", "4.19", "--shard", fmt.Sprintf("%d/3", i), "-o", "json")
			require.Equal(t, exitNo, part.status, part.errOut)
			args = append(args, write(t, fmt.Sprintf("part-%d.jsonl", i), part.out))
		}
		merged := resolute(context.Background(), "", args...)
		require.Equal(t, whole.status, merged.status, merged.errOut)
		require.Equal(t, whole.out, merged.out, form)
		for i := range 3 { // one of them is standard input
			last := len(args) - 3 + i
			data, err := os.ReadFile(args[last])
			require.NoError(t, err)
			piped := slices.Clone(args)
			piped[last] = "-"
			require.Equal(t, merged, resolute(context.Background(), string(data), piped...))
		}
		missing := resolute(context.Background(), "", args[:len(args)-1]...)
		require.Equal(t, exitUnusable, missing.status)
		require.Contains(t, missing.errOut, "missing shards 2/3; run them and merge again")
	}
}

// TestReadyMergeOfOneFromStandardInput: a whole can be read once.
func TestReadyMergeOfOneFromStandardInput(t *testing.T) {
	clusters, next := readyClusters(t)
	whole := resolute(context.Background(), "", "ready", clusters, "--next", next, "--openshift", "4.19", "-o", "json")
	require.Equal(t, whole, resolute(context.Background(), whole.out, "ready", "--merge", "-o", "json", "-"))
}

// TestReadySeveralVersions: --next given twice for one catalog is two versions in a row.
func TestReadySeveralVersions(t *testing.T) {
	clusters, next := readyClusters(t)
	file := filepath.Join(clusters, "c0.yaml")
	got := resolute(context.Background(), "", "ready", file, "--next", next, "--next", next, "--openshift", "4.20")
	require.Contains(t, got.out, "2. upgrade the cluster to OpenShift 4.19, Kubernetes 1.32.0\n    3. upgrade the cluster to OpenShift 4.20, Kubernetes 1.33.0\n")
	got = resolute(context.Background(), "", "ready", file, "--next", next, "--openshift", "4.19", "--openshift", "4.20")
	require.Equal(t, exitUnusable, got.status)
	require.Contains(t, got.errOut, "--openshift is given 2 times, but there are catalogs of 1 version")
}

// TestReadyMistakes: each says what to do.
func TestReadyMistakes(t *testing.T) {
	clusters, next := readyClusters(t)
	file := filepath.Join(clusters, "c0.yaml")
	for want, args := range map[string][]string{
		"--next is required":                   {file},
		"form NAMESPACE/NAME=CATALOG":          {file, "--next", "community"},
		"did you mean olm/community?":          {file, "--next", strings.Replace(next, "community", "comunity", 1)},
		"for example 4.20":                     {file, "--next", next, "--openshift", "four"},
		"for example 1.33.0":                   {file, "--next", next, "--kubernetes", "x"},
		"--merge, which only combines results": {file, "--next", next, "--merge"},
		"write i/n":                            {file, "--next", next, "--shard", "4/4"},
		"no such file":                         {"nowhere.yaml", "--next", next},
		`resolute: OpenShift 4.18: the cluster already has this version; name the version to upgrade to with --openshift or --kubernetes`: {file, "--next", next},
		"the cluster already has this version": {clusters, "--next", next, "--openshift", "4.18"},
	} {
		got := resolute(context.Background(), "", append([]string{"ready"}, args...)...)
		require.Equal(t, exitUnusable, got.status, want)
		require.Contains(t, got.errOut, want)
		if want != "no such file" {
			require.Empty(t, got.out, "there is no answer")
		}
	}
}

// TestReadyFromTemplate: the image of the next catalog follows from the template that the
// scenario has, and is read with --allow-images alone.
func TestReadyFromTemplate(t *testing.T) {
	ownCache(t)
	t.Chdir(t.TempDir())
	put := func(dir, lines string) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "catalog"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "catalog", "c.json"), []byte(universe.JSON(t, lines)), 0o644))
		layout, _ := layoutOf(t, filepath.Join(dir, "catalog"))
		require.NoError(t, os.Rename(layout, filepath.Join(dir, "image")))
	}
	put("1.32", "foo/stable foo.v1 foo.v2")
	require.NoError(t, os.WriteFile("s.yaml", []byte(`
catalogs: [{name: community, namespace: olm, path: 1.32/catalog, imageTemplate: "oci:{kube_major_version}.{kube_minor_version}/image"}]
cluster: {kubernetesVersion: 1.31.0}
installed: [{name: foo.v1}]
subscriptions: [{name: foo, package: foo, channel: stable, installedCSV: foo.v1}]
`), 0o644))
	got := run1(t, "ready", "s.yaml", "--kubernetes", "1.32.0")
	require.Equal(t, exitUnusable, got.status)
	require.Contains(t, got.errOut, "by its template, the next version of catalog olm/community is the image oci:1.32/image; set --allow-images to fetch it, or --next olm/community=CATALOG")
	got = run1(t, "ready", "s.yaml", "--allow-images", "--kubernetes", "1.32.0")
	require.Equal(t, exitOK, got.status, got.errOut)
	require.Contains(t, got.out, "can stay                foo.v1")
	got = run1(t, "ready", "s.yaml", "--allow-images")
	require.Equal(t, exitUnusable, got.status)
	require.Contains(t, got.errOut, `"{kube_major_version}" of template "oci:{kube_major_version}.{kube_minor_version}/image" is unknown; set --kubernetes`)
}

// TestReadyExtensions: an extension of OLM v1 is answered for as a subscription is.
func TestReadyExtensions(t *testing.T) {
	clusters, next := readyClusters(t)
	file := filepath.Join(clusters, "c0.yaml")
	with, err := os.ReadFile(file)
	require.NoError(t, err)
	head, _, _ := strings.Cut(string(with), "subscriptions:")
	require.NoError(t, os.WriteFile(file, []byte(head+"extensions: [{name: my-foo, package: foo, installedCSV: foo.v1}]\n"), 0o644))

	got := resolute(context.Background(), "", "ready", file, "--next", next, "--openshift", "4.19")
	require.Equal(t, exitNo, got.status, got.errOut)
	require.Contains(t, got.out, "update before           foo.v1 (extension my-foo)")
	require.Contains(t, got.out, "1. before: upgrade foo.v1 to foo.v2")
	require.Contains(t, got.out, "2. upgrade the cluster to OpenShift 4.19, Kubernetes 1.32.0\n")

	got = resolute(context.Background(), "", "ready", file, "--next", next, "--openshift", "4.19", "-o", "json")
	require.Equal(t, exitNo, got.status, got.errOut)
	var report struct {
		Operators []struct{ Bundle, Subscription, Extension, Verdict string }
		Order     []struct{ When, Bundle string }
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &report))
	require.Equal(t, []string{"foo.v1", "", "my-foo", "updateBefore", "foo.v2"}, []string{report.Operators[0].Bundle,
		report.Operators[0].Subscription, report.Operators[0].Extension, report.Operators[0].Verdict, report.Order[0].Bundle})
}

// What cannot be installed today either is in every form, and fails nothing.
func TestReadyNotInstallable(t *testing.T) {
	clusters, next := readyClusters(t)
	file := filepath.Join(clusters, "c0.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "subscriptions: [", "subscriptions: [{name: ghost, package: ghost, channel: stable}, ", 1)), 0o600))
	for _, form := range []string{"text", "json", "html", "markdown", "sarif", "junit", "github"} {
		got := resolute(context.Background(), "", "ready", file, "--next", next, "--openshift", "4.19", "-o", form)
		require.Equal(t, exitNo, got.status, got.errOut) // foo is to be updated before
		require.Contains(t, got.out, "ghost", form)
		switch form {
		case "sarif", "markdown", "github", "junit", "json":
			require.Contains(t, got.out, "notInstallable", form)
		}
		if form == "junit" {
			require.Contains(t, got.out, `failures="1" errors="0" skipped="1"`)
		}
	}
}
