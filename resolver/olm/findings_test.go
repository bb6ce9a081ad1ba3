package olm_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// object returns a YAML object from its kind, namespace/name, and remaining text.
func object(kind, name, rest string) string {
	versions := map[string]string{
		"OperatorGroup": "operators.coreos.com/v1", "OperatorCondition": "operators.coreos.com/v2",
		"ClusterExtension": "olm.operatorframework.io/v1", "ClusterCatalog": "olm.operatorframework.io/v1",
		"ClusterVersion": "config.openshift.io/v1", "Node": "v1", "CustomResourceDefinition": "apiextensions.k8s.io/v1",
	}
	version, other := versions[kind]
	if !other {
		version = "operators.coreos.com/v1alpha1"
	}
	namespace, name, namespaced := strings.Cut(name, "/")
	meta := fmt.Sprintf("  name: %s\n  namespace: %s\n", name, namespace)
	if !namespaced {
		meta = fmt.Sprintf("  name: %s\n", namespace)
	}
	return fmt.Sprintf("---\napiVersion: %s\nkind: %s\nmetadata:\n%s%s\n", version, kind, meta, rest)
}

// clusterOf reads objects.
func clusterOf(t *testing.T, objects ...string) *olm.Cluster {
	c := new(olm.Cluster)
	require.NoError(t, c.Read(t.Context(), strings.NewReader(strings.Join(objects, "")), "objects.yaml"))
	require.Empty(t, c.Problems())
	return c
}

// A healthy namespace: db is installed from channel x.
var (
	group   = object("OperatorGroup", "shop/group", "spec: {targetNamespaces: [shop]}")
	goods   = object("CatalogSource", "shop/goods", `spec: {sourceType: grpc, image: "goods:v1"}`+"\nstatus: {connectionState: {lastObservedState: READY}}")
	wantsDB = object("Subscription", "shop/db", "spec: {name: db, channel: x, source: goods, sourceNamespace: shop}\nstatus: {installedCSV: db.v1, currentCSV: db.v1}")
	hasDB   = operatorIs("db.v1", "status: {phase: Succeeded}")
)

// operatorIs returns an operator of the namespace with its supported install modes.
func operatorIs(name, status string, modes ...string) string {
	spec := "spec: {version: 1.0.0"
	if len(modes) > 0 {
		spec += ", installModes: [{type: " + strings.Join(modes, ", supported: true}, {type: ") + ", supported: true}]"
	}
	return object("ClusterServiceVersion", "shop/"+name, spec+"}\n"+status)
}

