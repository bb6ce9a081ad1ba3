package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIfExitStatuses(t *testing.T) {
	bad := write(t, "bad.yaml", "whatif: [{name: w, add: {subscriptions: [{name: a, package: none}]}}]")
	waysOut(t, map[string]wayOut{
		"all resolved":              {[]string{"whatif", "../../examples/scenarios/alternatives.yaml"}, 0, ""},
		"several files":             {[]string{"whatif", "../../examples/scenarios/alternatives.yaml", "../../examples/scenarios/priorities.yaml"}, 0, ""},
		"the base has no solution":  {[]string{"whatif", conflict}, 1, ""},
		"a what-if has no solution": {[]string{"whatif", bad}, 1, ""},
		"not a what-if":             {[]string{"whatif", write(t, "w.yaml", "whatif: [{name: w, drop: {subscriptions: [x]}}]")}, 2, `"x"`},
		"no file":                   {[]string{"whatif"}, 2, "whatif needs FILE..."},
		"missing file":              {[]string{"whatif", "nowhere.yaml"}, 2, "nowhere.yaml: no such file"},
		"time over":                 {[]string{"whatif", "--timeout", "1ns", conflict}, 3, "deadline exceeded"},
		"budget":                    {[]string{"whatif", "--max-bundles", "1", "../../examples/scenarios/alternatives.yaml"}, 3, "../../examples/scenarios/alternatives.yaml: resolution stopped"},
		"strict":                    {[]string{"whatif", "--strict", write(t, "u.yaml", untidy(t))}, 2, "problems"},
		"unknown form":              {[]string{"whatif", "-o", "svg", conflict}, 2, `"svg" is not text, json or html`},
	})
}

func TestWhatIfOfNothing(t *testing.T) {
	got := resolute(context.Background(), "", "whatif", install)
	require.True(t, strings.HasSuffix(got.out, "\nthe scenario has no what-ifs\n"), got.out)
}

// TestWhatIfShowsWhatIsNew: warnings, and who is left out, only where the base
// problem has not had them already.
func TestWhatIfShowsWhatIsNew(t *testing.T) {
	file := write(t, "w.yaml", `
installed: [{name: a.v1, package: a, automatic: true}, {name: b.v1, package: b, automatic: true}]
subscriptions: [{name: b, package: b, installedCSV: b.v1}, {name: x, package: none}]
policy: {failures: Partial}
whatif:
- {name: nobody owns b, drop: {subscriptions: [b]}}
- {name: another, add: {subscriptions: [{name: y, package: none}]}}
- {name: nothing, forbid: [{bundle: z.v1}]}
- {name: not so, drop: {subscriptions: [x]}, add: {subscriptions: [{name: x, package: none, channel: beta}]}}
`)
	got := resolute(context.Background(), "", "whatif", file)
	parts := strings.Split(got.out, "\nwhat if ")
	require.Len(t, parts, 5, got.out)
	require.Contains(t, parts[0], "warning: orphan: a.v1")
	require.Contains(t, parts[1], "\n  warning: orphan: b.v1")
	require.NotContains(t, parts[1], "orphan: a.v1")
	require.Contains(t, parts[2], "\nleft out: subscription y\n")
	require.NotContains(t, parts[2], "subscription x\n")
	require.Contains(t, parts[3], "\n  Plan: nothing changes, 2 unchanged.\n")
	require.NotContains(t, parts[3], "orphan")
	require.Contains(t, parts[4], "\nleft out: subscription x\n", "for another reason than before")
}

