package fbc_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// rendered renders trees.
func rendered(t require.TestingT, opts fbc.RenderOptions, yaml bool, trees ...fs.FS) string {
	r := fbc.NewRenderer(opts)
	defer r.Close()
	for _, tree := range trees {
		require.NoError(t, r.AddFS(context.Background(), tree, ""))
	}
	var b bytes.Buffer
	write := r.Write
	if yaml {
		write = r.WriteYAML
	}
	require.NoError(t, write(context.Background(), &b))
	return b.String()
}

// The order, by hand: packages by name, the schemas of a package in the order in
// which they build on each other, names, and what belongs to no package last.
func TestRenderOrder(t *testing.T) {
	tree := fstest.MapFS{
		"z.json": {Data: []byte(`
{"schema":"my.thing","x":[1,  2.50 , "\u0041"]}
{"schema":"olm.bundle","package":"b","name":"b.v1"}
{"schema":"olm.package","name":"b"}
{"schema":"my.other","package":"a","name":"q","unknown":{"deep":true}}
`)},
		"a.yaml": {Data: []byte(`---
schema: olm.bundle
package: a
name: a.v2
extra: kept
---
schema: olm.deprecations
package: a
---
schema: olm.channel
package: a
name: stable
---
schema: olm.bundle
package: a
name: a.v10
---
schema: olm.package
name: a
`)},
	}
	want := `{"schema":"olm.package","name":"a"}
{"schema":"olm.channel","package":"a","name":"stable"}
{"schema":"olm.bundle","package":"a","name":"a.v10"}
{"schema":"olm.bundle","package":"a","name":"a.v2","extra":"kept"}
{"schema":"my.other","package":"a","name":"q","unknown":{"deep":true}}
{"schema":"olm.deprecations","package":"a"}
{"schema":"olm.package","name":"b"}
{"schema":"olm.bundle","package":"b","name":"b.v1"}
{"schema":"my.thing","x":[1,2.50,"\u0041"]}
`
	require.Equal(t, want, rendered(t, fbc.RenderOptions{}, false, tree))
	require.Equal(t, want, rendered(t, fbc.RenderOptions{MaxMemory: 1, Dir: t.TempDir()}, false, tree))
	asYAML := rendered(t, fbc.RenderOptions{}, true, tree)
	require.True(t, strings.HasPrefix(asYAML, "---\nschema: olm.package\nname: a\n---\n"), asYAML)
	require.Equal(t, strings.ReplaceAll(want, `\u0041`, "A"), rendered(t, fbc.RenderOptions{}, false, fstest.MapFS{"x.yaml": {Data: []byte(asYAML)}}))
}

// However the blobs are spread over files, in whichever order, and whether they
// fit into memory or not: the same bytes, all blobs, in the order of the names.
func TestRenderSame(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"", "a", "b", "a.b", "ab", "é"})
		var blobs []string
		for range rapid.IntRange(1, 30).Draw(t, "blobs") {
			schema := rapid.SampledFrom([]string{"olm.package", "olm.channel", "olm.bundle", "olm.deprecations", "x", "olm.b"}).Draw(t, "schema")
			blobs = append(blobs, fmt.Sprintf(`{"schema":%q,"package":%q,"name":%q,"v":%d}`, schema, name.Draw(t, "package"), name.Draw(t, "name"), rapid.IntRange(0, 3).Draw(t, "v")))
		}
		spread := func(blobs []string) fstest.MapFS {
			files := map[string][]string{}
			for _, b := range blobs {
				file := rapid.SampledFrom([]string{"a.json", "b/c.jsonl", "d.yaml"}).Draw(t, "file")
				files[file] = append(files[file], b)
			}
			tree := fstest.MapFS{}
			for file, list := range files {
				text := strings.Join(list, "\n")
				if file == "d.yaml" {
					text = "---\n" + strings.Join(list, "\n---\n")
				}
				tree[file] = &fstest.MapFile{Data: []byte(text + "\n")}
			}
			return tree
		}
		want := rendered(t, fbc.RenderOptions{}, false, spread(blobs))
		shuffled := rapid.Permutation(blobs).Draw(t, "order")
		memory := rapid.IntRange(1, 400).Draw(t, "memory")
		require.Equal(t, want, rendered(t, fbc.RenderOptions{MaxMemory: memory, Dir: dir}, false, spread(shuffled)))
		lines := strings.Split(strings.TrimSpace(want), "\n")
		require.ElementsMatch(t, blobs, lines)
		require.True(t, slices.IsSortedFunc(lines, func(a, b string) int {
			x, y := described(t, a), described(t, b)
			return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(x[2], y[2]), cmp.Compare(x[3], y[3]), cmp.Compare(x[4], y[4]))
		}), want)
	})
	require.Empty(t, testkit.Must(os.ReadDir(dir))(t))
}

