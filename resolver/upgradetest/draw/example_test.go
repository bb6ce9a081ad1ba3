package draw_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/resolver/upgradetest"
	"github.com/seed109e2655/resolute/resolver/upgradetest/draw"
)

// Requests of every kind, held to the laws that no catalog can break. When one fails,
// rapid shrinks it, and the scenario that stays in testdata/failures is that of the
// smallest.
func ExampleConfig_Request() {
	_ = func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			req := draw.Config{MaxPackages: 3}.Request().Draw(t, "request")
			upgradetest.CheckRequest(t, req.Request, upgradetest.Options{File: "laws", Skip: []upgradetest.Property{upgradetest.Addition, upgradetest.Converges}})
		})
	}
	// Output:
}

// Catalogs are plain data, to look at, to change and to build.
func ExampleConfig_Catalog() {
	catalog := draw.Config{Sound: true}.Catalog().Example(1)
	for _, p := range catalog.Packages {
		fmt.Println(p.Name, len(p.Channels) > 0, len(p.Bundles) > 0)
		break
	}
	// Output:
	// pkg-a true true
}
