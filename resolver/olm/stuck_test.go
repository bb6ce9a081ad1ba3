package olm_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/olm"
)

// core returns a core Kubernetes object in YAML.
func core(kind, name, rest string) string {
	namespace, name, _ := strings.Cut(name, "/")
	version := "v1"
	if kind == "NewEvent" {
		kind, version = "Event", "events.k8s.io/v1"
	}
	return fmt.Sprintf("---\nkind: %s\napiVersion: %s\nmetadata: {name: %s, namespace: %s%s\n", kind, version, name, namespace, rest)
}

const bundleImage = "registry.example/db-bundle@sha256:2"

// lookup returns an install plan with a lookup of db.v2 with the given conditions.
func lookup(phase, conditions string) string {
	return object("InstallPlan", "shop/plan", "spec: {approved: true, generation: 2, clusterServiceVersionNames: [db.v2]}\nstatus: {phase: "+phase+", bundleLookups: [{identifier: db.v2, replaces: db.v1, path: \""+bundleImage+
		"\", catalogSourceRef: {name: goods, namespace: market}, conditions: ["+conditions+"]}]}")
}

// A failure to install a solution is a finding, and the observed status is not resolved.
func TestStuck(t *testing.T) {
	const (
		pending = `{type: BundleLookupPending, status: "True", reason: JobIncomplete, message: unpack job not completed}`
		failed  = `{type: BundleLookupFailed, status: "True", reason: DeadlineExceeded, message: Job was active longer than specified deadline}`
		done    = `{type: BundleLookupPending, status: "False"}`
		waits   = `, labels: {olm.catalogSource: goods}}` + "\nspec: {containers: [{name: registry-server, image: \"goods:v1\"}]}\nstatus: {phase: Pending, containerStatuses: [{name: registry-server, image: \"\", ready: false, state: {waiting: {reason: ImagePullBackOff, message: back off}}}]}"
		failing = "}\ninvolvedObject: {kind: Pod, namespace: shop, name: goods-abc12}\nreason: Failed\nmessage: 'Failed to pull image \"goods:v1\": manifest unknown'"
	)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(bundleImage)))[:63]
	moving := strings.Replace(wantsDB, "currentCSV: db.v1", "currentCSV: db.v2, installPlanRef: {name: plan}", 1)
	said := strings.Replace(wantsDB, "currentCSV: db.v1", `currentCSV: db.v1, conditions: [{type: BundleUnpackFailed, status: "True", reason: BundleUnpackFailed, message: bundle unpacking failed}]`, 1)
	down := strings.Replace(goods, "READY", "TRANSIENT_FAILURE", 1)
	account := strings.Replace(group, "spec: {", "spec: {serviceAccountName: installer, ", 1)
	unpack, missing, unreachable := "bundleUnpackFailed", "serviceAccountMissing", "catalogUnreachable"
	for name, tt := range map[string]struct {
		objects  []string
		code     string // none if empty
		subject  string
		says     []string
		commands []string
	}{
		"a job is not done": {[]string{group, goods, moving, hasDB, lookup("Installing", pending)}, unpack, "db.v2", []string{"db.v2", bundleImage, "JobIncomplete: unpack job not completed", "delete job " + sum}, []string{
			"kubectl -n shop delete subscription.operators.coreos.com db", "kubectl -n shop delete clusterserviceversion.operators.coreos.com db.v1",
			"kubectl -n market delete job " + sum, "kubectl -n market delete configmap " + sum, "kubectl -n shop delete installplan.operators.coreos.com plan"}},
		"a job failed":                 {[]string{group, goods, wantsDB, hasDB, lookup("Installing", pending+", "+failed)}, unpack, "db.v2", []string{"DeadlineExceeded: Job was active", "subscription db"}, nil},
		"a plan failed with its job":   {[]string{group, goods, moving, hasDB, lookup("Failed", failed)}, unpack, "db.v2", []string{"DeadlineExceeded"}, nil},
		"its pod says why":             {[]string{group, goods, moving, hasDB, lookup("Installing", pending), core("Pod", "market/job", "}\nspec: {initContainers: [{name: pull, image: \""+bundleImage+"\"}]}\nstatus: {initContainerStatuses: [{name: pull, state: {waiting: {reason: ErrImagePull, message: no such host}}}]}")}, unpack, "db.v2", []string{"ErrImagePull: no such host"}, nil},
		"unpacked":                     {[]string{group, goods, moving, hasDB, lookup("Installing", done)}, "", "", nil, nil},
		"complete":                     {[]string{group, goods, wantsDB, hasDB, lookup("Complete", pending)}, "", "", nil, nil},
		"only the subscription says":   {[]string{group, goods, said, hasDB}, unpack, "db", []string{"BundleUnpackFailed: bundle unpacking failed", "namespace shop"}, nil},
		"says, and moves":              {[]string{group, goods, strings.Replace(said, "currentCSV: db.v1", "currentCSV: db.v2", 1), hasDB}, unpack, "db.v2", []string{"bundle db.v2"}, nil},
		"both say":                     {[]string{group, goods, said, hasDB, lookup("Installing", failed)}, unpack, "db.v2", []string{"DeadlineExceeded", "bundle unpacking failed"}, nil},
		"said once":                    {[]string{group, goods, strings.Replace(said, `"True"`, `"False"`, 1), hasDB}, "", "", nil, nil},
		"account, by its condition":    {[]string{account + "\nstatus: {conditions: [{type: OperatorGroupServiceAccountNotFound, status: \"True\", reason: NotFound, message: no installer}]}\n", goods, wantsDB, hasDB}, missing, "group", []string{"group", "installer", "namespace shop", "no installer"}, []string{"kubectl -n shop create serviceaccount installer"}},
		"account, as OLM's code has":   {[]string{account + "\nstatus: {conditions: [{type: OperatorGroupServiceAccount, status: \"True\", reason: ServiceAccountNotFound}]}\n", goods, wantsDB, hasDB}, missing, "group", []string{"installer"}, nil},
		"account is not in the dump":   {[]string{account, goods, wantsDB, hasDB, core("ServiceAccount", "shop/default", "}")}, missing, "group", []string{"installer"}, nil},
		"account of another namespace": {[]string{account, goods, wantsDB, hasDB, core("ServiceAccount", "far/installer", "}")}, missing, "group", []string{"installer"}, nil},
		"account is there":             {[]string{account, goods, wantsDB, hasDB, core("ServiceAccount", "shop/installer", "}")}, "", "", nil, nil},
		"a dump without accounts":      {[]string{account, goods, wantsDB, hasDB}, "", "", nil, nil},
		"OLM found the account":        {[]string{account + "\nstatus: {serviceAccountRef: {name: installer, namespace: shop}}\n", goods, wantsDB, hasDB, core("ServiceAccount", "far/default", "}")}, "", "", nil, nil},
		"a pod waits":                  {[]string{group, down, wantsDB, hasDB, core("Pod", "shop/goods-abc12", waits)}, unreachable, "shop/goods", []string{"goods:v1", "ImagePullBackOff: back off"}, nil},
		"a pod of the next image":      {[]string{group, goods, wantsDB, hasDB, core("Pod", "shop/x", strings.Replace(waits, "olm.catalogSource: goods", "olm.catalogSource: '', catalogsource.operators.coreos.com/update: goods", 1))}, unreachable, "shop/goods", []string{"goods:v1"}, nil},
		"a pod of its owner":           {[]string{group, down, wantsDB, hasDB, core("Pod", "shop/x", strings.Replace(waits, "labels: {olm.catalogSource: goods}", "ownerReferences: [{kind: CatalogSource, name: goods}]", 1))}, unreachable, "shop/goods", []string{"goods:v1"}, nil},
		"a pod of its image":           {[]string{group, down, wantsDB, hasDB, core("Pod", "shop/x", strings.Replace(waits, ", labels: {olm.catalogSource: goods}", "", 1))}, unreachable, "shop/goods", []string{"goods:v1"}, nil},
		"a pod that extracts": {[]string{group, down, wantsDB, hasDB, core("Pod", "shop/goods-abc12", ", labels: {olm.catalogSource: goods}}\nspec: {initContainers: [{name: extract-content, image: \"goods:v1\"}]}\nstatus: {initContainerStatuses: [{name: extract-content, state: {waiting: {reason: ErrImagePull, message: denied}}}]}")},
			unreachable, "shop/goods", []string{"goods:v1", "ErrImagePull: denied"}, nil},
		"an event says":                {[]string{group, down, wantsDB, hasDB, core("Event", "shop/e", failing)}, unreachable, "shop/goods", []string{"goods:v1", "manifest unknown"}, nil},
		"a newer event says":           {[]string{group, down, wantsDB, hasDB, core("NewEvent", "shop/e", strings.NewReplacer("involvedObject", "regarding", "message", "note").Replace(failing))}, unreachable, "shop/goods", []string{"manifest unknown"}, nil},
		"a pod waits, an event says":   {[]string{group, down, wantsDB, hasDB, core("Pod", "shop/goods-abc12", waits), core("Event", "shop/e", failing)}, unreachable, "shop/goods", []string{"back off", "manifest unknown"}, nil},
		"an event of before":           {[]string{group, strings.Replace(goods, "lastObservedState: READY", "lastObservedState: READY, lastConnect: '2026-03-01T10:00:00Z'", 1), wantsDB, hasDB, core("Event", "shop/e", failing+"\nlastTimestamp: '2026-03-01T09:00:00Z'")}, "", "", nil, nil},
		"an event of another pod":      {[]string{group, goods, wantsDB, hasDB, core("Event", "shop/e", strings.NewReplacer("goods-abc12", "web-abc12", "goods:v1", "web:v1").Replace(failing))}, "", "", nil, nil},
		"a pod of another catalog":     {[]string{group, goods, wantsDB, hasDB, core("Pod", "far/goods-abc12", waits)}, "", "", nil, nil},
		"a pod that waits for a limit": {[]string{group, goods, wantsDB, hasDB, core("Pod", "shop/goods-abc12", strings.Replace(waits, "ImagePullBackOff", "CrashLoopBackOff", 1))}, "", "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ns := captureOf(t, clusterOf(t, tt.objects...), olm.Options{}).Namespaces[0]
			i := slices.IndexFunc(ns.Findings, func(f olm.Finding) bool {
				return slices.Contains([]string{unpack, missing, unreachable}, f.Code)
			})
			if tt.code == "" {
				require.Negative(t, i, ns.Findings)
				require.Equal(t, "resolved", ns.Observed.Status)
				return
			}
			require.GreaterOrEqual(t, i, 0, ns.Findings)
			f := ns.Findings[i]
			require.Equal(t, tt.code+" error "+tt.subject, f.Code+" "+string(f.Severity)+" "+f.Subject)
			for _, want := range tt.says {
				require.Contains(t, f.Message, want)
			}
			if tt.commands != nil {
				require.Equal(t, tt.commands, f.Commands)
			}
			require.Equal(t, "failed", ns.Observed.Status)
			require.Empty(t, ns.Scenario.Expect, "OLM did not resolve")
		})
	}
}

// Recreated pods and service accounts do not indicate a second cluster.
func TestShortLived(t *testing.T) {
	one := core("ServiceAccount", "shop/default", ", uid: a}") + core("Pod", "shop/p", ", uid: a, labels: {olm.catalogSource: goods}}")
	clusterOf(t, group, one, strings.ReplaceAll(one, "uid: a", "uid: b"))
	c := new(olm.Cluster)
	err := c.Read(t.Context(), strings.NewReader(group+strings.Replace(group, "name: group", "name: group\n  uid: a", 1)+strings.Replace(group, "name: group", "name: group\n  uid: b", 1)), "dump")
	testkit.As[*olm.TwoClustersError](t, err)
}
