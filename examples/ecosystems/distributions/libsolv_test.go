package distributions

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/examples/ecosystems/internal/upstream"
)

// TestLibsolv runs the testcases of libsolv with their expected results, as far as the model can express
// them: a transaction has a problem exactly if the request cannot be satisfied.
func TestLibsolv(t *testing.T) {
	files := upstream.Files(t, filepath.Join(upstream.DebianSource(t, "libsolv"), "test", "testcases"), ".t")
	require.Greater(t, len(files), 80)
	asked, problems, unsupported := 0, 0, make(map[string]int)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		read := func(name string) string {
			data, err := os.ReadFile(filepath.Join(filepath.Dir(file), name))
			require.NoError(t, err)
			return string(data)
		}
		for i, c := range ReadTestcases(files[file], read) {
			if c.Unsupported != "" {
				unsupported[c.Unsupported]++
				continue
			}
			got, err := c.Universe.Solvable(t.Context(), c.Request)
			require.NoError(t, err)
			if c.Solvable != got {
				t.Errorf("%s: transaction %d: %v", file, i+1, c.Solvable)
			}
			asked++
			if !got {
				problems++
			}
		}
	}
	require.Greater(t, asked, 80)
	require.GreaterOrEqual(t, problems, 4)
	t.Logf("%d transactions agree, %d of them with problems; not expressed: %v", asked, problems, unsupported)
}
