package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/examples/resolute/internal/kubectl"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// dumped is a namespace in which db is upgraded by hand and web waits for a newer db.
const dumped = `apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1
  kind: OperatorGroup
  metadata: {name: og, namespace: shop, uid: "1"}
  spec: {targetNamespaces: [shop]}
- apiVersion: operators.coreos.com/v1alpha1
  kind: CatalogSource
  metadata: {name: goods, namespace: shop}
  spec: {sourceType: grpc, image: "registry.example/goods:v1"}
  status: {connectionState: {lastObservedState: READY}}
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: db, namespace: shop}
  spec: {name: db, channel: x, source: goods, sourceNamespace: shop, installPlanApproval: Manual}
  status: {installedCSV: db.v1, currentCSV: db.v2, state: UpgradePending, installPlanRef: {name: plan-1}}
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: web, namespace: shop}
  spec: {name: web, channel: x, source: goods, sourceNamespace: shop}
  status: {installedCSV: web.v1, currentCSV: web.v1, state: AtLatestKnown}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: db.v1, namespace: shop, annotations: {operatorframework.io/properties: '{"properties":[{"type":"olm.package","value":{"packageName":"db","version":"1.0.0"}}]}'}}
  spec: {version: 1.0.0, install: {spec: {deployments: [{spec: {env: [{name: TOKEN, value: s3cret}]}}]}}}
  status: {phase: Succeeded}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: web.v1, namespace: shop}
  spec:
    version: 1.0.0
    description: s3cret
    customresourcedefinitions: {owned: [{name: sites.shop.example, version: v1, kind: Site}]}
  status: {phase: Succeeded}
- apiVersion: operators.coreos.com/v1alpha1
  kind: InstallPlan
  metadata: {name: plan-1, namespace: shop}
  spec: {approval: Manual, approved: false, clusterServiceVersionNames: [db.v2], generation: 1}
  status: {phase: RequiresApproval, bundleLookups: [{identifier: db.v2, path: i, replaces: db.v1, catalogSourceRef: {name: goods, namespace: shop}}]}
`

// goods is the catalog of that namespace.
const goods = `
	db/x db.v1 db.v2
	web/x web.v1 needs=db@>=1.0.0
	web/x web.v2 replaces=web.v1 needs=db@>=2.0.0`

// shopFiles writes the dump and its catalog, and captures it.
func captureShop(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dump.yaml"), []byte(dumped), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "goods.jsonl"), []byte(universe.JSON(t, goods)), 0o600))
	t.Chdir(dir)
	return dir
}

// program runs the command line.
func program(t *testing.T, stdin string, args ...string) (status int, out, complaints string) {
	t.Helper()
	got := resolute(t.Context(), stdin, args...)
	return got.status, got.out, got.errOut
}

func TestCapture(t *testing.T) {
	dir := captureShop(t)
	status, out, complaints := program(t, "", "capture", "dump.yaml", "--catalog", "shop/goods=goods.jsonl", "--into", "scenarios")
	require.Equal(t, exitOK, status, complaints) // warnings only
	for _, want := range []string{"namespace shop", "held       subscription db: install plan plan-1 is not approved", "OLM says   resolved",
		"we say     resolved", "upgradePendingApproval",
		"plan       approving install plan plan-1 would upgrade db.v1 to db.v2, which is a step towards what the subscriptions want; next: upgrade web.v1 to web.v2\n             kubectl patch installplan plan-1 -n shop", "mixedApproval"} {
		require.Contains(t, out, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, "scenarios", "shop.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(text), `path: "../goods.jsonl"`)
	require.NotContains(t, string(text), "s3cret")
	status, out, _ = program(t, "", "test", "scenarios")
	require.Equal(t, exitOK, status, out)

	status, out, _ = program(t, dumped, "capture", "-", "-o", "json", "--like-olm")
	require.Equal(t, exitOK, status)
	var captured struct {
		Catalogs []struct {
			Key, Image string
			Healthy    bool
		}
		Namespaces []struct {
			Namespace string
			Scenario  map[string]any
			Findings  []struct{ Code, Severity, Subject, Message string }
			Observed  struct{ Status string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &captured))
	require.Equal(t, "shop/goods", captured.Catalogs[0].Key)
	require.True(t, captured.Catalogs[0].Healthy)
	require.Equal(t, map[string]any{"compounds": "PerBundle", "failures": "All"}, captured.Namespaces[0].Scenario["policy"])
	require.NotContains(t, out, "s3cret")
}

// Links in the folder for scenarios do not lead out of it.
func TestCaptureStaysInside(t *testing.T) {
	dir := captureShop(t)
	outside := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(outside, []byte("kept"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "into"), 0o700))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "into", "shop.yaml")))
	status, _, complaints := program(t, "", "capture", "dump.yaml", "--into", "into")
	require.Equal(t, exitUnusable, status)
	require.NotEmpty(t, complaints)
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "kept", string(text))
}

