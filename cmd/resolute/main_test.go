package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/heap"
)

// Scenarios and catalogs that the repository carries.
const (
	install  = "../../examples/scenarios/install.yaml"
	conflict = "../../examples/scenarios/conflict.yaml"
	kube     = "../../examples/scenarios/kubernetes-version.yaml"
)

// TestMain paces the heap as main does, and fails if a command printed JSON that is not as its
// schema says.
func TestMain(m *testing.M) {
	heap.Pace(os.Getenv)
	status := m.Run()
	for _, run := range unlike.runs {
		fmt.Println("JSON unlike its schema: " + run)
		status = 1
	}
	os.Exit(status)
}

// result is what a run of the program leaves.
type result struct {
	status      int
	out, errOut string
}

// resolute runs the program.
func resolute(ctx context.Context, stdin string, args ...string) result {
	var out, errOut bytes.Buffer
	status := run(ctx, append([]string{"resolute"}, args...), strings.NewReader(stdin), &out, &errOut)
	checked(args, out.String())
	return result{status, out.String(), errOut.String()}
}

// write puts a file into a fresh directory and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// TestExitStatuses holds every way out against the format's rule: 0 resolved or
// clean, 1 no solution or problems found, 2 unusable input or usage, 3 stopped.
func TestExitStatuses(t *testing.T) {
	invalid := write(t, "invalid.yaml", "subscriptions: [{name: a}]")
	noCatalog := write(t, "nocatalog.yaml", "catalogs: [{name: c, path: nowhere}]\nexpect: {status: invalid}")
	wrong := write(t, "wrong.yaml", "expect: {status: unsatisfiable}")
	silent := write(t, "silent.yaml", "namespace: a")
	empty := t.TempDir()
	waysOut(t, map[string]wayOut{
		"resolved":                  {[]string{"resolve", install}, 0, ""},
		"several, all resolved":     {[]string{"resolve", install, kube}, 0, ""},
		"no solution":               {[]string{"resolve", conflict}, 1, ""},
		"no solution, cut short":    {[]string{"resolve", "--max-solves", "1", conflict}, 1, ""},
		"one of several":            {[]string{"resolve", install, conflict, kube}, 1, ""},
		"left out by Partial":       {[]string{"resolve", "../../examples/scenarios/partial.yaml"}, 0, ""},
		"missing file":              {[]string{"resolve", "nowhere.yaml"}, 2, "nowhere.yaml: no such file"},
		"missing and no solution":   {[]string{"resolve", "nowhere.yaml", conflict}, 2, "nowhere.yaml"},
		"not a scenario":            {[]string{"resolve", invalid}, 2, "invalid.yaml:1: subscriptions[0]: package is missing"},
		"catalog cannot be read":    {[]string{"resolve", noCatalog}, 2, "nowhere: no such file"},
		"catalog with problems":     {[]string{"resolve", write(t, "u.yaml", untidy(t))}, 0, ""},
		"the same, strict":          {[]string{"resolve", "--strict", write(t, "u.yaml", untidy(t))}, 2, "problems"},
		"time over":                 {[]string{"resolve", "--timeout", "1ns", install}, 3, "deadline exceeded"},
		"budget of bundles":         {[]string{"resolve", "--max-bundles", "1", install}, 3, "more than 1 candidate bundles"},
		"incomplete beats invalid":  {[]string{"resolve", "--max-bundles", "1", install, invalid}, 3, "invalid.yaml"},
		"no limits":                 {[]string{"resolve", "--max-bundles=-1", "--max-solves=-1", "--max-cel-cost=-1", "--timeout=0", install}, 0, ""},
		"test":                      {[]string{"test", "../../examples/scenarios"}, 0, ""},
		"test, files":               {[]string{"test", install, conflict}, 0, ""},
		"test, one differs":         {[]string{"test", install, wrong}, 1, ""},
		"test, nothing expected":    {[]string{"test", silent}, 0, ""},
		"test, invalid as expected": {[]string{"test", noCatalog}, 0, ""},
		"test, not readable":        {[]string{"test", invalid, wrong}, 2, ""},
		"test, missing":             {[]string{"test", "nowhere"}, 2, "nowhere: no such file"},
		"test, nothing there":       {[]string{"test", empty}, 2, "no scenario"},
		"test, time over":           {[]string{"test", "--timeout", "1ns", install}, 3, ""},
		"test, budget":              {[]string{"test", "--max-bundles", "1", install}, 3, ""},
		"validate, clean":           {[]string{"validate", "../../examples/catalogs/community", "../../examples/catalogs/certified.yaml", "../../examples/catalogs/platform.jsonl"}, 0, ""},
		"validate, problems":        {[]string{"validate", "../../examples/catalogs/untidy.yaml"}, 1, ""},
		"validate, missing":         {[]string{"validate", "nowhere"}, 2, "nowhere: no such file"},
		"validate, empty directory": {[]string{"validate", empty}, 2, "empty"},
		"validate, time over":       {[]string{"validate", "--timeout", "1ns", "../../examples/catalogs/community"}, 3, "stopped"},
		"no command":                {nil, 2, ""},
		"unknown command":           {[]string{"solve"}, 2, `unknown command "solve"`},
		"no file":                   {[]string{"resolve"}, 2, "resolve needs FILE|DIR..."},
		"test without file":         {[]string{"test"}, 2, "test needs FILE|DIR..."},
		"validate without catalog":  {[]string{"validate"}, 2, "validate needs CATALOG..."},
		"unknown flag":              {[]string{"resolve", "--fast", install}, 2, "fast"},
		"unknown form":              {[]string{"resolve", "-o", "xml", install}, 2, `"xml" is not text, json, html, svg, mermaid, dot, dimacs, drat, certificate, installplan or manifests`},
		"wrong value":               {[]string{"resolve", "--max-solves", "many", install}, 2, "many"},
		"negative time":             {[]string{"resolve", "--timeout=-1s", install}, 2, "negative"},
		"help":                      {[]string{"--help"}, 0, ""},
		"help of a command":         {[]string{"resolve", "--help"}, 0, ""},
	})
}

