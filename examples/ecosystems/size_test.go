package ecosystems_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAdaptersAreSmall: each adapter has at most the lines that README.md says.
func TestAdaptersAreSmall(t *testing.T) {
	for _, name := range []string{"clusterapi", "crossplane", "debian", "helm", "packageoperator"} {
		files, err := os.ReadDir(name)
		require.NoError(t, err)
		require.Len(t, files, 2, "%s: the adapter and its test", name)
		text, err := os.ReadFile(name + "/" + name + ".go")
		require.NoError(t, err)
		require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 150, name)
	}
}
