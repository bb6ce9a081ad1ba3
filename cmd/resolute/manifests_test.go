package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestManifestsExitStatuses: objects are all that is on standard output; what explains why there are
// none is on standard error.
func TestManifestsExitStatuses(t *testing.T) {
	got := resolute(t.Context(), "", "resolve", "-o", "manifests", install)
	require.Zero(t, got.status, got.errOut)
	require.True(t, strings.HasPrefix(got.out, "apiVersion: v1\nkind: Namespace\n"), got.out)
	require.Equal(t, 5, strings.Count(got.out, "kind: Subscription\n"))
	require.Empty(t, got.errOut)

	got = resolute(t.Context(), "", "resolve", "-o", "manifests", conflict)
	require.Equal(t, 1, got.status)
	require.Empty(t, got.out)
	require.Contains(t, got.errOut, "Subscriptions gateway and authorization cannot both be met")
	require.Contains(t, got.errOut, "Any of these would resolve it")

	got = resolute(t.Context(), "", "try", "-o", "manifests", community, "etcd")
	require.Zero(t, got.status, got.errOut)
	require.Contains(t, got.out, `startingCSV: "etcdoperator.v0.9.4"`)
	got = resolute(t.Context(), "", "try", "-o", "manifests", platform, "kafka")
	require.NotZero(t, got.status)
	require.Empty(t, got.out)

	upgraded := "../../examples/scenarios/upgrade.yaml"
	got = resolute(t.Context(), "", "upgrade", "-o", "manifests", upgraded, "etcd=0.9.4")
	require.Zero(t, got.status, got.errOut)
	require.Contains(t, got.errOut, "the first of 2 rounds")
	require.Contains(t, got.out, `startingCSV: "etcdoperator.v0.9.2"`)
	require.Contains(t, got.out, "# subscription etcd has manual approval, because OLM would upgrade etcdoperator.v0.9.2 to etcdoperator.v0.9.4\n")
	got = resolute(t.Context(), "", "upgrade", "-o", "manifests", upgraded, "etcd=9.9.9")
	require.NotZero(t, got.status)
	require.Empty(t, got.out)

	waysOut(t, map[string]wayOut{
		"two files":     {[]string{"resolve", "-o", "manifests", install, conflict}, 2, "-o manifests takes one FILE"},
		"no file":       {[]string{"resolve", "-o", "manifests", "nowhere.yaml"}, 2, "nowhere.yaml"},
		"time over":     {[]string{"resolve", "-o", "manifests", "--timeout", "1ns", install}, 3, "stopped"},
		"an unfit name": {[]string{"resolve", "-o", "manifests", write(t, "s.yaml", strings.ReplaceAll(small, "shop", "Shop"))}, 1, "no manifests: namespace"},
	})
}

// small is a scenario in one file.
const small = `namespace: shop
catalogs:
- name: c
  blobs:
  - {schema: olm.package, name: db, defaultChannel: stable}
  - {schema: olm.channel, package: db, name: stable, entries: [{name: db.v1}]}
  - {schema: olm.bundle, package: db, name: db.v1, image: i, properties: [{type: olm.package, value: {packageName: db, version: 1.0.0}}]}
subscriptions: [{name: db, package: db}]
`

// TestNow: --now is the time of policy rules, and the clock is not.
func TestNow(t *testing.T) {
	policy := "../../examples/scenarios/policy.yaml"
	young := resolute(t.Context(), "", "resolve", policy)
	old := resolute(t.Context(), "", "resolve", "--now", "2027-01-01", policy)
	require.Zero(t, young.status+old.status, young.errOut+old.errOut)
	require.Contains(t, young.out, "store.v1.1.0")
	require.Contains(t, old.out, "store.v1.5.0")
	waysOut(t, map[string]wayOut{
		"no time": {[]string{"resolve", "--now", "tomorrow", policy}, 2, `--now: "tomorrow" is not a time; write it like 2026-08-22T00:00:00Z or 2026-08-22`},
		"needed":  {[]string{"resolve", write(t, "s.yaml", small+"policy: {veto: [{rule: 'now > timestamp(\"2026-01-01T00:00:00Z\")'}]}\n")}, 2, "the rule uses now, and the request gives no time; set now"},
		"invalid": {[]string{"resolve", write(t, "s2.yaml", small+"policy: {veto: [{rule: 'bundle.verson'}]}\n")}, 2, "s2.yaml:9: policy.veto[0].rule"},
	})
}

// TestChannelsExitStatuses: which channels a subscription can follow.
func TestChannelsExitStatuses(t *testing.T) {
	upgraded := "../../examples/scenarios/upgrade.yaml"
	waysOut(t, map[string]wayOut{
		"a subscription": {[]string{"channels", upgraded, "dashboards"}, 0, ""},
		"nothing there":  {[]string{"channels", install, "etcd"}, 0, ""},
		"as a page":      {[]string{"channels", "-o", "html", upgraded, "etcd"}, 0, ""},
		"a near one":     {[]string{"channels", upgraded, "dashboard"}, 2, "there is no such subscription; did you mean dashboards?"},
		"no name":        {[]string{"channels", upgraded}, 2, "channels needs SCENARIO SUB"},
		"no file":        {[]string{"channels", "nowhere.yaml", "a"}, 2, "nowhere.yaml"},
		"time over":      {[]string{"channels", "--timeout", "1ns", upgraded, "etcd"}, 3, "stopped"},
	})
	page := resolute(t.Context(), "", "channels", "-o", "html", upgraded, "etcd")
	require.Contains(t, page.out, "etcdoperator.v0.9.4")
	require.Contains(t, page.out, "<svg")
}