// TestFindings checks code, severity, subject and message of each finding.
func TestFindings(t *testing.T) {
	const owned = "spec: {version: 1.0.0, customresourcedefinitions: {owned: [{name: dbs.shop.io, version: v1, kind: DB}]}}\nstatus: {phase: Succeeded}"
	for name, tt := range map[string]struct {
		objects []string
		want    string // severity code subject
		says    string
	}{
		"healthy":             {[]string{group, goods, wantsDB, hasDB}, "", ""},
		"no group":            {[]string{goods, wantsDB, hasDB}, "error noOperatorGroup shop", "create one"},
		"several groups":      {[]string{group, object("OperatorGroup", "shop/other", ""), goods, wantsDB, hasDB}, "error severalOperatorGroups shop", "2 OperatorGroups, group and other"},
		"catalog not ready":   {[]string{group, strings.Replace(goods, "READY", "TRANSIENT_FAILURE", 1), wantsDB, hasDB}, "error unhealthyCatalog shop/goods", "connection state is TRANSIENT_FAILURE"},
		"catalog's own words": {[]string{group, strings.Replace(goods, "connectionState: {lastObservedState: READY}", "reason: SpecInvalidError, message: no image", 1), wantsDB, hasDB}, "error unhealthyCatalog shop/goods", "SpecInvalidError: no image"},
		"a subscription reports an unhealthy catalog": {[]string{group, goods, hasDB, strings.Replace(wantsDB, "currentCSV: db.v1", "currentCSV: db.v1, catalogHealth: [{healthy: false, catalogSourceRef: {name: goods, namespace: shop}}]", 1)},
			"error unhealthyCatalog shop/goods", "subscription db reports that catalog shop/goods is not healthy"},
		"no such catalog":     {[]string{group, wantsDB, hasDB}, "error missingCatalog shop/goods", "the cluster has no such CatalogSource"},
		"catalog not visible": {[]string{group, strings.ReplaceAll(goods, "namespace: shop", "namespace: far"), strings.Replace(wantsDB, "sourceNamespace: shop", "sourceNamespace: far", 1), hasDB}, "error missingCatalog far/goods", "catalogs of namespace far are not visible in this namespace"},
		"unknown location":    {[]string{group, strings.Replace(goods, `, image: "goods:v1"`, ", address: x", 1), wantsDB, hasDB}, "warning missingCatalog shop/goods", "put it at catalogs/shop/goods"},
		"installed and gone":  {[]string{group, goods, wantsDB}, "error subscriptionWithoutCSV db", "delete the subscription and create it again"},
		"two owners":          {[]string{group, goods, wantsDB, strings.Replace(wantsDB, "name: db\n", "name: again\n", 1), hasDB}, "error csvOfSeveralSubscriptions db.v1", "again and db all report"},
		"no owner":            {[]string{group, goods, hasDB}, "warning danglingCSV db.v1", "create one that adopts it"},
		"no owner, in the way": {[]string{group, goods, strings.Replace(wantsDB, "{installedCSV: db.v1, currentCSV: db.v1}", "{}", 1),
			strings.Replace(hasDB, "  namespace: shop\n", "  namespace: shop\n  labels: {operators.coreos.com/db.shop: \"\"}\n", 1)}, "error danglingCSV db.v1", "blocks subscription db"},
		"failed":                         {[]string{group, goods, wantsDB, operatorIs("db.v1", "status: {phase: Failed, reason: InstallCheckFailed, message: timed out}")}, "error phaseFailed db.v1", "InstallCheckFailed: timed out"},
		"group not supported":            {[]string{group, goods, wantsDB, operatorIs("db.v1", "status: {phase: Failed, reason: UnsupportedOperatorGroup, message: no OwnNamespace}")}, "error installModeUnsupported db.v1\nerror phaseFailed db.v1", "no OwnNamespace"},
		"own namespace":                  {[]string{group, goods, wantsDB, operatorIs("db.v1", "status: {phase: Pending}", "AllNamespaces")}, "error installModeUnsupported db.v1", "does not support OwnNamespace"},
		"all namespaces":                 {[]string{object("OperatorGroup", "shop/group", ""), goods, wantsDB, operatorIs("db.v1", "status: {phase: Pending}", "OwnNamespace")}, "error installModeUnsupported db.v1", "does not support AllNamespaces"},
		"another namespace":              {[]string{object("OperatorGroup", "shop/group", "spec: {targetNamespaces: [far]}"), goods, wantsDB, operatorIs("db.v1", "status: {phase: Pending}", "OwnNamespace")}, "error installModeUnsupported db.v1", "does not support SingleNamespace"},
		"several and its own":            {[]string{object("OperatorGroup", "shop/group", "spec: {targetNamespaces: [far, shop]}"), goods, wantsDB, operatorIs("db.v1", "status: {phase: Pending}", "MultiNamespace")}, "error installModeUnsupported db.v1", "does not support OwnNamespace"},
		"several others":                 {[]string{object("OperatorGroup", "shop/group", "status: {namespaces: [far, near]}"), goods, wantsDB, operatorIs("db.v1", "status: {phase: Pending}", "OwnNamespace")}, "error installModeUnsupported db.v1", "does not support MultiNamespace"},
		"a selector":                     {[]string{object("OperatorGroup", "shop/group", "spec: {selector: {matchLabels: {a: b}}}"), goods, wantsDB, operatorIs("db.v1", "status: {phase: Pending}", "OwnNamespace")}, "", ""},
		"runs nevertheless":              {[]string{group, goods, wantsDB, operatorIs("db.v1", "status: {phase: Succeeded}", "AllNamespaces")}, "", ""},
		"an API twice":                   {[]string{group, goods, wantsDB, object("ClusterServiceVersion", "shop/db.v1", owned), object("OperatorGroup", "far/group", "  annotations: {olm.providedAPIs: DB.v1.shop.io}\nspec: {targetNamespaces: [shop]}")}, "error groupOverlap db.v1", "an operator of namespace far already provides"},
		"an API twice, apart":            {[]string{group, goods, wantsDB, object("ClusterServiceVersion", "shop/db.v1", owned), object("OperatorGroup", "far/group", "  annotations: {olm.providedAPIs: DB.v1.shop.io}\nspec: {targetNamespaces: [far]}")}, "", ""},
		"an API twice, its own by right": {[]string{strings.Replace(group, "spec:", "  annotations: {olm.providedAPIs: DB.v1.shop.io}\nspec:", 1), goods, wantsDB, object("ClusterServiceVersion", "shop/db.v1", owned), object("OperatorGroup", "far/group", "  annotations: {olm.providedAPIs: DB.v1.shop.io}\nspec: {targetNamespaces: [shop]}")}, "", ""},
		"an API twice, both static": {[]string{strings.Replace(group, "spec: {", "  annotations: {olm.providedAPIs: DB.v1.shop.io}\nspec: {staticProvidedAPIs: true, ", 1), goods, wantsDB, object("ClusterServiceVersion", "shop/db.v1", owned),
			object("OperatorGroup", "far/group", "  annotations: {olm.providedAPIs: DB.v1.shop.io}\nspec: {staticProvidedAPIs: true, targetNamespaces: [shop]}")}, "error groupOverlap db.v1", "namespace far"},
		"an operator of a static group that does not say so": {[]string{group, goods, wantsDB, object("ClusterServiceVersion", "shop/db.v1", owned), object("ClusterServiceVersion", "far/db.v1", owned),
			object("OperatorGroup", "far/group", "spec: {staticProvidedAPIs: true, targetNamespaces: [shop]}")}, "", ""},
		"OLM says it overlaps": {[]string{group, goods, wantsDB, operatorIs("db.v1", "status: {phase: Succeeded, reason: InterOperatorGroupOwnerConflict}")}, "error groupOverlap db.v1", "another namespace"},
		"not upgradeable": {[]string{group, goods, wantsDB, hasDB, object("OperatorCondition", "shop/db.v1", "spec: {conditions: [{type: Upgradeable, status: \"False\", reason: Busy, message: a migration runs}]}")},
			"warning operatorConditionNotUpgradeable db.v1", "Busy: a migration runs"},
		"not upgradeable, overridden": {[]string{group, goods, wantsDB, hasDB, object("OperatorCondition", "shop/db.v1", "spec: {overrides: [{type: Upgradeable, status: \"True\"}], conditions: [{type: Upgradeable, status: \"False\"}]}")}, "", ""},
		"not upgradeable, OLM says": {[]string{group, goods, wantsDB, operatorIs("db.v1", "status: {phase: Succeeded, reason: OperatorConditionNotUpgradeable, message: wait}")},
			"warning operatorConditionNotUpgradeable db.v1", "not upgradeable: wait"},
		"a plan waits": {[]string{group, goods, hasDB, strings.Replace(wantsDB, "currentCSV: db.v1", "currentCSV: db.v2, installPlanRef: {name: plan}", 1),
			object("InstallPlan", "shop/plan", "spec: {approved: false, clusterServiceVersionNames: [db.v2]}\nstatus: {phase: RequiresApproval}")}, "warning upgradePendingApproval plan", "to upgrade to db.v2"},
		"a plan waits, only its reference exists": {[]string{group, goods, hasDB, strings.Replace(wantsDB, "currentCSV: db.v1", "currentCSV: db.v2, installPlanRef: {name: plan}, conditions: [{type: InstallPlanPending, status: \"True\", reason: RequiresApproval}]", 1)},
			"warning upgradePendingApproval plan", "to upgrade to db.v2"},
		"the newest plan waits": {[]string{group, goods, wantsDB, hasDB, object("InstallPlan", "shop/plan", "spec: {approved: false, generation: 2, clusterServiceVersionNames: [db.v2]}\nstatus: {phase: RequiresApproval}")},
			"warning upgradePendingApproval plan", "needs approval: db.v2"},
		"a plan failed": {[]string{group, goods, wantsDB, hasDB, object("InstallPlan", "shop/plan", "spec: {approved: true, generation: 2}\nstatus: {phase: Failed, conditions: [{type: Installed, status: \"False\", message: no permission}]}")},
			"error planFailed plan", "no permission"},
		"a subscription says that a plan failed": {[]string{group, goods, hasDB, strings.Replace(wantsDB, "currentCSV: db.v1", "currentCSV: db.v2, installPlanRef: {name: plan}, conditions: [{type: InstallPlanFailed, status: \"True\", reason: Oh}]", 1)},
			"error planFailed plan", "failed: Oh"},
		"mixed approval": {[]string{group, goods, wantsDB, hasDB, object("Subscription", "shop/web", "spec: {name: web, channel: x, source: goods, sourceNamespace: shop, installPlanApproval: Manual}")},
			"warning mixedApproval shop", "web has manual approval, and db has automatic approval"},
	} {
		t.Run(name, func(t *testing.T) {
			captured := captureOf(t, clusterOf(t, tt.objects...), olm.Options{})
			var got []string
			var texts strings.Builder
			for _, ns := range captured.Namespaces {
				if ns.Namespace != "shop" {
					continue
				}
				for _, f := range ns.Findings {
					got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Subject))
					texts.WriteString(f.Message + "\n")
				}
			}
			require.Equal(t, tt.want, strings.Join(got, "\n"))
			require.Contains(t, texts.String(), tt.says)
		})
	}
}

