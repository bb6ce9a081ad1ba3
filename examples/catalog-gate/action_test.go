package cataloggate

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
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

func readAction(t *testing.T) (action, string) {
	t.Helper()
	data, err := os.ReadFile("action.yml")
	require.NoError(t, err)
	var a action
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(&a))
	return a, string(data)
}

// pinned matches an action pinned to a commit, with its version as a comment.
var pinned = regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v[0-9.]+$`)

// TestAction: each input is declared and used, scripts contain no input
// expressions, each variable belongs to gate.sh, and other actions are pinned.
func TestAction(t *testing.T) {
	a, text := readAction(t)
	require.Equal(t, "composite", a.Runs.Using)
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for name, in := range a.Inputs {
		require.True(t, used[name], "%s has no effect", name)
		require.NotEmpty(t, in.Description, name)
		require.Contains(t, string(readme), "\n| `"+name+"` |", "the README explains each input")
		delete(used, name)
	}
	require.Empty(t, used, "is not an input")
	require.Contains(t, a.Outputs, "reports")
	variables := regexp.MustCompile(`(?m)^#   ([A-Z_]+) `).FindAllStringSubmatch(script(t), -1)
	require.NotEmpty(t, variables)
	for _, s := range a.Runs.Steps {
		require.NotContains(t, s.Run, "${{", "an expression in a script could inject a command: pass it in the environment")
		require.NotEqual(t, s.Run == "", s.Uses == "", s.Name)
		require.Equal(t, s.Run != "", s.Shell == "sh", s.Name)
		if s.ID == "gate" {
			for name := range s.Env {
				require.Regexp(t, `(?m)^#   `+name+` `, script(t))
			}
			require.Len(t, s.Env, len(variables)-2) // on GitHub, the script sets OUT and RESULT
		}
	}
	for _, m := range regexp.MustCompile(`(?m)uses: (.*)$`).FindAllStringSubmatch(text, -1) {
		require.Regexp(t, pinned, m[1])
	}
}

// TestActionRuns runs the scripts of the action like GitHub, on a change with
// findings. The program is built from the action's repository.
func TestActionRuns(t *testing.T) {
	r := newRepository(t)
	r.commit(map[string]string{"catalog/a.jsonl": definition + good + first + second})
	r.git("checkout", "-q", "-b", "change")
	r.commit(map[string]string{"catalog/a.jsonl": definition + bad + first + second})
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	a, _ := readAction(t)
	values := map[string]string{}
	for name, in := range a.Inputs {
		values["inputs."+name] = in.Default
	}
	values["inputs.base"] = "main" // from the event
	expression := regexp.MustCompile(`\$\{\{ ([^}]*) \}\}`)
	status := map[string]int{}
	for _, s := range a.Runs.Steps {
		if s.Shell == "" || s.ID == "" {
			continue
		}
		outputs := filepath.Join(t.TempDir(), "outputs")
		env := []string{"OUT=", "RESOLUTE=", "RUNNER_TEMP=" + r.out, "GITHUB_ACTION_PATH=" + here, "GITHUB_ACTIONS=true", "GITHUB_OUTPUT=" + outputs}
		for name, value := range s.Env {
			env = append(env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string {
				value, ok := values[expression.FindStringSubmatch(e)[1]]
				require.True(t, ok, e)
				return value
			}))
		}
		text, code := r.gate("set -e\n"+s.Run, env...)
		status[s.ID] = code
		said, err := os.ReadFile(outputs)
		require.NoError(t, err, text)
		for line := range strings.Lines(string(said)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			values["steps."+s.ID+".outputs."+name] = value
		}
	}
	require.Equal(t, map[string]int{"build": 0, "gate": 1}, status)
	reports := values["steps.gate.outputs.reports"]
	require.Equal(t, r.out, filepath.Dir(reports))
	checkReports(t, reports)
}