// described returns what a blob is ordered by, spelt out.
func described(t require.TestingT, text string) [5]string {
	var b struct{ Schema, Package, Name string }
	require.NoError(t, json.Unmarshal([]byte(text), &b))
	pkg := b.Package
	if b.Schema == "olm.package" {
		pkg = b.Name
	}
	none := "0"
	if pkg == "" {
		none = "1"
	}
	rank := map[string]string{"olm.package": "0", "olm.channel": "1", "olm.bundle": "2", "olm.deprecations": "4"}[b.Schema]
	return [5]string{none, pkg, cmp.Or(rank, "3"), b.Schema, b.Name}
}

// Unreadable parts are errors, never dropped silently; warnings are kept.
func TestRenderFaults(t *testing.T) {
	r := fbc.NewRenderer(fbc.RenderOptions{})
	defer r.Close()
	err := r.AddFS(t.Context(), fstest.MapFS{"a.json": {Data: []byte("{\"schema\":\"s\"}\n{\"schema\":\n")}, "b.txt": {}}, "")
	testkit.As[*fbc.ProblemsError](t, err)
	require.ErrorContains(t, err, "a.json:2")
	list, more := r.Warnings()
	require.Len(t, list, 1)
	require.Zero(t, more)
	require.Equal(t, "b.txt", list[0].File)
	unreadable := testkit.As[*fbc.UnreadableError](t, r.AddFS(t.Context(), fstest.MapFS{}, ""))
	require.ErrorAs(t, r.AddFS(t.Context(), fstest.MapFS{}, "missing.json"), &unreadable)
	require.ErrorContains(t, r.Add(json.RawMessage(`{"schema":""}`)), "no schema")
	require.Error(t, r.Add(json.RawMessage(`[`)))
	var out strings.Builder
	require.NoError(t, r.Write(t.Context(), &out))
	require.Equal(t, 1, strings.Count(out.String(), "\n"))

	// The disk, the writer and the context.
	full := fbc.NewRenderer(fbc.RenderOptions{MaxMemory: 1, Dir: "/nowhere/at/all"})
	require.ErrorContains(t, full.Add(json.RawMessage(`{"schema":"s"}`)), "temporary file")
	for _, memory := range []int{1, 1000} {
		r := fbc.NewRenderer(fbc.RenderOptions{MaxMemory: memory, Dir: t.TempDir()})
		defer r.Close()
		for i := range 5 {
			require.NoError(t, r.Add(json.RawMessage(fmt.Sprintf(`{"schema":"s","name":"%d"}`, i))))
		}
		require.ErrorIs(t, r.Write(t.Context(), pipe{}), errPipe)
		require.ErrorIs(t, r.Write(testkit.Ended(), &bytes.Buffer{}), context.Canceled)
		// And again, after all that.
		var b bytes.Buffer
		require.NoError(t, r.Write(t.Context(), &b))
		require.Equal(t, 5, strings.Count(b.String(), "\n"))
	}
}

var errPipe = errors.New("broken pipe")

type pipe struct{}

func (pipe) Write([]byte) (int, error) { return 0, errPipe }

// TestRenderMoreFaults: contexts that end, blobs that have no form in YAML, writers that
// break, many warnings, and limits of the reader.
func TestRenderMoreFaults(t *testing.T) {
	ended := testkit.Ended()
	two := fstest.MapFS{"a.json": {Data: []byte("{\"schema\":\"s\",\"x\":1}\n{\"schema\":\"t\"}\n")}}
	r := fbc.NewRenderer(fbc.RenderOptions{Read: fbc.Options{MaxBlobs: 1}})
	defer r.Close()
	require.ErrorIs(t, r.AddFS(ended, two, ""), context.Canceled)
	testkit.As[*fbc.LimitError](t, r.AddFS(t.Context(), two, ""))
	require.ErrorAs(t, r.AddFS(t.Context(), fstest.MapFS{"a.json": {Data: []byte("{")}}, ""), new(*fbc.UnreadableError))

	for _, memory := range []int{1, 1 << 20} {
		r := fbc.NewRenderer(fbc.RenderOptions{MaxMemory: memory, Dir: t.TempDir()})
		defer r.Close()
		require.NoError(t, r.AddFS(t.Context(), two, ""))
		require.ErrorIs(t, r.WriteYAML(t.Context(), pipe{}), errPipe)
		require.ErrorIs(t, r.WriteYAML(ended, &bytes.Buffer{}), context.Canceled)
		require.NoError(t, r.Add(json.RawMessage(`{"schema":"s","x":1,"x":2}`)))
		require.ErrorContains(t, r.WriteYAML(t.Context(), &bytes.Buffer{}), "write JSON instead")
		require.NoError(t, r.Write(t.Context(), &bytes.Buffer{}))
		require.NoError(t, r.Close())
		require.NoError(t, r.Close(), "a second time")
	}

	many := fstest.MapFS{"a.json": two["a.json"]}
	for i := range 1005 {
		many[fmt.Sprintf("%d.txt", i)] = &fstest.MapFile{}
	}
	r = fbc.NewRenderer(fbc.RenderOptions{})
	defer r.Close()
	require.NoError(t, r.AddFS(t.Context(), many, ""))
	list, more := r.Warnings()
	require.Len(t, list, 1000)
	require.Equal(t, 5, more)
}
