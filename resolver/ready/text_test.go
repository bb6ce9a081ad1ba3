package ready_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/ready"
)

// TestReportText: each verdict, step and reason in words, whatever is in the names.
func TestReportText(t *testing.T) {
	before := ready.Step{When: ready.StepBefore, Action: "upgrade", Bundle: "a.v2", Replaces: "a.v1", Channel: "x", Catalog: "olm/c"}
	after := ready.Step{When: ready.StepAfter, Action: "install", Bundle: "n\x1b[31m"}
	report := ready.Report{
		File: "c0.yaml", Status: ready.Blocked, Error: "first line\nsecond line",
		Operators: []ready.Operator{
			{Bundle: "a.v1", Subscription: "a", Verdict: ready.UpdateBefore, Road: []ready.Step{before, after}},
			{Bundle: "b.v1", Verdict: ready.UpdateBefore, Road: []ready.Step{before}},
			{Bundle: "c.v1", Verdict: ready.UpdateAfter}, {Bundle: "d.v1", Verdict: ready.NoWay}, {Bundle: "e.v1", Verdict: ready.Gone},
			{Package: "p", Subscription: "s", Verdict: ready.Fine, Reasons: []ready.Reason{{Code: ready.Held, Text: "held\nback"}}},
		},
		Order: []ready.Step{before, {When: ready.StepUpgrade}, {When: ready.StepUpgrade, OpenShift: "4.19", Kubernetes: "1.32.0"}, after},
		Notes: []ready.Reason{{Code: ready.SameCatalog, Text: "a note"}},
	}
	var b bytes.Buffer
	require.NoError(t, report.WriteText(&b))
	require.Equal(t, `c0.yaml: blocked: an operator has no way on
  first line
  second line
  update before and after a.v1 (subscription a)
  update before           b.v1
  update after            c.v1
  no way on               d.v1
  gone                    e.v1
  fine                    subscription s (package p, nothing installed)
    - held back
  note: a note
  order:
    1. before: upgrade a.v1 to a.v2 from channel x of olm/c
    2. upgrade the cluster
    3. upgrade the cluster to OpenShift 4.19, Kubernetes 1.32.0
    4. after: install "n\x1b[31m"
`, b.String())
	for status, want := range map[ready.Status]string{
		ready.Ready: "ready: nothing has to be done", ready.After: "ready to move, with updates after it",
		ready.Before: "updates are due before the cluster moves", ready.Invalid: "invalid", ready.Incomplete: "incomplete",
	} {
		require.Equal(t, want, status.Headline())
	}
}

// TestSummaryText: who holds back, what is to be done, and where a list ends.
func TestSummaryText(t *testing.T) {
	tally := ready.NewTally()
	step := ready.Step{Package: "a", Bundle: "a.v2"}
	for _, r := range []ready.Report{
		{Status: ready.Ready}, {Status: ready.Invalid}, {Status: ready.Incomplete},
		{Status: ready.Before, Operators: []ready.Operator{{Bundle: "a.v1", Package: "a", Verdict: ready.UpdateBefore, Road: []ready.Step{step}}}},
		{Status: ready.After, Operators: []ready.Operator{{Bundle: "a.v1", Package: "a", Verdict: ready.UpdateAfter}}},
		{Status: ready.Blocked, Operators: []ready.Operator{{Bundle: "a.v0", Package: "a", Verdict: ready.Gone}, {Bundle: "b.v1", Package: "b", Verdict: ready.NoWay}}},
		{Status: ready.Blocked, Operators: []ready.Operator{{Package: "a", Subscription: "s", Verdict: ready.NoWay}}},
	} {
		tally.Add(&r)
	}
	s := tally.Summary()
	s.Shard = "0/2"
	var b bytes.Buffer
	require.NoError(t, s.WriteText(&b))
	require.Equal(t, `This is shard 0/2 only.
7 clusters: 1 ready, 1 with updates after, 1 with updates before, 2 blocked, 1 invalid, 1 not checked to the end
Who holds clusters back (and how many alone):
       4 (3)  a: to be installed has no way on; a.v0 is gone; update a.v1 after; and 1 more
       1 (0)  b: b.v1 has no way on
What frees most, one after the other:
   1. a frees 3 clusters, 3 in all
   2. b frees 1 cluster, 4 in all
`, b.String())
	require.Equal(t, "update a.v1 to a.v2 before", ready.Move{Bundle: "a.v1", Verdict: ready.UpdateBefore, To: "a.v2"}.String())

	for range 60 {
		s.Operators = append(s.Operators, ready.Holder{Package: "x"})
	}
	b.Reset()
	require.NoError(t, s.WriteText(&b))
	require.Contains(t, b.String(), "  and 12 more\n")
}

// TestExtensionsAreRefused: no verdict on them is better than a wrong one.
func TestExtensionsAreRefused(t *testing.T) {
	_, err := ready.Check(t.Context(), resolver.New(), resolver.Request{Extensions: []resolver.Extension{{Name: "a", Package: "a"}}}, ready.Options{})
	var bad *resolver.RequestError
	require.ErrorAs(t, err, &bad)
	require.ErrorContains(t, err, "only subscriptions are checked, and not extensions of OLM v1")
}

// TestKubernetesOfRules: CEL rules see the version of Kubernetes that the cluster moves
// to, where the request has it as a property.
func TestKubernetesOfRules(t *testing.T) {
	kube, err := properties.New("olm.kubeversion", []byte(`{"version":"1.31.0"}`))
	require.NoError(t, err)
	rule := `{"type":"olm.constraint","value":{"failureMessage":"needs 1.31","cel":{"rule":"cluster.exists(p, p.type == 'olm.kubeversion' && p.value.version == '1.31.0')"}}}`
	content := catalogOf(t,
		`{"schema":"olm.package","name":"a","defaultChannel":"x"}`,
		`{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a.v1"}]}`,
		`{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},`+rule+`]}`)
	catalog := resolver.Catalog{Key: cache.Key{Namespace: "olm", Name: "c"}, Content: content}
	req := resolver.Request{Catalogs: []resolver.Catalog{catalog}, Cluster: resolver.Cluster{KubernetesVersion: "1.31.0", Properties: properties.NewSet(kube)},
		Installed: []resolver.Installed{{Name: "a.v1"}}, Subscriptions: []resolver.Subscription{{Name: "a", Package: "a", Channels: []string{"x"}, InstalledCSV: "a.v1"}}}
	for version, want := range map[string]ready.Status{"1.31.0": ready.Ready, "1.32.0": ready.Blocked} {
		report, err := ready.Check(t.Context(), resolver.New(), req, ready.Options{Versions: []ready.Version{{Kubernetes: version, Catalogs: []resolver.Catalog{catalog}}}})
		require.NoError(t, err)
		require.Equal(t, want, report.Status, version)
		if want == ready.Blocked {
			require.Equal(t, ready.Conflict, report.Operators[0].Reasons[0].Code)
		}
	}
}

// catalogOf reads blobs.
func catalogOf(t *testing.T, blobs ...string) *cache.Catalog {
	t.Helper()
	c, err := fbc.Read(t.Context(), strings.NewReader(strings.Join(blobs, "\n")), "catalog.jsonl", fbc.Options{})
	require.NoError(t, err)
	return c
}
