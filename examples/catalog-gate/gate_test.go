// Package cataloggate tests the gate in this folder. It exports nothing.
package cataloggate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// folder contains the command line, or is empty until it is built.
var folder string

// built builds the command line once.
var built = sync.OnceValue(func() (err error) {
	if folder, err = os.MkdirTemp("", "catalog-gate"); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-o", folder, "./cmd/resolute")
	cmd.Dir = filepath.Join("..", "..")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the command line: %w\n%s", err, text)
	}
	return nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// program returns the path of the command line.
func program(t *testing.T) string {
	t.Helper()
	require.NoError(t, built())
	return filepath.Join(folder, "resolute")
}

const (
	definition = `{"schema":"olm.package","name":"a","defaultChannel":"stable"}` + "\n"
	first      = `{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}` + "\n"
	second     = `{"schema":"olm.bundle","package":"a","name":"a.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}]}` + "\n"
	good       = `{"schema":"olm.channel","package":"a","name":"stable","entries":[{"name":"a.v2","replaces":"a.v1"},{"name":"a.v1"}]}` + "\n"
	bad        = `{"schema":"olm.channel","package":"a","name":"stable","entries":[{"name":"a.v2"},{"name":"a.v1"}]}` + "\n"
)

// repository is a git repository with a catalog on main and a changed one.
type repository struct {
	t       *testing.T
	dir     string
	program string
	out     string // parent of the report folders
}

func newRepository(t *testing.T) *repository {
	for _, name := range []string{"git", "tar", "sh"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	r := &repository{t: t, dir: t.TempDir(), program: program(t), out: t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	text, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "git %v: %s", args, text)
}

// commit writes files and commits them.
func (r *repository) commit(files map[string]string) {
	r.t.Helper()
	for name, content := range files {
		path := filepath.Join(r.dir, name)
		require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(r.t, os.WriteFile(path, []byte(content), 0o644))
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "change")
}

// gate runs a script like the gate and returns its output and exit status.
func (r *repository) gate(script string, env ...string) (string, int) {
	r.t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = r.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GITHUB_") }),
		append([]string{"BASE=main", "RESOLUTE=" + r.program, "OUT=" + r.out}, env...)...)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// reports returns the report folder named in the output.
func (r *repository) reports(text string) string {
	r.t.Helper()
	_, after, found := strings.Cut(text, "the reports are in ")
	require.True(r.t, found, text)
	dir, _, _ := strings.Cut(after, "\n")
	require.Equal(r.t, r.out, filepath.Dir(dir))
	return dir
}

func script(t *testing.T) string {
	text, err := os.ReadFile("gate.sh")
	require.NoError(t, err)
	return string(text)
}

// TestGate runs the steps on a repository: a good change, a bad one, one with
// known findings, a new catalog, and incomparable revisions.
func TestGate(t *testing.T) {
	r, sh := newRepository(t), script(t)
	r.commit(map[string]string{"catalog/a.jsonl": definition + good + first + second})
	r.git("checkout", "-q", "-b", "change")
	text, status := r.gate(sh)
	require.Equal(t, 0, status, text)
	require.Contains(t, text, "No regressions. No package changed.")

	r.commit(map[string]string{"catalog/a.jsonl": definition + bad + first + second})
	r.git("checkout", "-q", "main")
	r.commit(map[string]string{"catalog/b.jsonl": strings.ReplaceAll(definition, `"a"`, `"b"`)}) // merged later: not part of this change
	r.git("checkout", "-q", "change")
	text, status = r.gate(sh)
	require.Equal(t, 1, status, text)
	require.Contains(t, text, "catalog/a.jsonl:2: error: newProblem severalHeads: a: ")
	require.NotContains(t, text, "package b")
	reports := r.reports(text)
	for _, name := range []string{"comment.md", "report.html", "report.sarif", "report.xml", "report.json"} {
		require.FileExists(t, filepath.Join(reports, name))
	}
	var report struct {
		Worse []struct {
			Code, File string
			Line       int
		}
	}
	data, err := os.ReadFile(filepath.Join(reports, "report.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &report))
	require.Len(t, report.Worse, 1)
	require.Equal(t, "catalog/a.jsonl", report.Worse[0].File)
	checkReports(t, reports)

	summary, output, result := filepath.Join(t.TempDir(), "summary.md"), filepath.Join(t.TempDir(), "output"), filepath.Join(t.TempDir(), "result")
	text, status = r.gate(sh, "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY="+summary, "GITHUB_OUTPUT="+output, "RESULT="+result)
	require.Equal(t, 1, status, text)
	for file, want := range map[string]string{output: "reports=" + r.reports(text) + "\n", result: r.reports(text)} {
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	require.Contains(t, text, "::error file=catalog/a.jsonl,line=2,title=newProblem a stable severalHeads::")
	comment, err := os.ReadFile(summary)
	require.NoError(t, err)
	require.Contains(t, string(comment), "<!-- resolute diff -->")

	text, status = r.gate(sh + "\n") // the finding is known from now on
	require.Equal(t, 1, status, text)
	_, status = r.gate(`git archive main -- catalog | tar -x -C "$(mkdir -p old && echo old)" && "$RESOLUTE" diff --write-baseline catalog-baseline.json old/catalog catalog`)
	require.Equal(t, 1, status)
	text, status = r.gate(sh)
	require.Equal(t, 0, status, text)

	text, status = r.gate(sh, "CATALOG=old/catalog")
	require.Equal(t, 1, status, text) // package b has no channel
	require.Contains(t, text, "it is new and only validated")
}

// TestGateWithoutAnswer: every failure of the gate itself has exit status 2,
// as documented, and names what to correct.
func TestGateWithoutAnswer(t *testing.T) {
	r, sh := newRepository(t), script(t)
	r.commit(map[string]string{"catalog/a.jsonl": definition + good + first + second})
	r.git("checkout", "-q", "--orphan", "other")
	r.git("commit", "-q", "--allow-empty", "-m", "nothing in common")
	r.git("checkout", "-q", "main")
	for name, c := range map[string]struct{ before, env, want string }{
		"unknown":       {"", "BASE=nowhere", "BASE=nowhere is not a revision of this clone"},
		"no revision":   {"", "BASE=--all", "BASE=--all is not a revision of this clone"},
		"a file":        {"", "BASE=main:catalog", "BASE=main:catalog is not a revision of this clone"},
		"unrelated":     {"", "BASE=other", "BASE=other and HEAD have no common history"},
		"not set":       {"unset BASE\n", "A=B", "BASE is not set"},
		"empty":         {"", "BASE=", "BASE is not set"},
		"no repository": {"", "GIT_DIR=/nowhere", "not a git repository"},
		"no program":    {"", "RESOLUTE=/nowhere/resolute", "/nowhere/resolute"},
		"no such OUT":   {"", "OUT=/nowhere", "/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			text, status := r.gate(c.before+sh, c.env)
			require.Equal(t, 2, status, text)
			require.Contains(t, text, c.want)
		})
	}
	text, status := r.gate(sh, "BASE=HEAD", "CATALOG=nowhere")
	require.Equal(t, 2, status, text) // from resolute validate
}

// TestGateShowsNamesInert: names in the gate's own output, which GitHub's
// runner parses, are not commands, at the beginning of a line or inside.
func TestGateShowsNamesInert(t *testing.T) {
	r, sh := newRepository(t), script(t)
	r.commit(map[string]string{"catalog/a.jsonl": definition + good + first + second})
	const command = "x\n::set-output name=a::b ##[error]c"
	require.NoError(t, os.Symlink(r.out, filepath.Join(r.dir, command)))
	for name, env := range map[string][]string{
		"base":    {"BASE=" + command},
		"new":     {"BASE=HEAD", "CATALOG=new" + command, "RESOLUTE=true"},
		"link":    {"CATALOG=" + command},
		"outside": {"OUT=" + filepath.Join(r.dir, command)},
	} {
		text, _ := r.gate(sh, append(env, "GITHUB_ACTIONS=true")...)
		require.Contains(t, text, `#\x23[error]c`, name)
		require.NotContains(t, text, "##[", name)
		require.NotContains(t, text, "\n::", name)
	}
}

// TestGateReadsThroughNoLink: a change replaces the catalog, a parent folder,
// or the baseline by a link.
func TestGateReadsThroughNoLink(t *testing.T) {
	r, sh := newRepository(t), script(t)
	r.commit(map[string]string{"in/catalog/a.jsonl": definition + good + first + second})
	r.git("checkout", "-q", "-b", "change")
	outside := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(outside, "catalog"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "catalog", "a.json"), []byte(`{"schema":"olm.package","name":"a secret"}`), 0o600))
	text, status := r.gate(sh, "CATALOG=in/catalog")
	require.Equal(t, 0, status, text)
	require.NoError(t, os.Symlink(filepath.Join(outside, "catalog", "a.json"), filepath.Join(r.dir, "known.json")))
	require.NoError(t, os.Rename(filepath.Join(r.dir, "in"), filepath.Join(r.dir, "before")))
	for name, env := range map[string][]string{
		"in":         {"CATALOG=in/catalog"},
		"known.json": {"CATALOG=before/catalog", "BASELINE=known.json"},
	} {
		if name == "in" {
			require.NoError(t, os.Symlink(outside, filepath.Join(r.dir, "in")))
		}
		text, status := r.gate(sh, env...)
		require.Equal(t, 2, status, text)
		require.Contains(t, text, "through the link "+name)
		require.NotContains(t, text, "a secret")
	}
}

// TestGateWritesNothingIntoTheChange: a change contains links, and fake
// reports, at paths where reports could be written.
func TestGateWritesNothingIntoTheChange(t *testing.T) {
	r, sh := newRepository(t), script(t)
	r.commit(map[string]string{"catalog/a.jsonl": definition + good + first + second})
	r.git("checkout", "-q", "-b", "change")
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("a secret"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(r.dir, "catalog-gate"), 0o755))
	for _, name := range []string{"comment.md", "report.html", "report.sarif", "report.xml"} {
		require.NoError(t, os.Symlink(secret, filepath.Join(r.dir, "catalog-gate", name)))
	}
	require.NoError(t, os.Symlink(filepath.Dir(secret), filepath.Join(r.dir, "out")))
	r.commit(map[string]string{"catalog/a.jsonl": definition + bad + first + second, "catalog-gate/report.json": "ours"})
	for name, env := range map[string][]string{
		"as it is run":         nil,
		"without OUT":          {"OUT=", "TMPDIR=" + r.out},
		"on GitHub":            {"OUT=", "RUNNER_TEMP=" + r.out, "GITHUB_ACTIONS=true"},
		"in the checkout":      {"OUT=catalog-gate"},
		"the checkout":         {"OUT=."},
		"a link in it":         {"OUT=out"},
		"a link with its path": {"OUT=" + filepath.Join(r.dir, "out")},
		"not there":            {"OUT=nowhere"},
	} {
		summary := filepath.Join(t.TempDir(), "summary.md")
		text, status := r.gate(sh, append(env, "GITHUB_STEP_SUMMARY="+summary)...)
		for _, file := range []string{secret, filepath.Join(r.dir, "catalog-gate", "report.json")} {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Contains(t, []string{"a secret", "ours"}, string(content), name)
		}
		shown, _ := os.ReadFile(summary)
		require.NotContains(t, string(shown), "a secret")
		switch name {
		case "in the checkout", "the checkout", "a link in it", "a link with its path":
			require.Equal(t, 2, status, text)
			require.Contains(t, text, "a directory outside of it")
		case "not there":
			require.Equal(t, 2, status, text)
		default:
			require.Equal(t, 1, status, text)
			require.NotContains(t, r.reports(text), r.dir)
			require.Contains(t, string(shown), "<!-- resolute diff -->")
		}
	}
}