// TestHolds checks the reasons why a subscription is pinned.
func TestHolds(t *testing.T) {
	for want, objects := range map[string][]string{
		"":                               {wantsDB, hasDB},
		"install plan p is not approved": {hasDB, strings.Replace(wantsDB, "currentCSV: db.v1", "currentCSV: db.v2, installPlanRef: {name: p}", 1), object("InstallPlan", "shop/p", "status: {phase: RequiresApproval}")},
		"the operator reports that it is not upgradeable: Busy": {wantsDB, hasDB, object("OperatorCondition", "shop/db.v1", "status: {conditions: [{type: Upgradeable, status: \"False\", reason: Busy}]}")},
		"the operator reports that it is not upgradeable":       {wantsDB, operatorIs("db.v1", "status: {phase: Succeeded, reason: OperatorConditionNotUpgradeable}")},
	} {
		captured := captureOf(t, clusterOf(t, append(objects, group, goods)...), olm.Options{})
		require.Equal(t, want, captured.Namespaces[0].Scenario.Subscriptions[0].Hold)
	}
}

// TestExtensions: the extensions of OLM v1 are one scenario, which resolves as OLM v1 does.
func TestExtensions(t *testing.T) {
	catalog := func(name, rest string) string { return object("ClusterCatalog", name, rest) }
	serving := "\nstatus: {conditions: [{type: Serving, status: \"True\"}], resolvedSource: {image: {ref: goods@sha256:0}}}"
	extension := object("ClusterExtension", "db", `spec: {namespace: shop, source: {sourceType: Catalog, catalog: {packageName: db, version: ">=1.0.0", channels: [x], upgradeConstraintPolicy: SelfCertified, `+
		`selector: {matchLabels: {team: a}, matchExpressions: [{key: tier, operator: In, values: [gold]}]}}}}`+
		"\nstatus: {install: {bundle: {name: db.v1, version: 1.0.0}}, conditions: [{type: Installed, status: \"True\"}]}")
	captured := captureOf(t, clusterOf(t,
		catalog("goods", "  labels: {team: a}\nspec: {priority: 7, source: {image: {ref: \"goods:v1\"}}}"+serving),
		catalog("hidden", "spec: {availabilityMode: Unavailable}"+serving),
		catalog("broken", "status: {conditions: [{type: Serving, status: \"False\", reason: Oh, message: no}]}"),
		extension, object("Node", "one", "status: {nodeInfo: {kubeletVersion: v1.33.1}}"),
	), olm.Options{Catalogs: map[string]string{"goods": "../goods.yaml"}})
	e := captured.Extensions
	require.NotNil(t, e)
	require.Equal(t, olm.Observed{Status: "resolved"}, e.Observed)
	require.JSONEq(t, `{"status":"resolved"}`, string(e.Scenario.Expect))
	want := resolver.Extension{Name: "db", Package: "db", VersionRange: ">=1.0.0", Channels: []string{"x"}, InstalledCSV: "db.v1", Upgrades: resolver.UpgradesSelfCertified}
	want.Catalogs.MatchLabels = map[string]string{"team": "a"}
	require.Len(t, e.Scenario.Extensions, 1)
	want.Catalogs.MatchExpressions = e.Scenario.Extensions[0].Catalogs.MatchExpressions
	require.Equal(t, want, e.Scenario.Extensions[0])
	require.Equal(t, "tier In [gold]", strings.NewReplacer("{", "", "}", "").Replace(fmt.Sprint(want.Catalogs.MatchExpressions[0])))
	db := "db"
	require.Equal(t, []scenario.Installed{{Name: "db.v1", Package: &db, Version: "1.0.0"}}, e.Scenario.Installed)
	var catalogs []string
	for _, c := range e.Scenario.Catalogs {
		catalogs = append(catalogs, fmt.Sprintf("%s %d %s%s %v", c.Name, c.Priority, c.Path, c.Image, c.Labels))
	}
	require.Equal(t, []string{"broken 0 catalogs/default/broken map[]", "goods 7 ../goods.yaml map[team:a]"}, catalogs)
	found := testkit.Map(e.Findings, func(f olm.Finding) string { return string(f.Code) + " " + f.Subject })
	require.Equal(t, []string{"missingCatalog default/broken", "unhealthyCatalog default/broken"}, found)

	for status, conditions := range map[string]string{
		"failed":  `[{type: Progressing, status: "True", reason: Retrying, message: no bundles}]`,
		"unknown": `[]`,
	} {
		captured := captureOf(t, clusterOf(t, object("ClusterExtension", "db", "spec: {source: {catalog: {packageName: db}}}\nstatus: {conditions: "+conditions+"}")), olm.Options{})
		require.Equal(t, status, captured.Extensions.Observed.Status)
		require.Empty(t, captured.Extensions.Scenario.Expect)
	}
	require.Nil(t, captureOf(t, clusterOf(t, group), olm.Options{}).Extensions)
}

