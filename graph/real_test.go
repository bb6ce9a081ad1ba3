package graph_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
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
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
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
