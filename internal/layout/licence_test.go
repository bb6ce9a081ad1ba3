package layout_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestLicences: each module that go.mod names has a line with its licence in
// CONTRIBUTING.md, and there is no line for one that is gone.
func TestLicences(t *testing.T) {
	required, listed := modules(t, "../../go.mod", `(?m)^(?:require )?\t?(\S+\.\S+/\S+|\S+\.\S+) v\S+`), modules(t, "../../CONTRIBUTING.md", "(?m)^\\| `(\\S+\\.\\S+/\\S+)` \\| \\S[^|]* \\| \\S[^|]* \\|$")
	require.Greater(t, len(required), 5, "go.mod is not understood")
	require.Equal(t, required, listed)
}

// modules finds the names of modules in a file, sorted, each once.
func modules(t *testing.T, file, pattern string) []string {
	t.Helper()
	text := testkit.Must(os.ReadFile(file))(t)
	var names []string
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	slices.Sort(names)
	require.Equal(t, slices.Compact(slices.Clone(names)), names, "a module is listed twice")
	return names
}
