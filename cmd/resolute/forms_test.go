package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
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
		"audit":    {"audit", "../../examples/catalogs/untidy.yaml"},
		"diff":     {"diff", "../../examples/catalogs/community", "../../examples/catalogs/untidy.yaml"},
		"validate": {"validate", "../../examples/catalogs/untidy.yaml"},
		"ready":    {"ready", "../../examples/scenarios/upgrade.yaml", "--next", "olm/community=../../examples/catalogs/untidy.yaml", "--openshift", "4.19"},
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
		"resolve " + install + " " + conflict + " nowhere.yaml ../../examples/scenarios/partial.yaml": "file status set steps stats\nfile status conflict stats\nfile status error stats\nfile status set steps unresolved stats",
		"whatif ../../examples/scenarios/alternatives.yaml " + conflict:                               "file status set steps whatif stats\nfile status conflict whatif stats",
		"explain " + install + " cert-manager.v1.16.5":                                                "file bundle in chain",
		"explain " + install + " cert-manager.v1.16.1":                                                "file bundle in better",
		"explain " + kube + " strimzi-cluster-operator.v0.51.0":                                       "file bundle in conflict",
		"explain " + conflict + " kuadrant-operator.v0.11.1":                                          "file status conflict stats",
		"converge " + oneEdge:                            "file status rounds loop set",
		"converge nowhere.yaml":                          "file status error rounds loop",
		"converge ../../examples/scenarios/partial.yaml": "file status rounds loop set unresolved",
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

// TestFileOfEachLine: each line of JSON says which file it is about, where there is a file.
func TestFileOfEachLine(t *testing.T) {
	partial, missing := "../../examples/scenarios/partial.yaml", "nowhere.yaml"
	nothing := "subscriptions: []"
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.yaml"), filepath.Join(dir, "sub", "two.yaml")
	require.NoError(t, os.Mkdir(filepath.Dir(two), 0o700))
	require.NoError(t, os.WriteFile(one, []byte(nothing), 0o600))
	require.NoError(t, os.WriteFile(two, []byte(nothing), 0o600))
	for name, c := range map[string]struct {
		args []string
		want []any
	}{
		"resolve, several":       {[]string{"resolve", install, conflict, missing, partial}, []any{install, conflict, missing, partial}},
		"resolve, a directory":   {[]string{"resolve", dir}, []any{one, two}},
		"resolve, one":           {[]string{"resolve", install}, []any{install}},
		"resolve, stdin of two":  {[]string{"resolve", install, "-"}, []any{install, "stdin"}},
		"resolve, stdin alone":   {[]string{"resolve", "-"}, []any{nil}},
		"whatif, several":        {[]string{"whatif", install, conflict}, []any{install, conflict}},
		"converge, several":      {[]string{"converge", dir}, []any{one, two}},
		"converge, stdin":        {[]string{"converge", "-"}, []any{nil}},
		"test, several":          {[]string{"test", one, two}, []any{one, two}},
		"test, one missing":      {[]string{"test", one, missing, two}, []any{one, missing, two}},
		"ready, one missing":     {[]string{"ready", "--openshift", "4.19", "--next", "olm/community=../../examples/catalogs/community", install, missing}, []any{install, missing, nil}},
		"explain, no solution":   {[]string{"explain", conflict, "kuadrant-operator.v0.11.1"}, []any{conflict}},
		"try, which has no file": {[]string{"try", "../../examples/catalogs/platform.jsonl", "strimzi-kafka-operator"}, []any{nil}},
	} {
		var got []any
		for line := range strings.Lines(resolute(t.Context(), nothing, append(c.args, "-o", "json")...).out) {
			var value map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &value), name)
			got = append(got, value["file"])
		}
		require.Equal(t, c.want, got, name)
	}
}

// TestSolutionAsJSON: a solution of the package is written as the command writes its answer,
// which adds the file and the times.
func TestSolutionAsJSON(t *testing.T) {
	for _, file := range []string{install, "../../examples/scenarios/partial.yaml", "../../examples/scenarios/upgrade.yaml", "../../examples/scenarios/alternatives.yaml"} {
		s, err := scenario.ReadFile(t.Context(), file)
		require.NoError(t, err)
		loaded, err := new(scenario.Loader).Load(t.Context(), s)
		require.NoError(t, err)
		sol, err := resolver.New().Resolve(t.Context(), loaded.Request)
		require.NoError(t, err)
		data, err := json.Marshal(sol)
		require.NoError(t, err)
		printed := run1(t, "resolve", "--no-corrections", "-o", "json", file).out
		require.Equal(t, keys(t, printed)[1:], keys(t, string(data)), file)
		var want, got map[string]any
		require.NoError(t, json.Unmarshal([]byte(printed), &want))
		require.NoError(t, json.Unmarshal(data, &got))
		delete(want, "file")
		for _, time := range []string{"loadMs", "resolveMs"} {
			delete(want["stats"].(map[string]any), time)
		}
		require.Equal(t, want, got, file)
		var back resolver.Solution
		require.NoError(t, json.Unmarshal(data, &back))
		require.Equal(t, sol.Set(), back.Set(), file)
	}
}
