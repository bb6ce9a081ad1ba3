package upgradetest

import (
	"os"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// TestCatalog checks everything that should be true of the catalog. When it fails, it
// says which file in testdata/failures shows the smallest case, and with which command to
// replay it. Without an installed resolute, the command is
//
//	go run github.com/seed109e2655/resolute/cmd/resolute COMMAND FILE...
func TestCatalog(t *testing.T) {
	upgradetest.CheckAll(t, load(t, "testdata/catalog"), upgradetest.Options{})
}

// TestCatalogGetsNoWorse is for a catalog with a past: what was wrong with it before the
// change already, here in testdata/mistaken, is no finding. In a pull request, Before is the
// catalog of the branch that it is to be merged into.
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
