package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// state writes a universe of package a into a folder.
func state(t *testing.T, dir, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), dir)
	require.NoError(t, os.MkdirAll(path, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(path, "a.jsonl"), []byte(universe.JSON(t, lines)), 0o644))
	return path
}

const (
	linked = "a/stable a.v1 a.v2"
	broken = "a/stable a.v1\na/stable a.v2"
	barren = "a/stable a.v2 range=<0.1.0\nbundle a.v1"
)

func run1(t *testing.T, args ...string) result {
	t.Helper()
	return resolute(context.Background(), "", args...)
}

func TestDiff(t *testing.T) {
	old, now := state(t, "old", linked), state(t, "new", broken)
	got := run1(t, "diff", old, now)
	require.Equal(t, 1, got.status, got.errOut)
	require.Contains(t, got.out, "worse:\n  "+now+"/a.jsonl:2: error: newProblem severalHeads: a: channel \"stable\"")
	require.Contains(t, got.out, "1 regression: 1 error, 0 warnings. 1 package changed; 1 package was audited.\n")

	got = run1(t, "diff", now, old)
	require.Equal(t, 0, got.status, got.errOut)
	require.Contains(t, got.out, "better:\n")
	require.Contains(t, got.out, "No regressions. 1 improvement.")

	got = run1(t, "diff", old, old)
	require.Equal(t, 0, got.status)
	require.Equal(t, "No regressions. No package changed.\n", got.out)

	got = run1(t, "diff", "-v", old, now)
	require.Contains(t, got.out, "changes:\n  a stable: head: was a.v2\n  a stable a.v2: entryChanged: was replaces a.v1\n")
}

// TestDiffJSON: the keys of scenario.md.
func TestDiffJSON(t *testing.T) {
	old, now := state(t, "old", linked), state(t, "new", barren)
	got := run1(t, "diff", "-o", "json", old, now)
	require.Equal(t, 1, got.status, got.errOut)
	var out struct{ Worse []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(got.out), &out))
	require.NotContains(t, got.out, `"better"`)
	require.Len(t, out.Worse, 2) // a.v1 has no upgrade, and no channel offers it
	require.Equal(t, []any{filepath.Join(now, "a.jsonl"), 2.0}, []any{out.Worse[0]["file"], out.Worse[0]["line"]})
}

// TestDiffForms writes every form, and all of them at once.
func TestDiffForms(t *testing.T) {
	old, now, dir := state(t, "old", linked), state(t, "new", broken), t.TempDir()
	args := []string{"diff"}
	for _, form := range diffFormats() {
		args = append(args, "--report", form+"="+filepath.Join(dir, form))
	}
	got := run1(t, append(args, old, now)...)
	require.Equal(t, 1, got.status, got.errOut)
	for _, form := range diffFormats() {
		alone := run1(t, "diff", "-o", form, old, now)
		require.Equal(t, 1, alone.status, form)
		data, err := os.ReadFile(filepath.Join(dir, form))
		require.NoError(t, err)
		if form != "text" { // which is as with -v there
			seconds := regexp.MustCompile(`"seconds":[^,}]*`)
			require.Equal(t, seconds.ReplaceAllString(alone.out, ""), seconds.ReplaceAllString(string(data), ""), form)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "html"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(page), "<svg "), "the graph before and after")
	require.Contains(t, string(page), "severalHeads")
}

