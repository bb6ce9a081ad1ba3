package olm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
)

// TestComparePlan: in what an InstallPlan differs from what is planned.
func TestComparePlan(t *testing.T) {
	c := clusterOf(t,
		object("InstallPlan", "shop/old", "spec: {generation: 1, clusterServiceVersionNames: [db.v1]}"),
		object("InstallPlan", "shop/new", "spec: {generation: 2, clusterServiceVersionNames: [db.v2, web.v1]}\nstatus:\n"+
			"  bundleLookups: [{identifier: db.v2, path: other, replaces: db.v0, catalogSourceRef: {name: far, namespace: shop}}]\n"+
			"  plan: [{resource: {kind: Subscription, name: web-x-goods-shop}}, {resource: {kind: Role, name: r}}]"),
		object("InstallPlan", "aside/newest", "spec: {generation: 9}"))
	planned := &olm.Plan{Namespace: "shop", Names: []string{"db.v2", "cache.v1"},
		Lookups:       []olm.BundleLookup{{Identifier: "db.v2", Path: "db:v2", Replaces: "db.v1", Catalog: olm.CatalogRef{Name: "goods", Namespace: "shop"}}},
		Subscriptions: []olm.PlannedSubscription{{Name: "cache-x-goods-shop"}}}
	differences := testkit.Must(c.ComparePlan("", planned))(t)
	var got []string
	for _, d := range differences {
		got = append(got, d.String())
	}
	require.Equal(t, []string{
		"cache.v1 is planned, and the InstallPlan does not have it",
		"web.v1 is in the InstallPlan, and is not planned",
		`path of db.v2 is "other" in the InstallPlan, and "db:v2" is planned`,
		`replaces of db.v2 is "db.v0" in the InstallPlan, and "db.v1" is planned`,
		`catalog of db.v2 is "shop/far" in the InstallPlan, and "shop/goods" is planned`,
		"subscription cache-x-goods-shop is planned, and the InstallPlan does not have it",
		"subscription web-x-goods-shop is in the InstallPlan, and is not planned",
	}, got)

	differences = testkit.Must(c.ComparePlan("old", &olm.Plan{Namespace: "shop", Names: []string{"db.v1"}}))(t)
	require.Empty(t, differences)

	_, err := c.ComparePlan("gone", planned)
	testkit.As[*olm.UnknownPlanError](t, err)
	require.EqualError(t, err, "namespace shop has no InstallPlan gone; it has new, old")
	_, err = c.ComparePlan("", &olm.Plan{Namespace: "empty"})
	require.EqualError(t, err, "namespace empty has no InstallPlan")
}

// TestEmptyPlan: a plan that does nothing is an InstallPlan all the same.
func TestEmptyPlan(t *testing.T) {
	plan := olm.InstallPlan(resolver.Request{Namespace: "shop"}, &resolver.Solution{})
	require.Equal(t, "shop", plan.Namespace)
	require.Contains(t, string(plan.YAML()), "clusterServiceVersionNames: []")
	require.Contains(t, string(plan.YAML()), "bundleLookups: []")
	require.Equal(t, 1, strings.Count(string(plan.YAML()), "kind: "))
}

// TestPlanOfADependency: the bundle of a dependency comes with a subscription, and with
// its properties but for its manifests.
func TestPlanOfADependency(t *testing.T) {
	content, err := fbc.Read(t.Context(), strings.NewReader(`{"schema":"olm.package","name":"web","defaultChannel":"x"}
{"schema":"olm.channel","package":"web","name":"x","entries":[{"name":"web.v2","replaces":"web.v1"},{"name":"web.v1"}]}
{"schema":"olm.bundle","package":"web","name":"web.v1","image":"web:v1","properties":[{"type":"olm.package","value":{"packageName":"web","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"web","name":"web.v2","image":"web:v2","properties":[{"type":"olm.package","value":{"packageName":"web","version":"2.0.0"}},{"type":"olm.package.required","value":{"packageName":"db","versionRange":">=1.0.0 <2.0.0"}}]}
{"schema":"olm.package","name":"db","defaultChannel":"x"}
{"schema":"olm.channel","package":"db","name":"x","entries":[{"name":"db.v1"}]}
{"schema":"olm.bundle","package":"db","name":"db.v1","image":"db:v1","properties":[{"type":"olm.package","value":{"packageName":"db","version":"1.0.0"}},{"type":"olm.bundle.object","value":{"data":"e30="}}]}
`), "catalog", fbc.Options{})
	require.NoError(t, err)
	req := resolver.Request{Namespace: "shop", Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "goods"}, Content: content}},
		Installed:     []resolver.Installed{{Name: "web.v1"}},
		Subscriptions: []resolver.Subscription{{Name: "web", Package: "web", InstalledCSV: "web.v1"}}}
	sol := testkit.Must(resolver.New().Resolve(t.Context(), req))(t)
	require.Equal(t, `apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata:
  generateName: install-
  namespace: "shop"
spec:
  approval: Manual
  approved: false
  clusterServiceVersionNames:
  - "db.v1"
  - "web.v2"
  generation: 1
status:
  phase: RequiresApproval
  catalogSources: []
  bundleLookups:
  - catalogSourceRef:
      name: "goods"
      namespace: "olm"
    identifier: "db.v1"
    path: "db:v1"
    properties: "{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"db\",\"version\":\"1.0.0\"}}]}"
    replaces: ""
  - catalogSourceRef:
      name: "goods"
      namespace: "olm"
    identifier: "web.v2"
    path: "web:v2"
    properties: "{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"web\",\"version\":\"2.0.0\"}},{\"type\":\"olm.package.required\",\"value\":{\"packageName\":\"db\",\"versionRange\":\">=1.0.0 <2.0.0\"}}]}"
    replaces: "web.v1"
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata:
  name: "db-x-goods-olm"
  namespace: "shop"
spec:
  channel: "x"
  installPlanApproval: Automatic
  name: "db"
  source: "goods"
  sourceNamespace: "olm"
  startingCSV: "db.v1"
`, string(olm.InstallPlan(req, sol).YAML()))
}
