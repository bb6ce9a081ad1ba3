package growth_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// answered takes a conflict for an answer; other errors are returned.
func answered(err error) error {
	var c *resolver.Conflict
	if errors.As(err, &c) {
		_, _ = c.Argument().HTML(), c.Text()
		return nil
	}
	return err
}

// operations are what the library does and no command of examples/resolute, which is held
// against the same shapes in a test of the same name.
var operations = map[string]growth.Operation{
	"resolve, partial": func(ctx context.Context, w *growth.World) error {
		req := w.Request
		req.Policy.Failures = "Partial"
		req.Subscriptions = req.Subscriptions[:min(8, len(req.Subscriptions))]
		_, err := resolver.New().Resolve(ctx, req)
		var invalid *resolver.RequestError
		if errors.As(err, &invalid) {
			return nil // extensions are refused
		}
		return answered(err)
	},
	"corrections": func(ctx context.Context, w *growth.World) error {
		r := resolver.New()
		_, err := r.Resolve(ctx, w.Request)
		var c *resolver.Conflict
		if !errors.As(err, &c) {
			return err
		}
		if err := whatif.FindCorrections(ctx, r, w.Request, c, whatif.FindOptions{}); err != nil {
			return err
		}
		return answered(c)
	},
	"update graph": func(ctx context.Context, w *growth.World) error {
		for _, p := range w.Packages[:min(8, len(w.Packages))] {
			if len(p.Channels) > 100 {
				continue // a search for each channel
			}
			for _, c := range p.Channels {
				if _, err := c.DeadEnds(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	},
	"copy on disk": func(ctx context.Context, w *growth.World) error {
		dir, err := os.MkdirTemp("", "growth")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		name := filepath.Join(dir, "copy")
		if err := disk.Write(ctx, name, cache.NewContent(w.Catalog), disk.Options{}); err != nil {
			return err
		}
		_, err = disk.Read(ctx, name, disk.Options{})
		return err
	},
}

// testKit runs the test kit, which writes what it finds into a folder.
func testKit(dir string) growth.Operation {
	return func(ctx context.Context, w *growth.World) error {
		_, err := upgradetest.Run(ctx, w.Catalog, upgradetest.Options{Sample: 3, Workers: 1, Dir: dir})
		return err
	}
}

// grows are what may grow faster than n log n.
var grows = []growth.Exception{
	{Shape: "a range for each subscription", Why: "each subscription has a list of candidates of its own; all lists together are bounded by resolver.Limits.Bundles"},
	{Shape: "hostile rules", Operations: []string{"corrections"}, Why: "corrections are tried, and each try resolves: 300 at most"},
	{Shape: "deep", Operations: []string{"test kit"}, Why: "each of the bundles is answered for, and needs all behind it"},
	{Shape: "many installed", Operations: []string{"test kit"}, Why: "each of the bundles is answered for, and needs all others"},
}

// tables are what operations are held against, in two sizes: of operations with one
// answer, and of the test kit, which answers for each bundle.
func tables(t *testing.T, one, several int) []*growth.Table {
	return []*growth.Table{
		{Size: one, Operations: operations, Grows: grows},
		{Size: several, Operations: map[string]growth.Operation{"test kit": testKit(t.TempDir())}, Grows: grows},
	}
}

// TestGrowth: eight times as much takes little more than eight times as much.
func TestGrowth(t *testing.T) {
	for _, b := range tables(t, 128, 24) {
		b.Growth(t)
	}
}

// TestEndsAnywhere: whenever a context ends, the operation ends soon.
func TestEndsAnywhere(t *testing.T) {
	for _, b := range tables(t, 32, 8) {
		b.Ends(t)
	}
}