func TestDiffSeverityAndBaseline(t *testing.T) {
	old := state(t, "old", linked)
	now := state(t, "new", "a/stable a.v1 replaces=a.v0\na/stable a.v2 replaces=a.v1") // the chain leaves: a warning
	require.Equal(t, 1, run1(t, "diff", old, now).status)
	require.Equal(t, 0, run1(t, "diff", "--worse-than", "error", old, now).status)
	require.Equal(t, 2, run1(t, "diff", "--worse-than", "grave", old, now).status)

	file := filepath.Join(t.TempDir(), "known.json")
	require.Equal(t, 1, run1(t, "diff", "--write-baseline", file, old, now).status)
	got := run1(t, "diff", "--baseline", file, old, now)
	require.Equal(t, 0, got.status, got.errOut)
	require.Contains(t, got.out, "No regressions. 1 improvement. 1 finding is known in the baseline.")
	require.NotContains(t, run1(t, "diff", "-o", "json", "--baseline", file, old, now).out, `"worse"`)
	worse := state(t, "new", broken)
	got = run1(t, "diff", "--baseline", file, old, worse)
	require.Equal(t, 1, got.status)
	require.Contains(t, got.errOut, "1 known finding no longer found; write the baseline again")
	require.Equal(t, 2, run1(t, "diff", "--baseline", filepath.Join(old, "a.jsonl"), old, now).status)
	require.Equal(t, 2, run1(t, "diff", "--baseline", "nowhere", old, now).status)
}

func TestDiffUsage(t *testing.T) {
	old := state(t, "old", linked)
	for _, args := range [][]string{{old}, {old, old, old}, {}, {"--add", "x", old, old}, {"--add", "nowhere", old}, {"--report", "x", old, old},
		{"--report", "pdf=x", old, old}, {old, "nowhere"}, {"--add", "../../cache/fbc/bundledir/testdata/etcd@", old}} {
		got := run1(t, append([]string{"diff"}, args...)...)
		require.Equal(t, 2, got.status, "%v: %s", args, got.errOut)
		require.NotEmpty(t, got.errOut)
	}
	require.Equal(t, 3, run1(t, "diff", "--timeout", "1ns", old, old).status)
}

// TestDiffAdd adds the bundle directory of package etcd: where its annotations say, and
// where the command line does.
func TestDiffAdd(t *testing.T) {
	const dir = "../../cache/fbc/bundledir/testdata/etcd"
	got := run1(t, "diff", "--add", dir, "../../examples/catalogs/community")
	require.Equal(t, 1, got.status, got.errOut)
	// Its replaces names nothing there, so that both channels of its annotations come to
	// have two heads.
	require.Equal(t, 2, strings.Count(got.out, "newProblem severalHeads: etcd"), got.out)
	require.Contains(t, got.out, "../../examples/catalogs/community/etcd/catalog.yaml:")

	got = run1(t, "diff", "-v", "--add", dir+"@alpha,beta", "../../examples/catalogs/community")
	require.Equal(t, 1, got.status, got.errOut)
	require.Contains(t, got.out, "etcd.clusterserviceversion.yaml: warning: notInstallable: etcd: etcd.v0.9.4 is new but cannot be installed: ")
	require.Contains(t, got.out, "  etcd alpha: channelAdded: 1 entry\n  etcd beta: channelAdded: 1 entry\n  etcd etcd.v0.9.4: bundleAdded: 0.9.4\n")
}

// TestReports: audit, validate and test have the forms of CI systems as well.
func TestReports(t *testing.T) {
	now := state(t, "new", broken)
	file := filepath.Join(now, "a.jsonl")
	got := run1(t, "validate", "-o", "github", now)
	require.Equal(t, 1, got.status)
	require.True(t, strings.HasPrefix(got.out, "::error file="+file+",line=2,title=severalHeads "), got.out)
	got = run1(t, "validate", "-o", "markdown", now)
	require.Contains(t, got.out, "### resolute validate")

	known := filepath.Join(t.TempDir(), "known.json")
	require.Equal(t, 1, run1(t, "validate", "--write-baseline", known, now).status)
	got = run1(t, "validate", "--baseline", known, now)
	require.Equal(t, 0, got.status, got.out+got.errOut)

	got = run1(t, "audit", "-o", "junit", now)
	require.Equal(t, 1, got.status)
	require.Contains(t, got.out, `tests="2" failures="2"`)
	require.Contains(t, got.out, file+":3: a.v1 cannot be installed on an empty cluster: ")
	got = run1(t, "audit", "-o", "sarif", now)
	require.Contains(t, got.out, `"startLine": 4`)

	scenario := filepath.Join(t.TempDir(), "s.yaml")
	text := "catalogs: [{name: c, path: " + now + "}]\nsubscriptions: [{name: a, package: a}]\nexpect: {status: resolved}\n"
	require.NoError(t, os.WriteFile(scenario, []byte(text), 0o644))
	got = run1(t, "test", "-o", "junit", scenario)
	require.Equal(t, 1, got.status)
	require.Contains(t, got.out, `tests="1" failures="1"`)
	require.Contains(t, got.out, "status")
}

