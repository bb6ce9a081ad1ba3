package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/kubectl"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver/olm"
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
	for _, want := range []string{"namespace shop", "held       subscription db: install plan plan-1 is not approved", "OLM        resolved",
		"resolute   resolved", "upgradePendingApproval",
		"plan       approving install plan plan-1 would upgrade db.v1 to db.v2, a step towards the demands of the subscriptions; next: upgrade web.v1 to web.v2\n             kubectl patch installplan plan-1 -n shop", "mixedApproval"} {
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

// The page of a capture has a row and a section for each namespace, with what to do.
func TestCapturePage(t *testing.T) {
	captureShop(t)
	status, out, complaints := program(t, "", "capture", "-o", "html", "dump.yaml", "--catalog", "shop/goods=goods.jsonl")
	require.Equal(t, exitOK, status, complaints)
	p := parsePage(t, out)
	p.selfContained(t)
	require.Equal(t, []string{"Namespaces", "Namespace shop", "Catalogs"}, p.within["h2"])
	require.Equal(t, []string{"namespace shop", "resolved"}, p.within["td"][:2])
	require.Contains(t, p.within["dd"], "subscription db: install plan plan-1 is not approved")
	require.Contains(t, out, "kubectl patch installplan plan-1 -n shop")
	require.Contains(t, p.texts, "upgradePendingApproval")
	require.NotContains(t, out, "s3cret")

	status, out, complaints = program(t, "", "capture", "-o", "html", "dump.yaml")
	require.Equal(t, exitOK, status)
	require.Empty(t, complaints)
	require.Contains(t, out, "The content of 1 catalog is unknown; give each with --catalog KEY=FILE")
	require.Contains(t, out, "no answer: the content of shop/goods is unknown")
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
*clusterextensions*|*clustercatalogs*|*clusterversions*|*infrastructures*) echo "error: the server doesn't have a resource type" >&2; exit 1;;
*nodes*) echo "Error from server (Forbidden): nodes is forbidden" >&2; exit 1;;
*) echo '{"apiVersion":"v1","items":[],"kind":"List"}';;
esac
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kubectl"), []byte(script), 0o700))
	status, live, complaints := program(t, "", "capture", "--live", "--kubectl", "./kubectl", "--context", "prod", "-o", "json")
	require.Equal(t, exitOK, status, complaints)
	require.Contains(t, complaints, "continuing without nodes")
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
	require.Contains(t, out, "approving everything in the namespace would also:\n  ~ web.v1 -> web.v2")
	status, _, complaints = program(t, "", "upgrade", "s.yaml", "wbe")
	require.Equal(t, exitUnusable, status)
	require.Contains(t, complaints, "did you mean web?")

	status, out, _ = program(t, "", "needs", "s.yaml", "--drop", "db")
	require.Equal(t, exitNo, status)
	require.Contains(t, out, "web.v1 breaks")
	status, out, _ = program(t, "", "needs", "s.yaml", "db.v1", "-o", "json")
	require.Equal(t, exitOK, status)
	require.JSONEq(t, `{"file":"s.yaml","bundles":[{"bundle":"db.v1","neededBy":[{"bundle":"web.v1","constraint":"package db in range >=1.0.0"}],"subscriptions":["db"]}]}`, out)
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