// TestCutShort: an explanation that a budget cuts short is given, says so in each form,
// and is the same each time.
func TestCutShort(t *testing.T) {
	for form, says := range map[string]string{"text": "the minimization stopped early, at its deadline or its limit on solver calls", "json": `"minimal":false`, "html": "stopped early"} {
		args := []string{"resolve", "--no-corrections", "-o", form, conflict}
		require.NotContains(t, resolute(t.Context(), "", args...).out, says, form)
		args = append(args, "--max-solves=1")
		cut := resolute(t.Context(), "", args...)
		require.Equal(t, 1, cut.status)
		require.Contains(t, cut.out, says, form)
		if form != "json" { // it has times
			require.Equal(t, cut.out, resolute(t.Context(), "", args...).out)
		}
	}
}

// wayOut is a run of the program, its exit status, and what it says on standard
// error, nothing if that is empty.
type wayOut struct {
	args   []string
	status int
	says   string
}

// waysOut checks ways out. What is said is said once.
func waysOut(t *testing.T, ways map[string]wayOut) {
	t.Helper()
	for name, tc := range ways {
		t.Run(name, func(t *testing.T) {
			got := resolute(context.Background(), "", tc.args...)
			require.Equal(t, tc.status, got.status, "%s%s", got.out, got.errOut)
			if tc.says == "" {
				require.Empty(t, got.errOut)
				return
			}
			require.Contains(t, got.errOut, tc.says)
			said := 0
			for line := range strings.Lines(got.errOut) {
				if strings.Contains(line, tc.says) {
					said++
				}
			}
			require.Equal(t, 1, said, "said once: %s", got.errOut)
		})
	}
}

// untidy is a scenario over a catalog that has problems, none in its way.
func untidy(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../examples/catalogs/untidy.yaml")
	require.NoError(t, err)
	return "catalogs: [{name: c, path: " + path + "}]"
}

func TestTestThatIsStopped(t *testing.T) {
	got := resolute(context.Background(), "", "test", "--max-bundles", "1", "../../examples/scenarios/partial.yaml", install)
	require.Regexp(t, `(?m)^stop ../../examples/scenarios/install.yaml: resolution stopped: `, got.out)
	require.Regexp(t, `scenarios: 0 ok, 2 stopped\n$`, got.out)
}

