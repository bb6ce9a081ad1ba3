package upgradetest

import (
	"os"
	"testing"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// TestCatalog checks everything that should be true of the catalog. When it fails, it
// says which file in testdata/failures shows the smallest case, and how to replay it:
//
//	go run github.com/seed109e2655/resolute/examples/resolute converge FILE
func TestCatalog(t *testing.T) {
	catalog, err := fbc.Load(t.Context(), os.DirFS("testdata/catalog"), fbc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	upgradetest.CheckAll(t, catalog, upgradetest.Options{})
}
