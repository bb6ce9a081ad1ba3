package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachCommandHasEachForm: every command that finds something writes it in every form
// of a report, and each finding is in each of them.
func TestEachCommandHasEachForm(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "dump.yaml")
	require.NoError(t, os.WriteFile(dump, []byte(`apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: etcd, namespace: shop}
  spec: {name: etcd, source: none, sourceNamespace: olm, channel: stable}
`), 0o644))
	for name, args := range map[string][]string{
		"audit":    {"audit", "../catalogs/untidy.yaml"},
		"diff":     {"diff", "../catalogs/community", "../catalogs/untidy.yaml"},
		"validate": {"validate", "../catalogs/untidy.yaml"},
		"ready":    {"ready", "../scenarios/upgrade.yaml", "--next", "olm/community=../catalogs/untidy.yaml", "--openshift", "4.19"},
		"capture":  {"capture", dump},
	} {
		t.Run(name, func(t *testing.T) {
			in := func(form string) string {
				got := run1(t, append([]string{args[0], "-o", form}, args[1:]...)...)
				require.Equal(t, 1, got.status, "%s: %s", form, got.errOut)
				return got.out
			}
			require.True(t, strings.HasPrefix(in("markdown"), "<!-- resolute "+name+" -->"))
			rows := strings.Count(in("markdown"), "\n| ❌") + strings.Count(in("markdown"), "\n| ⚠️")
			var log struct {
				Runs []struct{ Results []struct{ RuleID string } }
			}
			require.NoError(t, json.Unmarshal([]byte(in("sarif")), &log))
			found := len(log.Runs[0].Results)
			require.Positive(t, found)
			require.Positive(t, rows)
			if name != "audit" { // of which those of one cause are one row
				require.GreaterOrEqual(t, rows, found, "what got better has rows as well")
			}
			for line := range strings.Lines(in("github")) {
				require.Regexp(t, "^::(error|warning|notice) ", line)
			}
			var suites struct {
				Failures int `xml:"failures,attr"`
			}
			require.NoError(t, xml.Unmarshal([]byte(in("junit")), &suites))
			require.Positive(t, suites.Failures)
			require.True(t, json.Valid([]byte(strings.SplitN(in("json"), "\n", 2)[0])))
			require.NotEmpty(t, in("text"))
		})
	}
}

// TestShapes: the JSON of a command is that of the package that answers, whose tests hold its
// parts: an object for each scenario or channel, one a line, with these keys.
func TestShapes(t *testing.T) {
	for args, want := range map[string]string{
		"resolve " + install + " " + conflict + " nowhere.yaml ../scenarios/partial.yaml": "status set steps stats\nstatus conflict stats\nstatus error stats\nstatus set steps unresolved stats",
		"whatif ../scenarios/alternatives.yaml " + conflict:                               "status set steps whatif stats\nstatus conflict whatif stats",
		"explain " + install + " cert-manager.v1.16.5":                                    "bundle in chain",
		"explain " + install + " cert-manager.v1.16.1":                                    "bundle in better",
		"explain " + kube + " strimzi-cluster-operator.v0.51.0":                           "bundle in conflict",
		"explain " + conflict + " kuadrant-operator.v0.11.1":                              "status conflict stats",
		"converge " + oneEdge:                "status rounds loop set",
		"converge nowhere.yaml":              "status error rounds loop",
		"converge ../scenarios/partial.yaml": "status rounds loop set unresolved",
	} {
		var got []string
		for line := range strings.Lines(run1(t, append(strings.Fields(args), "-o", "json")...).out) {
			got = append(got, strings.Join(keys(t, line), " "))
		}
		require.Equal(t, strings.Split(want, "\n"), got, args)
	}
	for _, form := range []string{"mermaid", "dot", "svg"} { // which package scenario tests
		require.NotEmpty(t, run1(t, "converge", "-o", form, oneEdge).out)
		require.Empty(t, run1(t, "converge", "-o", form, "nowhere.yaml").out)
	}
}