func TestCaptureUsage(t *testing.T) {
	captureShop(t)
	for _, args := range [][]string{{"capture"}, {"capture", "--live", "dump.yaml"}, {"capture", "nowhere.yaml"}, {"capture", "dump.yaml", "--catalog", "goods"},
		{"capture", "--live", "--kubectl", "./no-such-program"}} {
		status, _, complaints := program(t, "", args...)
		require.Equal(t, exitUnusable, status, args)
		require.NotEmpty(t, complaints)
	}
	status, _, complaints := program(t, "", "capture", "dump.yaml", "-o", "json", "--timeout", "1ns")
	require.Equal(t, exitIncomplete, status, complaints)
}

// With --live, kubectl is asked; here by a double that has one answer for each kind
// and does not know some. The real one is tried in examples/controller.
func TestCaptureLive(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the double is a shell script, and there is no shell")
	}
	dir := captureShop(t)
	script := `#!/bin/sh
echo "$@" >>calls
case "$*" in
*subscriptions.operators*) cat dump.yaml;;
*clusterextensions*|*clustercatalogs*|*clusterversions*) echo "error: the server doesn't have a resource type" >&2; exit 1;;
*nodes*) echo "Error from server (Forbidden): nodes is forbidden" >&2; exit 1;;
*) echo '{"apiVersion":"v1","items":[],"kind":"List"}';;
esac
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kubectl"), []byte(script), 0o700))
	status, live, complaints := program(t, "", "capture", "--live", "--kubectl", "./kubectl", "--context", "prod", "-o", "json")
	require.Equal(t, exitOK, status, complaints)
	require.Contains(t, complaints, "going on without nodes")
	_, out, _ := program(t, "", "capture", "dump.yaml", "-o", "json")
	require.Equal(t, out, live)
	calls, err := os.ReadFile("calls")
	require.NoError(t, err)
	require.Contains(t, string(calls), "--context=prod get clusterserviceversions.operators.coreos.com --all-namespaces --output=json --selector=!olm.copiedFrom")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "kubectl"), []byte("#!/bin/sh\necho 'Unable to connect to the server' >&2\nexit 1\n"), 0o700))
	status, _, complaints = program(t, "", "capture", "--live", "--kubectl", "./kubectl")
	require.Equal(t, exitUnusable, status)
	require.Contains(t, complaints, "Unable to connect")
}

func TestPluginName(t *testing.T) {
	for name, want := range map[string]bool{"kubectl-resolute": true, "/usr/bin/kubectl_resolute": true, "kubectl-resolute.exe": true, "resolute": false} {
		require.Equal(t, want, kubectl.IsPlugin([]string{name}), name)
	}
}

func TestUpgradeAndNeeds(t *testing.T) {
	captureShop(t)
	program(t, "", "capture", "dump.yaml", "--catalog", "shop/goods=goods.jsonl", "--into", ".")
	// The captured operator says no requirement of its own: give the catalog's.
	text, err := os.ReadFile("shop.yaml")
	require.NoError(t, err)
	head, tail, ok := strings.Cut(string(text), "- name: web.v1\n")
	require.True(t, ok)
	_, tail, ok = strings.Cut(tail, "subscriptions:\n")
	require.True(t, ok)
	require.NoError(t, os.WriteFile("s.yaml", []byte(head+"- {name: web.v1, package: web}\nsubscriptions:\n"+strings.ReplaceAll(tail, "  hold:", "  # hold:")), 0o600))

	status, out, complaints := program(t, "", "upgrade", "s.yaml", "web=2.0.0", "-o", "json")
	require.Equal(t, exitOK, status, complaints)
	var up struct {
		Status     string
		Set        []string
		Companions []struct {
			Bundle  string
			Because []struct{ Bundle, Constraint string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &up))
	require.Equal(t, []string{"db.v2", "web.v2"}, up.Set)
	require.Equal(t, "db.v2", up.Companions[0].Bundle)
	require.Equal(t, "web.v2", up.Companions[0].Because[0].Bundle)
	status, out, _ = program(t, "", "upgrade", "s.yaml", "db")
	require.Equal(t, exitOK, status)
	require.Contains(t, out, "approving the whole namespace would change besides:\n  upgrade web.v1 -> web.v2")
	status, _, complaints = program(t, "", "upgrade", "s.yaml", "wbe")
	require.Equal(t, exitUnusable, status)
	require.Contains(t, complaints, "did you mean web?")

	status, out, _ = program(t, "", "needs", "s.yaml", "--drop", "db")
	require.Equal(t, exitNo, status)
	require.Contains(t, out, "web.v1 breaks")
	status, out, _ = program(t, "", "needs", "s.yaml", "db.v1", "-o", "json")
	require.Equal(t, exitOK, status)
	require.JSONEq(t, `{"bundles":[{"bundle":"db.v1","neededBy":[{"bundle":"web.v1","constraint":"package db in range >=1.0.0"}],"subscriptions":["db"]}]}`, out)
	status, _, complaints = program(t, "", "needs", "s.yaml", "db.v7")
	require.Equal(t, exitUnusable, status)
	require.Contains(t, complaints, "db.v1")

	status, out, _ = program(t, "", "resolve", "-o", "installplan", "--beside", "dump.yaml", "s.yaml")
	require.Equal(t, exitNo, status)
	require.Contains(t, out, "kind: InstallPlan")
	require.Contains(t, out, "# missing: web.v2")
}

// What cannot be a capture is exit 2 and no answer: a dump without an object, and a catalog
// by a key that the dump does not have.
func TestCaptureOfNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("dump.yaml", []byte(dumped), 0o600))
	require.NoError(t, os.WriteFile("empty.yaml", []byte("apiVersion: v1\nitems: []\nkind: List\n"), 0o600))
	for want, args := range map[string][]string{
		"empty.yaml holds no object of a cluster":                               {"capture", "empty.yaml"},
		"stdin holds no object of a cluster":                                    {"capture", "-"},
		"no catalog \"shop/good\", it has shop/goods; did you mean shop/goods?": {"capture", "--catalog", "shop/good=goods.jsonl", "--into", "scenarios", "dump.yaml"},
	} {
		status, out, complaints := program(t, "", args...)
		require.Equal(t, exitUnusable, status, complaints)
		require.Empty(t, out)
		require.Contains(t, complaints, want)
		require.NoDirExists(t, "scenarios")
	}
}

// A namespace may have any name: the scenario of what OLM v1 manages does not take its place.
func TestCaptureKeepsEveryNamespace(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("dump.yaml", []byte(strings.ReplaceAll(dumped, "namespace: shop", "namespace: _extensions")+`- apiVersion: olm.operatorframework.io/v1
  kind: ClusterExtension
  metadata: {name: e}
  spec: {namespace: n, source: {sourceType: Catalog, catalog: {packageName: p}}}
`), 0o600))
	program(t, "", "capture", "--into", "scenarios", "dump.yaml")
	for file, want := range map[string]string{"_extensions.yaml": `namespace: "_extensions"`, "__extensions.yaml": "extensions:"} {
		text, err := os.ReadFile(filepath.Join("scenarios", file))
		require.NoError(t, err)
		require.Contains(t, string(text), want)
	}
}
