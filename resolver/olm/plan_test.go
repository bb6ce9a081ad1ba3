package olm_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
)

// TestComparePlan checks the differences between an InstallPlan and a plan.
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
	got := testkit.Map(differences, func(d olm.PlanDifference) string { return d.String() })
	require.Equal(t, []string{
		"cache.v1 is planned, but the InstallPlan does not have it",
		"web.v1 is in the InstallPlan, but not planned",
		`path of db.v2 is "other" in the InstallPlan, but the plan has "db:v2"`,
		`replaces of db.v2 is "db.v0" in the InstallPlan, but the plan has "db.v1"`,
		`catalog of db.v2 is "shop/far" in the InstallPlan, but the plan has "shop/goods"`,
		"subscription cache-x-goods-shop is planned, but the InstallPlan does not have it",
		"subscription web-x-goods-shop is in the InstallPlan, but not planned",
	}, got)

	differences = testkit.Must(c.ComparePlan("old", &olm.Plan{Namespace: "shop", Names: []string{"db.v1"}}))(t)
	require.Empty(t, differences)

	_, err := c.ComparePlan("gone", planned)
	testkit.As[*olm.UnknownPlanError](t, err)
	require.EqualError(t, err, "namespace shop has no InstallPlan gone; it has new, old")
	_, err = c.ComparePlan("", &olm.Plan{Namespace: "empty"})
	require.EqualError(t, err, "namespace empty has no InstallPlan")
}

// TestEmptyPlan: an empty plan is still an InstallPlan.
func TestEmptyPlan(t *testing.T) {
	plan := olm.InstallPlan(resolver.Request{Namespace: "shop"}, &resolver.Solution{})
	require.Equal(t, "shop", plan.Namespace)
	require.Contains(t, string(plan.YAML()), "clusterServiceVersionNames: []")
	require.Contains(t, string(plan.YAML()), "bundleLookups: []")
	require.Equal(t, 1, strings.Count(string(plan.YAML()), "kind: "))
}

// TestPlanOfADependency: the plan for a dependency has a subscription, and its properties except
// manifests.
func TestPlanOfADependency(t *testing.T) {
	req := universe.Request(t, `
		catalog olm/goods
		web/x web.v1
		web/x web.v2 replaces=web.v1
		require web.v2 db@>=1.0.0 <2.0.0
		db/x db.v1
		property db.v1 olm.bundle.object {"data":"e30="}
		installed web.v1
		subscribe web at=web.v1`)
	req.Namespace = "shop"
	sol := testkit.Must(resolver.New().Resolve(t.Context(), req))(t)
	want := testkit.Must(os.ReadFile("testdata/plan.yaml"))(t)
	require.Equal(t, string(want), string(olm.InstallPlan(req, sol).YAML()))
}

// TestJudgePlan checks the verdict on each kind of install plan.
func TestJudgePlan(t *testing.T) {
	for name, tc := range map[string]struct {
		catalog string
		bundles []string
		verdict string
		says    string
	}{
		"wanted":   {"db/x db.v1 db.v2", []string{"db.v2"}, "wanted", "approving install plan p would upgrade db.v1 to db.v2, which satisfies all subscriptions"},
		"further":  {"db/x db.v1 db.v2 db.v3", []string{"db.v2"}, "further", "a step towards the demands of the subscriptions; next: upgrade db.v2 to db.v3"},
		"skipped":  {"db/x db.v1 db.v2\ndb/x db.v3 replaces=db.v1 skips=db.v2", []string{"db.v2"}, "outdated", "would upgrade db.v1 to db.v2; the subscriptions now demand: upgrade db.v1 to db.v3"},
		"gone":     {"db/x db.v1 db.v3", []string{"db.v2"}, "outdated", "installs db.v2, which the catalogs no longer have; the subscriptions now demand: upgrade db.v1 to db.v3"},
		"conflict": {"db/x db.v1 db.v2\nbundle db.v2 needs=Nowhere", []string{"db.v2"}, "conflict", "would upgrade db.v1 to db.v2, after which there is no solution: "},
		"more":     {"db/x db.v1\ndb/x db.v2 replaces=db.v1 needs=log@>=1.0.0\nlog/x log.v1", []string{"db.v2", "log.v1"}, "wanted", "would upgrade db.v1 to db.v2 and install log.v1, which satisfies all subscriptions"},
	} {
		t.Run(name, func(t *testing.T) {
			req := universe.Request(t, tc.catalog+"\ninstalled db.v1 by=db\nsubscribe db in=x")
			req.Subscriptions[0].Hold = "install plan p is not approved"
			plan := olm.PendingPlan{Plan: "p", Bundles: tc.bundles, Subscriptions: []string{req.Subscriptions[0].Name}}
			require.NoError(t, plan.Judge(t.Context(), resolver.New(), req))
			require.Equal(t, tc.verdict, plan.Verdict, plan.Text)
			require.Contains(t, plan.Text, tc.says)
			approve := ""
			if tc.verdict == "wanted" || tc.verdict == "further" {
				approve = "kubectl patch installplan p -n " + req.Namespace + ` --type merge -p '{"spec":{"approved":true}}'`
			}
			require.Equal(t, approve, plan.Command)
			require.NotEmpty(t, req.Subscriptions[0].Hold, "the request is not changed")
			require.Equal(t, "db.v1", req.Installed[0].Name)
		})
	}
}
