package scenario_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// TestConformance runs the scenarios that define the behaviour of the library, one for each rule.
func TestConformance(t *testing.T) {
	runAll(t, "testdata/conformance", 42)
}

// TestRules runs scenarios for the remaining rules, including every what-if.
func TestRules(t *testing.T) {
	runAll(t, "testdata/rules", 10)
}

// TestExamples runs the example scenarios for users.
func TestExamples(t *testing.T) {
	runAll(t, "../../examples/scenarios", 8)
}

// TestConformanceOnRealCatalogs runs random requests on real catalogs, with the recorded answers
// of OLM Classic.
func TestConformanceOnRealCatalogs(t *testing.T) {
	const dir = "../../../shared/conformance/real"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the catalogs that these scenarios need are not part of the project: %v", err)
	}
	runAll(t, dir, 40)
}

// runAll tests every scenario of a directory, which must contain a minimum number.
func runAll(t *testing.T, dir string, atLeast int) {
	var files []string
	for _, pattern := range []string{"*.yaml", "*.json"} {
		found := testkit.Must(filepath.Glob(filepath.Join(dir, pattern)))(t)
		files = append(files, found...)
	}
	require.GreaterOrEqual(t, len(files), atLeast)
	runner := &scenario.Runner{Loader: new(scenario.Loader), Corrections: whatif.FindOptions{Commands: olm.Commands}}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := testkit.Must(scenario.ReadFile(context.Background(), file))(t)
			answer, diffs, err := runner.Test(context.Background(), s)
			require.NoError(t, err)
			for _, d := range diffs {
				t.Error(d)
			}
			if t.Failed() && answer.Conflict != nil {
				t.Log(answer.Conflict.Text())
			}
		})
	}
}

// TestCandidatesHaveCodes checks the JSON of the conflicts of all scenarios against the codes
// that the README of the command documents.
func TestCandidatesHaveCodes(t *testing.T) {
	readme := string(testkit.Must(os.ReadFile("../../cmd/resolute/README.md"))(t))
	documented := make(map[string]bool)
	_, table, _ := strings.Cut(readme, "| code | the candidate |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
		documented[row[1]] = true
	}
	seen := make(map[string]bool)
	runner := &scenario.Runner{Loader: new(scenario.Loader), Corrections: whatif.FindOptions{Commands: olm.Commands}}
	for _, dir := range []string{"conformance", "rules"} {
		for _, file := range testkit.Must(filepath.Glob(filepath.Join("testdata", dir, "*.yaml")))(t) {
			s := testkit.Must(scenario.ReadFile(context.Background(), file))(t)
			data := testkit.Must(json.Marshal(runner.RunWhatIf(context.Background(), s)))(t)
			var answer any
			require.NoError(t, json.Unmarshal(data, &answer))
			codes(answer, func(candidate map[string]any) {
				code, _ := candidate["code"].(string)
				require.True(t, documented[code], "%s: %v", file, candidate)
				seen[code] = true
			})
		}
	}
	for _, code := range []string{"package", "gvk", "constraint", "skipped", "version"} {
		require.True(t, seen[code], "no scenario has a candidate with code %s", code)
	}
}

// codes calls found with each candidate in the JSON of an answer.
func codes(value any, found func(candidate map[string]any)) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			codes(item, found)
		}
	case map[string]any:
		if _, ok := v["rejected"]; ok {
			found(v)
		}
		for _, item := range v {
			codes(item, found)
		}
	}
}
