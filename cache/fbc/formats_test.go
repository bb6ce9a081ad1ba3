package fbc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// object is a JSON object as a test draws it.
type object = map[string]any

// drawBlobs draws the blobs of a random catalog, good and bad ones.
func drawBlobs(t *rapid.T) []json.RawMessage {
	var blobs []json.RawMessage
	add := func(o object) {
		blobs = append(blobs, testkit.Must(json.Marshal(o))(t))
	}
	text := rapid.SampledFrom([]string{"stable", "alpha", "a \"quoted\" <text>", "zwölf ☃", "line\nbreak", "~", "yes", "1.0", "{x}", "# no comment", "'"})
	anything := rapid.SampledFrom([]any{nil, true, 1.5, "x", []any{1.0, "a"}, object{"a": []any{object{}}}})
	for i := range rapid.IntRange(1, 3).Draw(t, "packages") {
		pkg := fmt.Sprintf("package%d", i)
		add(object{"schema": "olm.package", "name": pkg, "defaultChannel": text.Draw(t, "default"), "icon": anything.Draw(t, "icon")})
		var entries []any
		for j := range rapid.IntRange(0, 4).Draw(t, "bundles") {
			name := fmt.Sprintf("%s.v%d", pkg, j)
			e := object{"name": name, "skipRange": nil}
			if j > 0 {
				e["replaces"] = fmt.Sprintf("%s.v%d", pkg, j-1)
			}
			if rapid.IntRange(0, 3).Draw(t, "skips") == 0 {
				e["skips"] = []any{text.Draw(t, "skipped")}
			}
			entries = append(entries, e)
			properties := []any{object{"type": "olm.package", "value": object{"packageName": pkg, "version": fmt.Sprintf("%d.0.0", j)}}}
			for rapid.Bool().Draw(t, "more") {
				properties = append(properties, rapid.SampledFrom([]any{
					object{"type": "olm.gvk", "value": object{"group": "g.example.com", "version": "v1", "kind": "Kind"}},
					object{"type": "olm.gvk", "value": object{"group": "Bad Group", "version": "v1", "kind": "Kind"}},
					object{"type": "olm.package.required", "value": object{"packageName": "other", "versionRange": ">=1.0.0 <2.0.0"}},
					object{"type": "olm.constraint", "value": object{"all": object{"constraints": []any{}}}},
					object{"type": "olm.label", "value": object{"label": "blue"}},
					object{"type": "custom", "value": object{"text": text.Draw(t, "text"), "any": anything.Draw(t, "any")}},
				}).Draw(t, "property"))
			}
			add(object{"schema": "olm.bundle", "package": pkg, "name": name, "image": text.Draw(t, "image"), "properties": properties})
		}
		add(object{"schema": "olm.channel", "package": pkg, "name": text.Draw(t, "channel"), "entries": entries})
		if rapid.Bool().Draw(t, "deprecations") {
			add(object{"schema": "olm.deprecations", "package": pkg, "entries": []any{
				object{"reference": object{"schema": "olm.bundle", "name": pkg + ".v0"}, "message": text.Draw(t, "message")}}})
		}
		add(object{"schema": "example.com/other", "x": anything.Draw(t, "other")})
	}
	return blobs
}

