// Package keepingit tests the action, the hooks and the script of this folder.
package keepingit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// action has the fields of a GitHub action that this one uses.
type action struct {
	Name, Description, Author string
	Branding                  struct{ Icon, Color string }
	Inputs                    map[string]struct{ Description, Default string }
	Outputs                   map[string]struct{ Description, Value string }
	Runs                      struct {
		Using string
		Steps []struct {
			Name, ID, If, Uses, Shell, Run string
			Env, With                      map[string]string
		}
	}
}

func decode(t *testing.T, file string, into any) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(into))
	return string(data)
}

func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

// pinned matches an action pinned to a commit, with its version as a comment.
var pinned = regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v[0-9.]+$`)

// TestAction: each input is declared, explained and used, scripts contain no expressions, each
// variable is one of lock.sh, and other actions are pinned.
func TestAction(t *testing.T) {
	var a action
	source := decode(t, "action.yml", &a)
	require.Equal(t, "composite", a.Runs.Using)
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(source, -1) {
		used[m[1]] = true
	}
	readme, script := text(t, "README.md"), text(t, "lock.sh")
	for name, in := range a.Inputs {
		require.True(t, used[name], "%s has no effect", name)
		require.NotEmpty(t, in.Description, name)
		require.Contains(t, readme, "\n| `"+name+"` |", "the README explains each input")
		delete(used, name)
	}
	require.Empty(t, used, "is not an input")
	for name := range a.Outputs {
		require.Contains(t, readme, "`"+name+"`")
		require.Contains(t, script, name+"=%s")
	}
	for _, s := range a.Runs.Steps {
		require.NotContains(t, s.Run, "${{", "an expression in a script could inject a command: pass it in the environment")
		if s.ID == "lock" {
			for name := range s.Env {
				require.Regexp(t, `(?m)^#   `+name+` `, script)
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)uses: (.*)$`).FindAllStringSubmatch(source, -1) {
		require.Regexp(t, pinned, m[1])
	}
}

// TestWorkflow: the workflow is YAML, uses this action with inputs that it has, and other actions
// are pinned.
func TestWorkflow(t *testing.T) {
	var a action
	decode(t, "action.yml", &a)
	var w struct {
		Name        string
		On          map[string]any
		Permissions map[string]string
		Concurrency map[string]string
		Jobs        map[string]struct {
			If          string
			RunsOn      string `yaml:"runs-on"`
			Timeout     int    `yaml:"timeout-minutes"`
			Permissions map[string]string
			Steps       []struct {
				Name, ID, If, Uses, Run string
				With, Env               map[string]string
			}
		}
	}
	decode(t, "workflow.yaml", &w)
	ours := 0
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			require.NotContains(t, s.Run, "${{")
			if strings.HasPrefix(s.Uses, "seed109e2655/resolute/examples/keep-in-git@v") {
				ours++
				for name := range s.With {
					require.Contains(t, a.Inputs, name)
				}
			}
		}
	}
	require.Equal(t, 2, ours)
	require.Equal(t, map[string]string{"contents": "read"}, w.Permissions)
}

// testHooks: the README names the hooks, and their commands are those of the program.
func testHooks(t *testing.T, program string) {
	var hooks []struct {
		ID, Name, Description, Entry, Language, Files string
		Args                                          []string
		PassFilenames                                 bool `yaml:"pass_filenames"`
	}
	decode(t, "../../.pre-commit-hooks.yaml", &hooks)
	dir := folder(t, program)
	for _, h := range hooks {
		require.Contains(t, text(t, "README.md"), h.ID)
		require.Equal(t, "golang", h.Language)
		require.Regexp(t, regexp.MustCompile(h.Files), "deploy/resolute.lock")
		require.False(t, h.PassFilenames)
		words := append(strings.Fields(h.Entry), h.Args...)
		require.Equal(t, "resolute", words[0])
		cmd := exec.Command(program, words[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.Len(t, hooks, 2)
}

// TestProgram runs the hooks and the script with the program, built once.
func TestProgram(t *testing.T) {
	program := built(t)
	t.Run("hooks", func(t *testing.T) { testHooks(t, program) })
	t.Run("script", func(t *testing.T) { testScript(t, program) })
}

// built builds the program, as the action does.
func built(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "resolute")
	out, err := exec.Command("go", "build", "-C", "../..", "-buildvcs=false", "-o", program, "./cmd/resolute").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

const shop = "db/stable db.v1 db.v2\nweb/stable web.v1 needs=db@>=1.0.0"

// folder makes a repository with a scenario, its catalog and a lock.
func folder(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "catalog.jsonl", universe.JSON(t, shop))
	put(t, dir, "newer.jsonl", universe.JSON(t, strings.Replace(shop, "db.v2", "db.v2 db.v3", 1)))
	put(t, dir, "operators.yaml", "catalogs: [{name: c, path: catalog.jsonl}]\nsubscriptions: [{name: web, package: web}]\n")
	cmd := exec.Command(program, "lock", "operators.yaml", "--into", "resolute.lock")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}

// testScript runs lock.sh: what it prints, its outputs, and its exit status.
func testScript(t *testing.T, program string) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	dir := folder(t, program)
	script, err := filepath.Abs("lock.sh")
	require.NoError(t, err)
	run := func(env ...string) (said, outputs, summary string, status int) {
		out := t.TempDir()
		cmd := exec.Command("sh", script)
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "RESOLUTE="+program, "OUT="+out, "GITHUB_OUTPUT="+filepath.Join(out, "outputs"), "GITHUB_STEP_SUMMARY="+filepath.Join(out, "steps")), env...)
		printed, err := cmd.CombinedOutput()
		if err != nil {
			require.IsType(t, &exec.ExitError{}, err, "%s", printed)
			status = cmd.ProcessState.ExitCode()
		}
		outputs = text(t, filepath.Join(out, "outputs"))
		_, file, _ := strings.Cut(strings.TrimSpace(outputs), "summary=")
		summary = text(t, file)
		require.Equal(t, summary, text(t, filepath.Join(out, "steps")))
		return string(printed), outputs, summary, status
	}
	said, outputs, summary, status := run()
	require.Equal(t, 0, status, said)
	require.Equal(t, "resolute.lock: valid and the best answer, 2 bundles\n", said)
	require.Contains(t, outputs, "changed=false\n")
	require.Equal(t, "### The lock of the operators\n\n    "+said, summary)

	said, _, _, status = run("CATALOGS=c=newer.jsonl\n")
	require.Equal(t, 1, status)
	require.Contains(t, said, "db.v3 of catalog default/c would be selected instead of db.v2")

	_, outputs, _, status = run("UPDATE=true", "SCENARIO=operators.yaml")
	require.Equal(t, 0, status)
	require.Contains(t, outputs, "changed=false\n")

	put(t, dir, "catalog.jsonl", text(t, filepath.Join(dir, "newer.jsonl")))
	_, _, _, status = run("SCENARIO=operators.yaml")
	require.Equal(t, 1, status)
	said, outputs, summary, status = run("UPDATE=true")
	require.Equal(t, 0, status, said)
	require.Contains(t, outputs, "changed=true\n")
	require.Contains(t, summary, "\n    upgrade  db       db.v2   db.v3")
	_, _, _, status = run()
	require.Equal(t, 0, status)

	_, _, _, status = run("LOCK=nowhere.lock")
	require.Equal(t, 2, status)
}
