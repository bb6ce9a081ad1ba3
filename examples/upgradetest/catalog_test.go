package upgradetest

import (
	"os"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// TestCatalog runs all checks on the catalog. A failure names the file in
// testdata/failures with the smallest example, and the command to replay it.
// Without an installed resolute, the command is
//
//	go run github.com/seed109e2655/resolute/cmd/resolute COMMAND FILE...
func TestCatalog(t *testing.T) {
	upgradetest.CheckAll(t, load(t, "testdata/catalog"), upgradetest.Options{})
}

// TestCatalogGetsNoWorse is for a catalog with a history: findings that exist
// before the change, here in testdata/mistaken, are ignored. In a pull
// request, Before is the catalog of the target branch.
func TestCatalogGetsNoWorse(t *testing.T) {
	upgradetest.CheckAll(t, load(t, "testdata/catalog"), upgradetest.Options{Before: load(t, "testdata/mistaken")})
}

// load reads a catalog.
func load(t *testing.T, dir string) *cache.Catalog {
	t.Helper()
	catalog, err := fbc.Load(t.Context(), os.DirFS(dir), fbc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}