func TestResolveAsText(t *testing.T) {
	require.Equal(t, `../../examples/scenarios/kubernetes-version.yaml: resolved, 3 bundles
WAVE  ACTION     BUNDLE                               CATALOG        CHANNEL  BECAUSE
0     + install  prometheusoperator.0.56.3            olm/community  beta     required by streamshub-console-operator.v0.10.3
0     + install  strimzi-cluster-operator.v0.50.1     olm/platform   stable   subscription kafka, and 1 more
1     + install  streamshub-console-operator.v0.10.3  olm/platform   stable   subscription console
strimzi-cluster-operator.v0.50.1 is selected because these cannot be installed: strimzi-cluster-operator.v0.51.0
`, resolute(context.Background(), "", "resolve", kube).out)
}

func TestResolveAnUpgradeAsText(t *testing.T) {
	out := resolute(context.Background(), "", "resolve", "../../examples/scenarios/upgrade.yaml").out
	require.Contains(t, out, "cert-manager.v1.15.0 -> cert-manager.v1.16.1")
	require.Regexp(t, `(?m)^0     ~ upgrade  rabbitmq-cluster-operator.v2.21.1 -> rabbitmq-cluster-operator.v2.22.3 .* subscription rabbitmq-cluster-operator-stable-community-olm, and 1 more$`, out)
	require.Contains(t, out, "\nPlan: 4 to upgrade, 1 unchanged.\n")
}

func TestResolveWithoutCorrections(t *testing.T) {
	require.NotContains(t, resolute(context.Background(), "", "resolve", "--no-corrections", conflict).out, "Any of these")
}

func TestResolveWarningsAndWhatIsLeftOutAsText(t *testing.T) {
	got := resolute(context.Background(), "", "resolve", "../../examples/scenarios/deprecated.json", "../../examples/scenarios/partial.yaml")
	require.Contains(t, got.out, "\nwarning: deprecated: ")
	require.Contains(t, got.out, "\n\n../../examples/scenarios/partial.yaml: resolved, 1 bundle, 1 subscription unresolved\n")
	require.Contains(t, got.out, "\nleft out: subscription gateway\n  ")
}

// keys returns the keys of a JSON object in their order.
func keys(t *testing.T, object string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(object))
	_, err := dec.Token()
	require.NoError(t, err)
	var names []string
	for dec.More() {
		name, err := dec.Token()
		require.NoError(t, err)
		names = append(names, name.(string))
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
	}
	return names
}

func TestStandardInput(t *testing.T) {
	got := resolute(context.Background(), "catalogs: [{name: c, path: ../../examples/catalogs/platform.jsonl}]\nsubscriptions: [{name: k, package: strimzi-kafka-operator}]", "resolve", "-")
	require.Zero(t, got.status, got.errOut)
	require.True(t, strings.HasPrefix(got.out, "stdin: resolved, 1 bundle\n"), got.out)

	got = resolute(context.Background(), "what: [", "resolve", "-o", "json", "-")
	require.Equal(t, 2, got.status)
	require.Contains(t, got.errOut, "resolute: stdin:1: ")
	require.Contains(t, got.out, `{"status":"invalid","error":"stdin:1: `)

	got = resolute(context.Background(), "expect: {status: resolved}", "test", "-")
	require.Zero(t, got.status)
	require.Contains(t, got.out, "ok   stdin\n")
}

func TestTestAsText(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml":           "expect: {status: resolved}",
		"b.json":           `{"expect": {"status": "unsatisfiable", "set": ["x.v1"]}}`,
		"c.yaml":           "namespace: nothing-expected",
		"d.yaml":           "namespaces: typo",
		"notes.txt":        "not a scenario",
		".hidden/e.yaml":   "not: read",
		"below/f.yaml":     "subscriptions: [{name: a, package: a}]\nexpect: {status: resolved}",
		"below/.g.yaml":    "not: read",
		"below/more/h.yml": "not: read",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	t.Chdir(dir)
	got := resolute(context.Background(), "", "test", ".")
	require.Equal(t, 2, got.status)
	require.Equal(t, `ok   a.yaml
FAIL b.json: status: want "unsatisfiable", got "resolved"; and 1 difference (-v shows them)
FAIL below/f.yaml: status: want "resolved", got "unsatisfiable"
none c.yaml: no expectation
FAIL d.yaml: not readable
     d.yaml:1: unknown key "namespaces"; the keys here are namespace, catalogs, cluster, operatorGroup, installed, subscriptions, extensions, policy, now, forbid, relax, whatif, expect; did you mean namespace?
5 scenarios: 1 ok, 2 failed, 1 without expectation, 1 not readable
`, got.out)

	got = resolute(context.Background(), "", "test", "-v", "b.json", "below/f.yaml")
	require.Equal(t, 1, got.status)
	require.Contains(t, got.out, "\n     set: want [\"x.v1\"], got nothing\n")
	require.Regexp(t, `(?s)FAIL below/f.yaml.*\n     \S`, got.out, "the argument of the conflict")
}

