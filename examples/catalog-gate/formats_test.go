package cataloggate

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/joshdk/go-junit"
	"github.com/rhysd/actionlint"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// sarif returns the published schema.
func sarif(t *testing.T) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open("testdata/sarif-2.1.0-rtm.5.json.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(z)
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("sarif.json", doc))
	schema, err := c.Compile("sarif.json")
	require.NoError(t, err)
	return schema
}

// requireSARIF validates a log against the schema and returns the number of
// results.
func requireSARIF(t *testing.T, data []byte) int {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	require.NoError(t, sarif(t).Validate(doc))
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				PartialFingerprints map[string]string
			}
		}
	}
	require.NoError(t, json.Unmarshal(data, &log))
	require.Len(t, log.Runs, 1)
	prints := make(map[string]bool)
	for _, r := range log.Runs[0].Results {
		// GitHub's requirements beyond the schema.
		require.Equal(t, r.RuleID, log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID)
		require.NotEmpty(t, r.Locations)
		require.NotEmpty(t, r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
		require.Positive(t, r.Locations[0].PhysicalLocation.Region.StartLine)
		for _, p := range r.PartialFingerprints {
			require.False(t, prints[p], "two results share a fingerprint")
			prints[p] = true
		}
	}
	return len(log.Runs[0].Results)
}

// checkReports parses the reports of a gate with real parsers.
func checkReports(t *testing.T, dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "report.sarif"))
	require.NoError(t, err)
	require.Equal(t, 1, requireSARIF(t, data))
	suites, err := junit.IngestFile(filepath.Join(dir, "report.xml"))
	require.NoError(t, err)
	require.Len(t, suites, 1)
	require.Equal(t, 1, suites[0].Totals.Tests)
	require.Equal(t, 1, suites[0].Totals.Failed)
	require.Equal(t, "newProblem", suites[0].Tests[0].Classname)
	require.Contains(t, suites[0].Tests[0].Error.Error(), "2 heads")
}

// TestFormats writes the reports of every command that supports them, and
// parses them with real parsers.
func TestFormats(t *testing.T) {
	bin := program(t)
	run := func(args ...string) []byte {
		t.Helper()
		var errs bytes.Buffer
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Stderr = filepath.Join("..", "..", "cmd", "resolute"), &errs
		out, err := cmd.Output()
		if err != nil {
			require.Equal(t, 1, cmd.ProcessState.ExitCode(), "%v: %s", args, errs.String())
		}
		return out
	}
	scenarios, untidy, community := "../../examples/scenarios", "../../examples/catalogs/untidy.yaml", "../../examples/catalogs/community"
	for name, args := range map[string][]string{
		"diff":     {"diff", untidy, community},
		"diffBack": {"diff", community, untidy},
		"same":     {"diff", community, community},
		"audit":    {"audit", community},
		"validate": {"validate", untidy},
		"clean":    {"validate", "../../examples/catalogs/platform.jsonl"},
		"test":     {"test", scenarios},
		"ready":    {"ready", "../../examples/scenarios/upgrade.yaml", "--next", "olm/community=" + community, "--openshift", "4.19"},
	} {
		t.Run(name, func(t *testing.T) {
			with := func(form string) []byte { return run(append([]string{args[0], "-o", form}, args[1:]...)...) }
			results := requireSARIF(t, with("sarif"))
			suites, err := junit.Ingest(with("junit"))
			require.NoError(t, err)
			require.Len(t, suites, 1)
			totals := suites[0].Totals
			require.Positive(t, totals.Tests)
			t.Logf("%d results, %+v", results, totals)
			switch name {
			case "same", "clean":
				require.Zero(t, results)
				require.Equal(t, 1, totals.Passed)
			case "diff", "diffBack", "validate":
				require.Positive(t, results)
				require.Equal(t, results, totals.Failed)
			}
			require.Contains(t, string(with("markdown")), "### resolute "+args[0])
		})
	}
}

