package cache_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestRealCatalog holds the indexes and numbers of a real catalog against
// linear scans.
func TestRealCatalog(t *testing.T) {
	const dir, name = "../../shared/data", "community-all.jsonl.gz"
	if _, err := os.Stat(dir + "/" + name); err != nil {
		t.Skip("needs the real catalogs, which are not beside this checkout")
	}
	c := testkit.Must(fbc.LoadFile(context.Background(), os.DirFS(dir), name, fbc.Options{}))(t)
	require.Equal(t, 7016, c.Len())
	checkNumbers(t, c)
	checkIndexes(t, c)
}