// TestServedAPIs: the cluster serves the APIs of unowned definitions.
func TestServedAPIs(t *testing.T) {
	definition := object("CustomResourceDefinition", "things.shop.io", "spec: {group: shop.io, names: {kind: Thing}, versions: [{name: v1, served: true}, {name: v2, served: false}]}")
	c := clusterOf(t, group, goods, wantsDB, hasDB, definition)
	require.Empty(t, captureOf(t, c, olm.Options{}).Namespaces[0].Scenario.Cluster.APIs)
	ns := captureOf(t, c, olm.Options{APIs: true}).Namespaces[0]
	require.Equal(t, "shop.io/v1/Thing", fmt.Sprint(ns.Scenario.Cluster.APIs[0]))
	require.Equal(t, "shop", testkit.Must(ns.Scenario.Request())(t).Namespace)
}

// TestDefinitions: every scenario includes the definitions that an operator of any namespace
// owns, or that OLM brought, and unowned ones only if requested.
func TestDefinitions(t *testing.T) {
	owns := func(name string) string {
		return object("ClusterServiceVersion", name, "spec: {customresourcedefinitions: {owned: [{name: dbs.shop.io, version: v1, kind: DB}, {name: dbs.shop.io, version: v2, kind: DB}]}}")
	}
	definition := func(name, meta, spec string) string {
		return object("CustomResourceDefinition", name, meta+"spec: {group: shop.io, names: {kind: DB}, "+spec)
	}
	c := clusterOf(t, group, goods, wantsDB, owns("shop/db.v1"), owns("far/db.v2"),
		definition("dbs.shop.io", "", "versions: [{name: v1, served: true}, {name: v2, served: true, storage: true}]}\nstatus: {storedVersions: [v1, v2]}"),
		definition("left.shop.io", "  annotations: {operatorframework.io/installed-alongside-1f: shop/left.v1}\n", "version: v1}"),
		definition("managed.shop.io", "  labels: {olm.managed: \"true\"}\n", "versions: [{}]}"),
		definition("alone.shop.io", "", "versions: [{name: v1, served: true, storage: true}]}"))
	dbs := properties.CRD{Name: "dbs.shop.io", Group: "shop.io", Kind: "DB",
		Versions: []properties.CRDVersion{{Name: "v1", Served: true}, {Name: "v2", Served: true, Storage: true}}, StoredVersions: []string{"v1", "v2"},
		Owners: []properties.CRDOwner{{Namespace: "far", Bundle: "db.v2"}, {Namespace: "shop", Bundle: "db.v1"}}}
	left := properties.CRD{Name: "left.shop.io", Group: "shop.io", Kind: "DB", Versions: []properties.CRDVersion{{Name: "v1", Served: true, Storage: true}}}
	managed := properties.CRD{Name: "managed.shop.io", Group: "shop.io", Kind: "DB", Versions: []properties.CRDVersion{}}
	captured := captureOf(t, c, olm.Options{})
	require.Len(t, captured.Namespaces, 2)
	for _, ns := range captured.Namespaces {
		require.Equal(t, []properties.CRD{dbs, left, managed}, ns.Scenario.Cluster.CRDs)
		require.Equal(t, ns.Scenario.Cluster.CRDs, testkit.Must(ns.Scenario.Request())(t).Cluster.CRDs)
	}
	all := captureOf(t, c, olm.Options{APIs: true}).Namespaces[0].Scenario.Cluster.CRDs
	require.Len(t, all, 4)
	require.Equal(t, "alone.shop.io", all[0].Name)
}