func TestTestAsJSON(t *testing.T) {
	ok := write(t, "ok.yaml", "expect: {status: resolved}")
	bad := write(t, "bad.yaml", "expect: {status: invalid}")
	got := resolute(context.Background(), "", "test", "-o", "json", ok, bad)
	require.Equal(t, 1, got.status)
	lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
	require.Len(t, lines, 2)
	require.JSONEq(t, `{"file":"`+ok+`","result":"ok"}`, lines[0])
	require.JSONEq(t, `{"file":"`+bad+`","result":"fail","differences":[{"path":"status","want":"\"invalid\"","got":"\"resolved\""}]}`, lines[1])
}

func TestValidateWhatIsClean(t *testing.T) {
	require.Equal(t, "no problems in 1 catalog\n", resolute(context.Background(), "", "validate", "../../examples/catalogs/community").out)
	require.Empty(t, resolute(context.Background(), "", "validate", "nowhere").out)
}

func TestValidateAsJSON(t *testing.T) {
	type problem struct {
		Severity, Code, Catalog, Package, Channel, File, Message, Quarantined string
		Line                                                                  int
	}
	var found struct{ Problems []problem }
	got := resolute(context.Background(), "", "validate", "-o", "json", "../../examples/catalogs/untidy.yaml")
	require.NoError(t, json.Unmarshal([]byte(got.out), &found))
	require.Len(t, found.Problems, 5)
	first := found.Problems[0]
	first.Message = ""
	require.Equal(t, problem{
		Severity: "error", Code: "severalHeads", Catalog: "../../examples/catalogs/untidy.yaml", Package: "jaeger", Channel: "stable",
		File: "../../examples/catalogs/untidy.yaml", Line: 6, Quarantined: "channel",
	}, first)
	require.Equal(t, "warning", found.Problems[1].Severity)

	found.Problems = nil
	got = resolute(context.Background(), "", "validate", "-o", "json", "--strict", "../../examples/catalogs/untidy.yaml")
	require.NoError(t, json.Unmarshal([]byte(got.out), &found))
	for _, p := range found.Problems {
		require.Equal(t, "error", p.Severity)
	}
	require.Equal(t, "{\"problems\":[]}\n", resolute(context.Background(), "", "validate", "-o", "json", "../../examples/catalogs/community").out)
}

// TestValidateNamesFilesOfDirectories as they can be opened from here.
func TestValidateNamesFilesOfDirectories(t *testing.T) {
	file := write(t, "broken.json", "{\"schema\":\"olm.package\",\"name\":\"a\"}\n{\"schema\":\"olm.channel\"")
	dir := filepath.Dir(file)
	got := resolute(context.Background(), "", "validate", dir)
	require.Equal(t, 1, got.status)
	require.Contains(t, got.out, file+":2: error: ")

	got = resolute(context.Background(), "", "validate", file)
	require.Contains(t, got.out, file+":2: error: ")
}

// TestValidateWhatIsNoCatalog: where nothing could be read at all, the problems
// tell why.
func TestValidateWhatIsNoCatalog(t *testing.T) {
	file := write(t, "garbage.json", "]]]\n")
	got := resolute(context.Background(), "", "validate", file)
	require.Equal(t, 2, got.status, got.errOut)
	require.Contains(t, got.out, file+":1: error: ")
	require.Contains(t, got.errOut, "no packages in "+file)
}

