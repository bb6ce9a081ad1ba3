package upgrade_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// TestReportText: each verdict, step and reason in words, whatever is in the names.
func TestReportText(t *testing.T) {
	before := upgrade.Step{When: "before", Action: "upgrade", Bundle: "a.v2", Replaces: "a.v1", Channel: "x", Catalog: "olm/c"}
	after := upgrade.Step{When: "after", Action: "install", Bundle: "n\x1b[31m"}
	report := upgrade.Report{
		File: "c0.yaml", Status: upgrade.Blocked, Error: "first line\nsecond line",
		Operators: []upgrade.Operator{
			{Bundle: "a.v1", Subscription: "a", Verdict: upgrade.UpdateBefore, Path: []upgrade.Step{before, after}},
			{Bundle: "b.v1", Verdict: upgrade.UpdateBefore, Path: []upgrade.Step{before}},
			{Bundle: "c.v1", Verdict: upgrade.UpdateAfter}, {Bundle: "d.v1", Verdict: upgrade.NoWay}, {Bundle: "e.v1", Verdict: upgrade.Gone},
			{Package: "p", Subscription: "s", Verdict: upgrade.Fine, Reasons: []upgrade.Reason{{Code: "held", Text: "held\nback"}}},
			{Package: "q", Subscription: "t", Verdict: upgrade.NoWay},
			{Bundle: "f.v1", Verdict: upgrade.Fine, Reasons: []upgrade.Reason{{Code: "alreadyToday", Text: "it does not fit today either"}}},
		},
		Order: []upgrade.Step{before, {When: "upgrade"}, {When: "upgrade", OpenShift: "4.19", Kubernetes: "1.32.0"}, after},
		Notes: []upgrade.Reason{{Code: "sameCatalog", Text: "a note"}},
	}
	var b bytes.Buffer
	require.NoError(t, report.WriteText(&b, nil))
	require.Equal(t, `c0.yaml: blocked: an operator cannot be upgraded or installed
  first line
  second line
  update before and after a.v1 (subscription a)
  update before           b.v1
  update after            c.v1
  no upgrade              d.v1
  gone                    e.v1
  can be installed        subscription s (package p, nothing installed)
    - held back
  cannot be installed     subscription t (package q, nothing installed)
  in conflict, as today   f.v1
    - it does not fit today either
  note: a note
  order:
    1. before: upgrade a.v1 to a.v2 from channel x of olm/c
    2. upgrade the cluster
    3. upgrade the cluster to OpenShift 4.19, Kubernetes 1.32.0
    4. after: install "n\x1b[31m"
`, b.String())
	for status, want := range map[upgrade.Status]string{
		upgrade.Ready: "ready: nothing has to be done", upgrade.After: "ready to move, with updates after it",
		upgrade.Before: "updates are due before the cluster moves", upgrade.Invalid: "invalid", upgrade.Incomplete: "incomplete",
	} {
		require.Equal(t, want, status.Headline())
	}
	worst := upgrade.Report{Status: upgrade.Ready, Operators: report.Operators[len(report.Operators)-1:]}
	require.Equal(t, "ready: no worse than today", worst.Headline())
}

// TestSummaryText: blocking packages, their actions, and truncated lists.
func TestSummaryText(t *testing.T) {
	var in bytes.Buffer
	step := upgrade.Step{Package: "a", Bundle: "a.v2"}
	for _, r := range []upgrade.Report{
		{Status: upgrade.Ready}, {Status: upgrade.Invalid}, {Status: upgrade.Incomplete},
		{Status: upgrade.Before, Operators: []upgrade.Operator{{Bundle: "a.v1", Package: "a", Verdict: upgrade.UpdateBefore, Path: []upgrade.Step{step}}}},
		{Status: upgrade.After, Operators: []upgrade.Operator{{Bundle: "a.v1", Package: "a", Verdict: upgrade.UpdateAfter}}},
		{Status: upgrade.Blocked, Operators: []upgrade.Operator{{Bundle: "a.v0", Package: "a", Verdict: upgrade.Gone}, {Bundle: "b.v1", Package: "b", Verdict: upgrade.NoWay}}},
		{Status: upgrade.Blocked, Operators: []upgrade.Operator{{Package: "a", Subscription: "s", Verdict: upgrade.NoWay}}},
	} {
		require.NoError(t, r.WriteLine(&in))
	}
	require.NoError(t, (&upgrade.Summary{Clusters: 7}).WriteLine(&in))
	s := testkit.Must(upgrade.Merge(nothing, &in))(t)
	s.Shard = "0/2"
	var b bytes.Buffer
	require.NoError(t, s.WriteText(&b))
	require.Equal(t, `This is shard 0/2 only.
7 clusters: 1 ready, 1 with updates after, 1 with updates before, 2 blocked, 1 invalid, 1 incomplete
Packages that block clusters (and how many alone):
       4 (3)  a: it cannot be installed; a.v0 is gone; update a.v1 after; and 1 more
       1 (0)  b: there is no upgrade from b.v1
Packages to deal with first, in this order:
   1. a frees 3 clusters, 3 in all
   2. b frees 1 cluster, 4 in all
`, b.String())
	require.Equal(t, "a frees no cluster by itself", upgrade.Freed{Package: "a", Total: 3}.String())
	require.Equal(t, "update a.v1 to a.v2 before", upgrade.Move{Bundle: "a.v1", Verdict: upgrade.UpdateBefore, To: "a.v2"}.String())

	for range 60 {
		s.Operators = append(s.Operators, upgrade.Holder{Package: "x"})
	}
	b.Reset()
	require.NoError(t, s.WriteText(&b))
	require.Contains(t, b.String(), "  and 12 more\n")
}

// TestKubernetesOfRules: CEL rules see the version of Kubernetes that the cluster moves
// to, where the request has it as a property.
func TestKubernetesOfRules(t *testing.T) {
	kube := testkit.Must(properties.New("olm.kubeversion", []byte(`{"version":"1.30.0"}`)))(t)
	req := universe.Request(t, `
		catalog olm/c
		a/x a.v1
		require a.v1 cel(cluster.exists(p, p.type == 'olm.kubeversion' && p.value.version == '1.31.0')) ; needs 1.31
		installed a.v1
		subscribe a in=x at=a.v1`)
	req.Cluster = resolver.Cluster{KubernetesVersion: "1.30.0", Properties: properties.NewSet(kube)}
	next := []upgrade.NextCatalog{{For: "olm/c", Content: req.Catalogs[0].Content}}
	for version, want := range map[string]upgrade.Status{"1.31.0": upgrade.Ready, "1.32.0": upgrade.Blocked} {
		opts := upgrade.Options{Versions: []upgrade.Version{{Kubernetes: version, Catalogs: next}}}
		report := testkit.Must(upgrade.Check(t.Context(), resolver.New(), req, opts))(t)
		require.Equal(t, want, report.Status, version)
		if want == upgrade.Blocked {
			require.Equal(t, "conflict", report.Operators[0].Reasons[0].Code)
		}
	}
}
