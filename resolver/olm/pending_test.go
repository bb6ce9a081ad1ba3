package olm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
)

// TestJudgePlan: what approving an install plan does, and whether the subscriptions want
// that: all of it, a step of it, something else by now, or what has no solution.
func TestJudgePlan(t *testing.T) {
	for name, tc := range map[string]struct {
		catalog string
		bundles []string
		verdict olm.PlanVerdict
		says    string
	}{
		"wanted":   {"db/x db.v1 db.v2", []string{"db.v2"}, olm.PlanWanted, "approving install plan p would upgrade db.v1 to db.v2, and that is all that the subscriptions want"},
		"further":  {"db/x db.v1 db.v2 db.v3", []string{"db.v2"}, olm.PlanFurther, "a step towards what the subscriptions want; next: upgrade db.v2 to db.v3"},
		"skipped":  {"db/x db.v1 db.v2\ndb/x db.v3 replaces=db.v1 skips=db.v2", []string{"db.v2"}, olm.PlanOutdated, "would upgrade db.v1 to db.v2; the subscriptions want now: upgrade db.v1 to db.v3"},
		"gone":     {"db/x db.v1 db.v3", []string{"db.v2"}, olm.PlanOutdated, "installs db.v2, which the catalogs do not have; the subscriptions want now: upgrade db.v1 to db.v3"},
		"conflict": {"db/x db.v1 db.v2\nbundle db.v2 needs=Nowhere", []string{"db.v2"}, olm.PlanConflict, "would upgrade db.v1 to db.v2, and then there is no solution: "},
		"more":     {"db/x db.v1\ndb/x db.v2 replaces=db.v1 needs=log@>=1.0.0\nlog/x log.v1", []string{"db.v2", "log.v1"}, olm.PlanWanted, "would upgrade db.v1 to db.v2 and install log.v1, and that is all"},
	} {
		t.Run(name, func(t *testing.T) {
			req := universe.Request(t, tc.catalog+"\ninstalled db.v1 by=db\nsubscribe db in=x")
			req.Subscriptions[0].Hold = "install plan p is not approved"
			plan := olm.PendingPlan{Plan: "p", Bundles: tc.bundles, Subscriptions: []string{req.Subscriptions[0].Name}}
			require.NoError(t, plan.Judge(t.Context(), resolver.New(), req))
			require.Equal(t, tc.verdict, plan.Verdict, plan.Text)
			require.Contains(t, plan.Text, tc.says)
			approve := ""
			if tc.verdict == olm.PlanWanted || tc.verdict == olm.PlanFurther {
				approve = "kubectl patch installplan p -n " + req.Namespace + ` --type merge -p '{"spec":{"approved":true}}'`
			}
			require.Equal(t, approve, plan.Command)
			require.NotEmpty(t, req.Subscriptions[0].Hold, "the request is not changed")
			require.Equal(t, "db.v1", req.Installed[0].Name)
		})
	}
}
