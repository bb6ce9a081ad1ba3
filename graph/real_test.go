package graph_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/graph/draw"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// realPackages reads the packages of a real catalog, which lies beside the
// checkout. It is no reader of catalogs: what it cannot read it leaves out.
func realPackages(t testing.TB, name string) []*graph.Package {
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", name))
	if err != nil {
		t.Skipf("the real catalogs are not beside the checkout: %v", err)
	}
	defer f.Close()
	unzipped := testkit.Must(gzip.NewReader(f))(t)
	decls := make(map[string]*graph.PackageDecl)
	decl := func(name string) *graph.PackageDecl {
		if decls[name] == nil {
			decls[name] = &graph.PackageDecl{Name: name}
		}
		return decls[name]
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var blob struct {
			Schema, Name, Package, DefaultChannel string
			Entries                               []graph.EntryDecl
			Properties                            []json.RawMessage
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &blob))
		switch blob.Schema {
		case graph.SchemaPackage:
			p := decl(blob.Name)
			p.Definitions = append(p.Definitions, graph.DefinitionDecl{DefaultChannel: blob.DefaultChannel})
		case graph.SchemaChannel:
			p := decl(blob.Package)
			p.Channels = append(p.Channels, graph.ChannelDecl{Name: blob.Name, Entries: blob.Entries})
		case graph.SchemaBundle:
			p := decl(blob.Package)
			var all []*properties.Property
			for _, raw := range blob.Properties {
				var typed struct {
					Type  string
					Value json.RawMessage
				}
				require.NoError(t, json.Unmarshal(raw, &typed))
				if property, err := properties.New(typed.Type, typed.Value); err == nil {
					all = append(all, property)
				}
			}
			p.Bundles = append(p.Bundles, graph.BundleDecl{Name: blob.Name, Properties: properties.NewSet(all...)})
		}
	}
	require.NoError(t, lines.Err())
	var out []*graph.Package
	for _, name := range slices.Sorted(maps.Keys(decls)) {
		out = append(out, graph.Build(*decls[name], graph.Options{}))
	}
	return out
}

// TestRealCatalogs asks everything of real catalogs: every package can be
// drawn, and what is said of upgrades agrees with a walk along
// [graph.Channel.Successors].
func TestRealCatalogs(t *testing.T) {
	packages := realPackages(t, "community-all.jsonl.gz")
	require.Greater(t, len(packages), 300)
	every := testkit.Times(10, 1)
	for i, p := range packages {
		if i%every != 0 {
			continue
		}
		for _, write := range []func(context.Context, io.Writer, *graph.Package, draw.Options) error{draw.Text, draw.DOT, draw.Mermaid, draw.SVG} {
			var drawn strings.Builder
			require.NoError(t, write(t.Context(), &drawn, p, draw.Options{}))
			for _, c := range p.Channels {
				require.Contains(t, drawn.String(), c.Name)
			}
		}
		dead := make(map[[2]string]bool)
		for _, d := range deadEnds(t, p.Channels...) {
			dead[[2]string{d.Channel, d.Bundle}] = true
		}
		for _, c := range p.Channels {
			if c.Head() == nil {
				continue
			}
			for i := range c.Entries {
				e := &c.Entries[i]
				if e.Bundle != nil && e.Bundle.Quarantine == nil {
					require.Equal(t, !reachesHead(c, e), dead[[2]string{c.Name, e.Name}], "%s in %s", e.Name, c.Name)
				}
			}
		}
	}
}

// reachesHead goes from an entry to its successors until it is at the head.
func reachesHead(c *graph.Channel, e *graph.Entry) bool {
	seen := map[*graph.Entry]bool{}
	queue := []*graph.Entry{e}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at == c.Head() {
			return true
		}
		if !seen[at] {
			seen[at] = true
			queue = append(queue, c.Successors(at.Name, *at.Bundle.Version)...)
		}
	}
	return false
}