// workflows returns the workflows of this repository and the template.
func workflows(t *testing.T) []string {
	ours, err := filepath.Glob("../../.github/workflows/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, ours)
	return append(ours, "workflow.yaml")
}

// TestWorkflows lints the workflows like GitHub, and checks what actionlint
// does not: permissions are explicit, other actions are pinned, and the inputs
// of the gate exist.
func TestWorkflows(t *testing.T) {
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	require.NoError(t, err)
	gate, _ := readAction(t)
	for _, name := range workflows(t) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		problems, err := linter.Lint(name, data, nil)
		require.NoError(t, err)
		require.Empty(t, problems)
		// The linter reports an invalid workflow.
		problems, err = linter.Lint(name, bytes.ReplaceAll(data, []byte("runs-on"), []byte("run-on")), nil)
		require.NoError(t, err)
		require.NotEmpty(t, problems)

		var w struct {
			Permissions *map[string]string
			Jobs        map[string]struct {
				Steps []struct {
					Uses yaml.Node
					With map[string]string
				}
			}
		}
		require.NoError(t, yaml.Unmarshal(data, &w))
		require.NotNil(t, w.Permissions, name) // as a list of individual permissions
		for of, may := range *w.Permissions {
			require.Equal(t, "read", may, "%s: %s: a job that writes declares it itself", name, of)
		}
		for _, job := range w.Jobs {
			for _, s := range job.Steps {
				switch uses := s.Uses.Value; {
				case strings.HasPrefix(uses, "seed109e2655/resolute/examples/catalog-gate@"):
					for input := range s.With {
						require.Contains(t, gate.Inputs, input)
					}
				case uses != "":
					require.Regexp(t, pinned, uses+" "+s.Uses.LineComment, name)
				}
			}
		}
	}
}

// task has the fields of a Tekton Task that this one uses.
type task struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct {
		Name                string
		Labels, Annotations map[string]string
	}
	Spec struct {
		Description string
		Params      []struct{ Name, Type, Default, Description string }
		Workspaces  []struct{ Name, Description string }
		Results     []struct{ Name, Description string }
		Volumes     []struct {
			Name     string
			EmptyDir map[string]string `yaml:"emptyDir"`
		}
		Steps []step
	}
}

type step struct {
	Name, Image, Script string
	WorkingDir          string                         `yaml:"workingDir"`
	Env                 []struct{ Name, Value string } `yaml:"env"`
	VolumeMounts        []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// TestTask: the Task has valid Tekton fields, each parameter is declared, and
// its script is gate.sh with all variables set; the test runs it in this form.
func TestTask(t *testing.T) {
	data, err := os.ReadFile("task.yaml")
	require.NoError(t, err)
	var task task
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(&task))
	require.Equal(t, "tekton.dev/v1", task.APIVersion)
	require.Equal(t, "Task", task.Kind)
	declared := make(map[string]bool)
	for _, p := range task.Spec.Params {
		declared["$(params."+p.Name+")"] = true
	}
	for _, w := range task.Spec.Workspaces {
		declared["$(workspaces."+w.Name+".path)"] = true
	}
	for _, r := range task.Spec.Results {
		declared["$(results."+r.Name+".path)"] = true
	}
	for _, s := range task.Spec.Steps {
		require.NotContains(t, s.Script, "$(params.", "a parameter in a script could inject a command: pass it in the environment")
		require.True(t, declared[s.Image], s.Image)
		for _, e := range s.Env {
			if len(e.Value) > 1 && e.Value[:2] == "$(" {
				require.True(t, declared[e.Value], e.Value)
			}
		}
	}
	compare := task.Spec.Steps[1]
	require.Equal(t, script(t), compare.Script)
	set := make(map[string]bool)
	for _, e := range compare.Env {
		set[e.Name] = true
	}
	for _, name := range []string{"BASE", "CATALOG", "BASELINE", "WORSE_THAN", "RESOLUTE", "OUT", "RESULT"} {
		require.True(t, set[name], name)
	}
}