// TestRealDefinitions reads the definitions of OLM itself.
func TestRealDefinitions(t *testing.T) {
	files := testkit.Must(filepath.Glob(testkit.Real(t, "crds") + "/*.yaml"))(t)
	c := clusterOf(t, group, goods, wantsDB, hasDB)
	for _, file := range files {
		require.NoError(t, c.ReadFile(t.Context(), file))
	}
	require.Empty(t, c.Problems())
	got := map[string]string{}
	for _, d := range captureOf(t, c, olm.Options{APIs: true}).Namespaces[0].Scenario.Cluster.CRDs {
		for _, v := range d.Versions {
			got[d.Name] += fmt.Sprintf(" %s %t %t", v.Name, v.Served, v.Storage)
		}
	}
	require.Len(t, got, len(files))
	require.Equal(t, " v1 true false v2 true true", got["operatorconditions.operators.coreos.com"])
	require.Equal(t, " v1alpha1 true true", got["clusterserviceversions.operators.coreos.com"])
}

// TestAdd: objects may be added one by one, and a later state replaces an earlier one.
func TestAdd(t *testing.T) {
	c := new(olm.Cluster)
	for _, content := range []string{
		`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}`,
		`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"db","namespace":"shop","resourceVersion":"2","uid":"u"},"spec":{"name":"db","channel":"new"}}`,
		`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"db","namespace":"shop","resourceVersion":"1","uid":"u"},"spec":{"name":"db","channel":"old"}}`,
		`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"none","namespace":"shop"},"spec":{"channel":"old"}}`,
	} {
		require.NoError(t, c.Add([]byte(content)))
	}
	require.ErrorContains(t, c.Add([]byte("not JSON")), "the object is not JSON")
	captured := captureOf(t, c, olm.Options{})
	require.Len(t, captured.Namespaces[0].Scenario.Subscriptions, 1)
	require.Equal(t, "new", captured.Namespaces[0].Scenario.Subscriptions[0].Channel)
	require.Len(t, c.Problems(), 1)
	require.Contains(t, c.Problems()[0].Message, "a package (spec.name)")

	err := c.Add([]byte(`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"db","namespace":"shop","uid":"other"},"spec":{"name":"db"}}`))
	testkit.As[*olm.TwoClustersError](t, err)
	require.ErrorContains(t, err, "Subscription shop/db has the uid u in an object that was added and other in an object that was added")
}
