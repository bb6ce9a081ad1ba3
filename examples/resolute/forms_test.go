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
