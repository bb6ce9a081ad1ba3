package growth_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"testing"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/graph/draw"
	"github.com/seed109e2655/resolute/internal/growth"
)

// pictures draws each of the first packages.
func pictures(write func(context.Context, io.Writer, *graph.Package, draw.Options) error, o draw.Options) growth.Operation {
	return func(ctx context.Context, w *growth.World) error {
		for _, p := range w.Packages[:min(8, len(w.Packages))] {
			if err := write(ctx, io.Discard, p, o); err != nil {
				return err
			}
		}
		return nil
	}
}

// graphs are operations on update graphs.
var graphs = map[string]growth.Operation{
	"text":            pictures(draw.Text, draw.Options{}),
	"text, all edges": pictures(draw.Text, draw.Options{AllEdges: true}),
	"dot":             pictures(draw.DOT, draw.Options{}),
	"dot, all edges":  pictures(draw.DOT, draw.Options{AllEdges: true}),
	"mermaid":         pictures(draw.Mermaid, draw.Options{AllEdges: true}),
	"svg":             pictures(draw.SVG, draw.Options{AllEdges: true}),
	"data": func(ctx context.Context, w *growth.World) error {
		for _, p := range w.Packages[:min(8, len(w.Packages))] {
			channels, err := draw.Data(ctx, p, draw.Options{})
			if err != nil {
				return err
			}
			if _, err := json.Marshal(channels); err != nil {
				return err
			}
		}
		return nil
	},
	"update graph": func(ctx context.Context, w *growth.World) error {
		for _, p := range w.Packages[:min(8, len(w.Packages))] {
			if len(p.Channels) > 100 {
				continue // a search for each channel
			}
			u := p.Updates()
			if _, err := u.DeadEnds(ctx); err != nil {
				return err
			}
		}
		return nil
	},
}

// grows are what may grow faster than n log n.
var grows = []growth.Exception{
	{Shape: "a range for each subscription", Why: "each subscription has a list of candidates of its own; all lists together are bounded by resolver.Limits.Bundles"},
	{Shape: "skipRange everywhere", Operations: []string{"data", "dot", "mermaid", "text", "svg"}, Why: "each version has up to draw.MaxEdges edges"},
	{Shape: "hostile rules", Operations: []string{"corrections", "what-ifs", "upgrade"}, Why: "corrections are tried, and each try resolves: 300 at most"},
	{Shape: "many subscriptions to one package", Operations: []string{"why not"}, Why: "the SAT solver is asked for each candidate that is worse than the forced one"},
	{Shape: "deep", Operations: []string{"difference", "mirror", "test kit"}, Why: "each of the bundles is answered for, and needs all behind it"},
	{Shape: "deep, the last missing", Operations: []string{"difference", "mirror"}, Why: "each of the bundles is answered for, and needs all behind it"},
	{Shape: "many installed", Operations: []string{"difference", "mirror", "test kit"}, Why: "each of the bundles is answered for, and needs all others"},
	{Shape: "many providers", Operations: []string{"difference"}, Why: "two packages that clash are a finding: a pair each, 100,000 at most"},
}

// each are the operations that answer for each bundle: they meet smaller shapes.
var each = []string{"difference", "mirror", "test kit", "audit of a few"}

// tables are what operations are held against, in two sizes: of operations with one
// answer, and of others.
func tables(t *testing.T, one, several int) []*growth.Table {
	many := &growth.Table{Size: several, Shapes: growth.Shapes, Operations: make(map[string]growth.Operation), Grows: grows}
	once := &growth.Table{Size: one, Shapes: growth.Shapes, Operations: maps.Clone(answers), Grows: grows}
	once.Operations["test kit"] = testKit(t.TempDir())
	maps.Copy(once.Operations, catalogs)
	maps.Copy(once.Operations, graphs)
	for _, name := range each {
		many.Operations[name] = once.Operations[name]
		delete(once.Operations, name)
	}
	return []*growth.Table{once, many}
}

// TestGrowth: eight times as much takes little more than eight times as much.
func TestGrowth(t *testing.T) {
	one := 128
	if testing.Short() {
		one = 100
	}
	for _, b := range tables(t, one, 24) {
		b.Growth(t)
	}
}

// TestEndsAnywhere: whenever a context ends, the operation ends soon.
func TestEndsAnywhere(t *testing.T) {
	one := 32
	if testing.Short() {
		one = 16
	}
	for _, b := range tables(t, one, 8) {
		b.Ends(t)
	}
}