// TestDiffEntryLines: in a blob of several lines, the line is that of the entry.
func TestDiffEntryLines(t *testing.T) {
	const before = `---
schema: olm.package
name: a
defaultChannel: stable
---
schema: olm.channel
package: a
name: stable
entries:
- name: a.v3
  replaces: a.v2
- name: a.v2
  replaces: a.v1
- name: a.v1
`
	bundles := ""
	for _, v := range []string{"1", "2", "3"} {
		bundles += "---\n{schema: olm.bundle, package: a, name: a.v" + v + ", image: i, properties: [{type: olm.package, value: {packageName: a, version: " + v + ".0.0}}]}\n"
	}
	old := write(t, "a.yaml", before+bundles)
	now := write(t, "a.yaml", strings.Replace(before, "  replaces: a.v2\n", "  replaces: a.v1\n", 1)+bundles)
	// a.v2 is neither replaced nor skipped: two heads, which is a problem of the channel.
	got := run1(t, "diff", old, now)
	require.Contains(t, got.out, now+":6: error: newProblem severalHeads", got.errOut)

	now = write(t, "a.yaml", strings.Replace(before, "  replaces: a.v2\n", "  replaces: a.v1\n  skips: [a.vX]\n", 1)+
		strings.Replace(bundles, "a.v2,", "a.vX,", 1))
	got = run1(t, "diff", old, now)
	require.Equal(t, 1, got.status, got.errOut)

	// The head claims by its skipRange nothing, and an older version is stranded.
	entries := `{"schema":"olm.channel","package":"a","name":"stable","entries":[
  {"name":"a.v3","replaces":"a.v1","skips":["a.v2x"]},
  {"name":"a.v2x","replaces":"a.v2"},
  {"name":"a.v2"},
  {"name":"a.v1"}
]}
`
	definition := `{"schema":"olm.package","name":"a","defaultChannel":"stable"}` + "\n"
	json := func(entries string) string {
		text := definition + entries
		for _, v := range []string{"1", "2", "3"} {
			text += `{"schema":"olm.bundle","package":"a","name":"a.v` + v + `","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"` + v + `.0.0"}}]}` + "\n"
		}
		return write(t, "a.json", text)
	}
	old = json(strings.Replace(entries, `"skips":["a.v2x"]`, `"skips":["a.v2","a.v2x"]`, 1))
	now = json(entries)
	got = run1(t, "diff", old, now)
	require.Equal(t, 1, got.status, got.errOut)
	require.Contains(t, got.out, now+":5: error: edgeLost: a: clusters on a.v2 (channel stable) cannot upgrade", got.out)
}

// TestDiffInMarkdownByCause: losses with the same cause share a row.
func TestDiffInMarkdownByCause(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{"old.jsonl": "a/stable a.v1 a.v2 a.v3 a.v4", "new.jsonl": "a/stable a.v3 a.v4"} {
		require.NoError(t, os.WriteFile(file, []byte(universe.JSON(t, text)), 0o600))
	}
	got := run1(t, "diff", "-o", "markdown", "old.jsonl", "new.jsonl")
	require.Equal(t, exitNo, got.status, got.errOut)
	require.Contains(t, got.out, "| `bundleRemoved`<br>a stable: a.v1 and a.v2 | new.jsonl:2 | removed from the catalog and can no longer be installed; clusters on these versions (channel stable) cannot upgrade |")
	require.Contains(t, got.out, "| `edgeLost`<br>a stable: a.v1 and a.v2 | new.jsonl:2 | clusters on these versions (channel stable) cannot upgrade: no entry replaces or skips them any more |")
	require.Contains(t, got.out, "4 regressions", "they are counted apart")
}