// TestFormats: the same blobs make the same catalog, however they are written,
// compressed and spread over files.
func TestFormats(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		blobs := drawBlobs(t)
		var all, indented []string
		for _, b := range blobs {
			all = append(all, string(b))
			indented = append(indented, pretty(string(b)))
		}
		parallel := rapid.IntRange(1, 4).Draw(t, "parallel")
		opts := fbc.Options{Parallel: parallel}
		want := testkit.Must(fbc.FromBlobs(ctx, blobs, opts))(t)
		check := func(how string, c *cache.Catalog, err error) {
			require.NoError(t, err, how)
			require.Equal(t, dump(want), dump(c), how)
		}
		yaml := asDocuments(t, all...)
		for _, file := range []struct{ name, text string }{
			{"lines.jsonl", lines(all...)}, {"lines.json", strings.Join(all, "\n")}, {"lines", lines(all...)}, {"lines.yaml", lines(all...)},
			{"concatenated.json", strings.Join(all, "")},
			{"pretty.json", lines(indented...)}, {"pretty.json", strings.Join(indented, "")}, {"pretty", lines(indented...)},
			{"documents.yaml", yaml}, {"documents.yml", strings.TrimPrefix(yaml, "---\n")}, {"documents", yaml},
		} {
			c, err := fbc.Read(ctx, strings.NewReader(file.text), file.name, opts)
			check(file.name, c, err)
			c, err = fbc.Read(ctx, bytes.NewReader(testkit.Gzip(file.text)), file.name+".gz", opts)
			check(file.name+".gz", c, err)
		}
		var nodes []*document.Node
		for i, b := range blobs {
			text, name := string(b), "x.json"
			if i%2 == 0 {
				text, name = asDocuments(t, text), "x.yaml"
			}
			nodes = append(nodes, testkit.Must(document.Decode(ctx, []byte(text), name, document.Limits{}))(t))
		}
		c, err := fbc.FromNodes(ctx, nodes, "x", opts)
		check("nodes", c, err)
		c, err = fbc.Load(ctx, spread(t, all), opts)
		check("directory", c, err)
	})
}

// spread writes blobs into a tree of files, in their order.
func spread(t *rapid.T, blobs []string) fs.FS {
	tree := fstest.MapFS{}
	for i := 0; i < len(blobs); {
		n := min(rapid.IntRange(1, 3).Draw(t, "blobs of a file"), len(blobs)-i)
		part := blobs[i : i+n]
		dir := rapid.SampledFrom([]string{"", "/a", "/a/b"}).Draw(t, "directory")
		name := fmt.Sprintf("%04d%s/x", i, dir)
		switch rapid.IntRange(0, 3).Draw(t, "format") {
		case 0:
			tree[name+".json"] = &fstest.MapFile{Data: []byte(lines(part...))}
		case 1:
			tree[name+".yaml"] = &fstest.MapFile{Data: []byte(asDocuments(t, part...))}
		case 2:
			tree[name+".jsonl.gz"] = &fstest.MapFile{Data: testkit.Gzip(lines(part...))}
		default:
			tree[name+".yml.gz"] = &fstest.MapFile{Data: testkit.Gzip(asDocuments(t, part...))}
		}
		i += n
	}
	return tree
}

// TestModel holds what is read against what was drawn, so that all formats
// cannot be wrong in the same way.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blobs := drawBlobs(t)
		c := testkit.Must(fbc.FromBlobs(context.Background(), blobs, fbc.Options{}))(t)
		bundles := 0
		for _, raw := range blobs {
			var o struct {
				Schema, Name, Package, Image, DefaultChannel string
				Properties                                   []struct {
					Type  string
					Value json.RawMessage
				}
				Entries []struct {
					Name, Replaces string
					Skips          []string
				}
			}
			_ = json.Unmarshal(raw, &o)
			switch o.Schema {
			case "olm.package":
				require.Equal(t, o.DefaultChannel, c.Package(o.Name).DefaultChannel)
			case "olm.channel":
				ch := c.Package(o.Package).Channel(o.Name)
				require.Len(t, ch.Entries, len(o.Entries))
				for i, e := range o.Entries {
					require.Equal(t, e.Name, ch.Entries[i].Name)
					require.Equal(t, e.Replaces, ch.Entries[i].Replaces)
					require.Equal(t, e.Skips, ch.Entries[i].Skips())
				}
			case "olm.bundle":
				bundles++
				b := c.Package(o.Package).Bundle(o.Name)
				require.Equal(t, o.Image, b.Image)
				kept := 0
				for _, p := range o.Properties {
					if strings.Contains(string(p.Value), "Bad Group") {
						require.Equal(t, graph.Code("propertyInvalid"), b.Quarantine.Code)
						continue
					}
					require.Equal(t, p.Type, b.Properties.At(kept).Type())
					require.JSONEq(t, string(p.Value), b.Properties.At(kept).Raw())
					kept++
				}
				require.Equal(t, kept, b.Properties.Len())
			}
		}
		require.Equal(t, bundles, c.Len())
	})
}