// What keeps OLM from installing what it resolved is neither said to be resolved nor exit 0,
// in whichever form it is printed.
func TestCaptureStuck(t *testing.T) {
	t.Chdir(t.TempDir())
	failing := strings.NewReplacer("phase: RequiresApproval, bundleLookups: [{", `phase: Installing, bundleLookups: [{conditions: [{type: BundleLookupFailed, status: "True", reason: DeadlineExceeded}], `).Replace(dumped)
	pods := "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: goods-x1y2z, namespace: shop, labels: {olm.catalogSource: goods}}\n" +
		"  status: {containerStatuses: [{image: \"registry.example/goods:v1\", state: {waiting: {reason: ErrImagePull, message: denied}}}]}\nkind: PodList\n"
	for name, tt := range map[string]struct{ files, says []string }{
		"unpack":  {[]string{"dump.yaml", failing}, []string{"bundleUnpackFailed", "DeadlineExceeded", "delete job "}},
		"account": {[]string{"dump.yaml", strings.Replace(dumped, "spec: {targetNamespaces", "spec: {serviceAccountName: installer, targetNamespaces", 1), "namespaces/shop/core/serviceaccounts.yaml", "kind: ServiceAccountList\napiVersion: v1\nitems:\n- metadata: {name: default, namespace: shop}\n"}, []string{"serviceAccountMissing", "installer"}},
		"catalog": {[]string{"dump.yaml", dumped, "namespaces/shop/core/pods.yaml", pods}, []string{"catalogUnreachable", "registry.example/goods:v1", "ErrImagePull: denied"}},
	} {
		t.Run(name, func(t *testing.T) {
			for i := 0; i < len(tt.files); i += 2 {
				file := filepath.Join(name, tt.files[i])
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
				require.NoError(t, os.WriteFile(file, []byte(tt.files[i+1]), 0o600))
			}
			for _, form := range []string{"text", "json", "markdown"} {
				status, out, complaints := program(t, "", "capture", name, "-o", form)
				require.Equal(t, exitNo, status, complaints)
				for _, want := range tt.says {
					require.Contains(t, strings.ReplaceAll(out, `\`, ""), want, form)
				}
				require.NotContains(t, out, "OLM        resolved")
				require.NotContains(t, out, `"observed":{"status":"resolved"`)
			}
		})
	}
}

// Without the content of catalogs, the flag that gives it is named once, with the keys.
func TestCaptureWantsCatalogs(t *testing.T) {
	captureShop(t)
	two := dumped + strings.NewReplacer("kind: List", "", "apiVersion: v1\n", "", "items:\n", "", "namespace: shop", "namespace: team").Replace(dumped)
	require.NoError(t, os.WriteFile("two.yaml", []byte(two), 0o600))
	for _, form := range []string{"text", "json"} {
		_, out, complaints := program(t, "", "capture", "two.yaml", "-o", form)
		both := out + complaints
		require.Equal(t, 1, strings.Count(both, "--catalog"), both)
		require.Contains(t, both, "--catalog KEY=FILE, where KEY is shop/goods or team/goods")
	}
	_, out, complaints := program(t, "", "capture", "two.yaml", "--catalog", "shop/goods=goods.jsonl")
	require.Contains(t, out+complaints, "--catalog KEY=FILE, where KEY is team/goods")
	_, out, complaints = program(t, "", "capture", "two.yaml", "--catalog", "goods=goods.jsonl")
	require.NotContains(t, out+complaints, "--catalog")
}

// What is asked for and cannot be installed is a finding in the forms for other systems too.
func TestCaptureNotInstallable(t *testing.T) {
	captureShop(t)
	more := dumped + `- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: cache, namespace: shop}
  spec: {name: cache, channel: x, source: goods, sourceNamespace: shop}
`
	require.NoError(t, os.WriteFile("more.yaml", []byte(more), 0o600))
	for _, form := range []string{"sarif", "junit", "markdown", "github"} {
		_, out, complaints := program(t, "", "capture", "more.yaml", "--catalog", "shop/goods=goods.jsonl", "-o", form)
		require.Contains(t, out, "notInstallable", complaints)
		require.Contains(t, strings.ReplaceAll(out, `\`, ""), "package cache of subscription cache cannot be installed", form)
		_, out, _ = program(t, "", "capture", "more.yaml", "-o", form)
		require.NotContains(t, out, "notInstallable", "without the catalog that is not known")
		_, out, _ = program(t, "", "capture", "dump.yaml", "--catalog", "shop/goods=goods.jsonl", "-o", form)
		require.NotContains(t, out, "notInstallable", "what is installed stays")
	}
}

// A scenario has the name that OpenShift gives the cluster, and otherwise none.
func TestCaptureClusterName(t *testing.T) {
	captureShop(t)
	const object = "- apiVersion: config.openshift.io/v1\n  kind: Infrastructure\n  metadata: {name: %s}\n  status: {infrastructureName: east-x7k2p, apiServerURL: \"https://api.example\"}\n"
	gathered := filepath.Join("must-gather", "cluster-scoped-resources", "config.openshift.io")
	require.NoError(t, os.MkdirAll(gathered, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(gathered, "infrastructures.yaml"), []byte("apiVersion: config.openshift.io/v1\nkind: InfrastructureList\nitems:\n"+strings.Replace(object, "%s", "cluster", 1)), 0o600))
	require.NoError(t, os.WriteFile("named.yaml", []byte(dumped+strings.Replace(object, "%s", "cluster", 1)), 0o600))
	require.NoError(t, os.WriteFile("other.yaml", []byte(dumped+strings.Replace(object, "%s", "other", 1)), 0o600))
	for want, dumps := range map[string][]string{"east-x7k2p": {"named.yaml"}, "east-x7k2p, gathered": {"dump.yaml", "must-gather"}, "": {"dump.yaml"}, ", of another object": {"other.yaml"}} {
		name, _, _ := strings.Cut(want, ",")
		program(t, "", append([]string{"capture", "--into", "named"}, dumps...)...)
		text, err := os.ReadFile(filepath.Join("named", "shop.yaml"))
		require.NoError(t, err)
		require.Equal(t, name != "", strings.Contains(string(text), "name: \"east-x7k2p\"") || strings.Contains(string(text), "name: east-x7k2p"), "%s\n%s", want, text)
		require.NotContains(t, string(text), "api.example")
		_, out, _ := program(t, "", append([]string{"capture", "-o", "json"}, dumps...)...)
		var captured struct {
			Cluster    struct{ Name string }
			Namespaces []struct {
				Scenario struct{ Cluster struct{ Name string } }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(out), &captured))
		require.Equal(t, name, captured.Cluster.Name)
		require.Equal(t, name, captured.Namespaces[0].Scenario.Cluster.Name)
	}
}

// The commands of a finding are lines for a shell, in the order of the documentation: the
// subscription, its CSV, the job and the config map in the namespace of the catalog, and the
// install plan. The job is called by the first 63 digits of the SHA-256 digest of the image.
func TestCaptureCommandsRun(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the commands are for a shell, and there is none")
	}
	dir := captureShop(t)
	const image = "quay.io/shop/db-bundle@sha256:1a2b; echo $HOME `id` 'x'"
	failing := strings.NewReplacer("phase: RequiresApproval, bundleLookups: [{", `phase: Installing, bundleLookups: [{conditions: [{type: BundleLookupFailed, status: "True", reason: DeadlineExceeded}], `,
		"path: i,", fmt.Sprintf("path: %q,", image)).Replace(dumped)
	require.NoError(t, os.WriteFile("failing.yaml", []byte(failing), 0o600))
	_, out, complaints := program(t, "", "capture", "failing.yaml", "-o", "json")
	var captured struct {
		Namespaces []struct {
			Findings []struct {
				Code     string
				Commands []string
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &captured), complaints)
	require.NoError(t, os.WriteFile("kubectl", []byte("#!/bin/sh\nfor a in \"$@\"; do printf '[%s]' \"$a\"; done >>calls\necho >>calls\n"), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	var commands []string
	for _, f := range captured.Namespaces[0].Findings {
		if f.Code == "bundleUnpackFailed" {
			commands = f.Commands
		}
	}
	said, err := exec.Command("sh", "-e", "-c", strings.Join(commands, "\n")).CombinedOutput()
	require.NoError(t, err, string(said))
	require.Empty(t, said)
	calls, err := os.ReadFile("calls")
	require.NoError(t, err)
	job := fmt.Sprintf("%x", sha256.Sum256([]byte(image)))[:63]
	require.Equal(t, "[-n][shop][delete][subscription.operators.coreos.com][db]\n[-n][shop][delete][clusterserviceversion.operators.coreos.com][db.v1]\n"+
		"[-n][shop][delete][job]["+job+"]\n[-n][shop][delete][configmap]["+job+"]\n[-n][shop][delete][installplan.operators.coreos.com][plan-1]\n", string(calls))
}

// Over the real dumps: a namespace in which something keeps OLM from installing is never said to
// be resolved with exit status 0, in any form, and the flag for catalogs is named once, with its
// key.
func TestCaptureRealDumps(t *testing.T) {
	for _, file := range []string{"clusters/shop.list.yaml.gz", "clusters/shop.must-gather.tar.gz"} {
		dump := testkit.Real(t, file)
		status, out, complaints := program(t, "", "capture", dump)
		require.Equal(t, exitNo, status)
		require.Equal(t, 1, strings.Count(out+complaints, "--catalog"))
		require.Contains(t, out, "--catalog KEY=FILE, where KEY is openshift-marketplace/community-operators")

		condition := "apiVersion: operators.coreos.com/v1alpha1\nkind: InstallPlan\nmetadata: {name: stuck, namespace: team-a}\nspec: {approved: true, generation: 9, clusterServiceVersionNames: [rabbitmq-cluster-operator.v2.22.1]}\n" +
			"status: {phase: Installing, bundleLookups: [{identifier: rabbitmq-cluster-operator.v2.22.1, replaces: rabbitmq-cluster-operator.v2.21.1, path: \"quay.io/x/y@sha256:0\", catalogSourceRef: {name: community-operators, namespace: openshift-marketplace}, conditions: [{type: BundleLookupPending, status: \"True\", reason: JobIncomplete, message: unpack job not completed}]}]}\n"
		stuck := filepath.Join(t.TempDir(), "stuck.yaml")
		require.NoError(t, os.WriteFile(stuck, []byte(condition), 0o600))
		for _, form := range []string{"text", "json"} {
			status, out, complaints = program(t, "", "capture", dump, stuck, "-o", form)
			require.Equal(t, exitNo, status, complaints)
			if form == "text" {
				_, teamA, _ := strings.Cut(out, "namespace team-a\n")
				teamA, _, _ = strings.Cut(teamA, "\nnamespace ")
				require.Contains(t, teamA, "bundleUnpackFailed")
				require.Contains(t, teamA, "kubectl -n openshift-marketplace delete job ")
				require.NotContains(t, teamA, "OLM        resolved")
				continue
			}
			var captured olm.Capture
			require.NoError(t, json.Unmarshal([]byte(out), &captured))
			for _, ns := range captured.Namespaces {
				if ns.Namespace == "team-a" {
					require.Equal(t, "failed", ns.Observed.Status)
				}
			}
		}
	}
}