// TestNoPackages: a file or folder without a single package is no catalog, whatever else is in it.
func TestNoPackages(t *testing.T) {
	empty := t.TempDir()
	manifests := filepath.Dir(write(t, "deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"))
	notes := filepath.Dir(write(t, "notes.txt", "nothing\n"))
	foreign := write(t, "foreign.yaml", "schema: com.example.icon\nname: a\n")
	misspelt := write(t, "misspelt.yaml", "schema: olm.pakage\nname: a\ndefaultChannel: c\n")
	for _, path := range []string{empty, manifests, notes, foreign, misspelt} {
		for _, command := range [][]string{
			{"validate", path}, {"validate", "-o", "json", path}, {"validate", "-o", "sarif", path}, {"audit", path}, {"audit", "-o", "json", path},
			{"graph", path, "p"}, {"try", path, "p"}, {"diff", path, path}, {"validate", community, path},
		} {
			got := resolute(t.Context(), "", command...)
			require.Equal(t, 2, got.status, "%v: %s%s", command, got.out, got.errOut)
			require.Contains(t, got.errOut, "no packages in "+path, "%v", command)
		}
	}
	got := resolute(t.Context(), "", "validate", misspelt)
	require.Contains(t, got.out, misspelt+`:1: error: schemaUnknown: blob "a" has the unknown schema "olm.pakage", and is ignored; did you mean olm.package?`)
}

// TestAuditOfNoBundle: an audit of a catalog whose only bundle has a misspelt schema does not pass.
func TestAuditOfNoBundle(t *testing.T) {
	file := write(t, "misspelt.yaml", "schema: olm.package\nname: a\ndefaultChannel: c\n---\nschema: olm.channel\npackage: a\nname: c\nentries: [{name: a.v1}]\n---\nschema: olm.bundel\npackage: a\nname: a.v1\n")
	for _, form := range []string{"text", "json", "junit"} {
		got := resolute(t.Context(), "", "audit", "-o", form, "x="+file)
		require.Equal(t, exitUnusable, got.status, got.out)
		require.Contains(t, got.errOut, "no bundles in "+file+"; it has 2 problems, the first is: "+file+`:10: blob "a.v1" has the unknown schema "olm.bundel", and is ignored; did you mean olm.bundle?`)
	}
	require.Equal(t, 2, resolute(t.Context(), "", "audit", community, file).status)
}

// TestExpectedInvalid: what reading finds wrong with a scenario is an answer that test compares,
// and that resolve prints.
func TestExpectedInvalid(t *testing.T) {
	const invalid = "expect: {status: invalid}\n"
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"label key":           {"extensions: [{name: a, package: a, catalogs: {matchLabels: {'not a key!': x}}}]\n" + invalid, 0},
		"label key of list":   {"extensions: [{name: a, package: a, catalogs: {matchExpressions: [{key: 'not a key!', operator: Exists}]}}]\n" + invalid, 0},
		"partial version":     {"subscriptions: [{name: a, package: a, versionRange: '1.15'}]\n" + invalid, 0},
		"no package":          {"subscriptions: [{name: a}]\n" + invalid, 0},
		"policy":              {"policy: {goal: Fastest}\n" + invalid, 0},
		"unknown key":         {"subscripions: []\n" + invalid, 0},
		"what is expected":    {"subscriptions: [{name: a}]\nexpect: {status: invalid, error: nothing like it}\n", 1},
		"expects to resolve":  {"subscriptions: [{name: a}]\nexpect: {status: resolved}\n", 2},
		"expects a set":       {"subscriptions: [{name: a}]\nexpect: {set: []}\n", 2},
		"expectation invalid": {"subscriptions: [{name: a}]\nexpect: {status: invalid, sets: []}\n", 2},
		"no YAML":             {invalid + "a: [", 2},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, "s.yaml", c.text)
			got := resolute(t.Context(), "", "test", file)
			require.Equal(t, c.status, got.status, got.out+got.errOut)
			got = resolute(t.Context(), "", "resolve", "-o", "json", file)
			require.Equal(t, 2, got.status)
			require.Contains(t, got.out, `,"status":"invalid","error":`)
		})
	}
}

// TestSQLiteIndex: an index in the form of SQLite is known by its header.
func TestSQLiteIndex(t *testing.T) {
	index := write(t, "index.db", "SQLite format 3\x00\x10\x00\x01\x01\x00\x40\x20\x20")
	for _, command := range [][]string{
		{"validate", index}, {"audit", index}, {"graph", index, "p"}, {"try", index, "p"}, {"render", index}, {"resolve", index}, {"diff", index, community},
		{"validate", filepath.Dir(index)}, {"audit", filepath.Dir(index)},
	} {
		got := resolute(t.Context(), "", command...)
		require.Equal(t, 2, got.status, "%v: %s%s", command, got.out, got.errOut)
		require.Contains(t, got.out+got.errOut, "this is an SQLite catalog; convert it with opm migrate", "%v", command)
		require.NotContains(t, got.out+got.errOut, "YAML", "%v", command)
	}
}