// TestWhatIfFromFlags: the flags ask one what-if in the place of the scenario's own.
func TestWhatIfFromFlags(t *testing.T) {
	_, what, found := strings.Cut(run1(t, "whatif", kube, "--drop", "console", "--pin", "kafka=strimzi-cluster-operator.v0.49.1", "--forbid", "prometheusoperator.0.56.3").out, "\nwhat if ")
	require.True(t, found)
	require.Equal(t, `console is dropped, kafka is pinned to strimzi-cluster-operator.v0.49.1 and prometheusoperator.0.56.3 is forbidden: resolved, 1 bundle
  ~ strimzi-cluster-operator.v0.50.1 -> strimzi-cluster-operator.v0.49.1 (downgrade)
  - prometheusoperator.0.56.3
  - streamshub-console-operator.v0.10.3
  Plan: 1 to downgrade, 2 to remove.
`, what)
	file := write(t, "w.yaml", `
installed: [{name: a.v1, package: a}]
subscriptions: [{name: a, package: a, installedCSV: a.v1}, {name: 'b,c', package: none}]
policy: {failures: Partial}
whatif: [{name: of the file}]
`)
	require.NotContains(t, run1(t, "whatif", file, "--drop", "b,c").out, "of the file")
	require.Contains(t, run1(t, "whatif", file, "--drop", "b,c", "--drop", "a").out, "what if b,c is dropped and a is dropped: ")
	for args, want := range map[string]string{
		"--drop consol":    `--drop consol: the scenario has no subscription or extension "consol"; did you mean console?`,
		"--pin kafka":      "--pin kafka: must have the form SUB=BUNDLE",
		"--pin kafkaa=x":   `--pin kafkaa=x: the scenario has no subscription or extension "kafkaa"; did you mean kafka?`,
		"--pin kafka=x.v1": `no bundle "x.v1" of package strimzi-kafka-operator in any catalog or on the cluster`,
		"--forbid x.v1":    `--forbid x.v1: no bundle "x.v1" in any catalog or on the cluster`,
		"--forbid strimzi-cluster-operator.v0.50.0":                                                 "did you mean strimzi-cluster-operator.v0.50.1",
		"--pin kafka=prometheusoperator.0.56.3":                                                     "the bundle belongs to package prometheus, but the subscription requests package strimzi-kafka-operator",
		"--drop kafka --pin kafka=strimzi-cluster-operator.v0.50.1":                                 "--drop already drops subscription kafka",
		"--pin kafka=strimzi-cluster-operator.v0.50.1 --pin kafka=strimzi-cluster-operator.v0.49.1": "kafka is already pinned to strimzi-cluster-operator.v0.50.1",
	} {
		got := run1(t, append([]string{"whatif", kube}, strings.Fields(args)...)...)
		require.Equal(t, exitUnusable, got.status, args)
		require.Contains(t, got.errOut, want)
		require.Empty(t, got.out)
	}
}

// The page of what-ifs has a section for each, with its verdict and its changes.
func TestWhatIfPage(t *testing.T) {
	p := parsePage(t, run1(t, "whatif", "-o", "html", "../../examples/scenarios/alternatives.yaml").out)
	require.Equal(t, []string{"Resolved, 2 bundles", "Resolved, 2 bundles", "What if a version is withdrawn: resolved, 2 bundles",
		"What if the community's operator is not wanted: resolved, 2 bundles"}, p.within["h1"])
	require.Contains(t, p.texts, "service-binding-operator.v1.4.0 → service-binding-operator.v1.3.4")
	require.Subset(t, p.texts, []string{"+ install", "rh-service-binding-operator.v1.4.1"})
	p = parsePage(t, run1(t, "whatif", "-o", "html", install).out)
	require.Contains(t, p.texts, "The scenario has no what-ifs.")
	p = parsePage(t, run1(t, "whatif", "-o", "html", "--forbid", "grafana-operator.v4.9.0", install).out)
	require.Contains(t, p.texts, "Nothing changes.")
}

// The page of dependencies links both ends of each.
func TestNeedsPage(t *testing.T) {
	p := parsePage(t, run1(t, "needs", "-o", "html", road).out)
	require.Len(t, p.within["tr"], 1+5)
	require.Contains(t, p.within["td"], "rabbitmq-cluster-operator.v2.21.1 an operator that provides rabbitmq.com/v1beta1/RabbitmqCluster")
	require.Len(t, p.within["a"], 2)
	one := parsePage(t, run1(t, "needs", "-o", "html", road, "rabbitmq-cluster-operator.v2.21.1").out)
	require.Empty(t, one.within["a"], "the other end is not on the page")
}
