package fbc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// smallLimits includes the limits in the fuzzing.
var smallLimits = fbc.Options{MaxBlobBytes: 4 << 10, MaxTotalBytes: 1 << 20, MaxBlobs: 1000, MaxDepth: 20, MaxNodes: 500, MaxProblems: 20}

// readFuzzed reads a text. It may be refused, but only in the ways that are
// told, and twice in the same way.
func readFuzzed(t *testing.T, text []byte, name string) {
	c, err := fbc.Read(context.Background(), bytes.NewReader(text), name, smallLimits)
	again, err2 := fbc.Read(context.Background(), bytes.NewReader(text), name, smallLimits)
	if err != nil {
		var limit *fbc.LimitError
		var unreadable *fbc.UnreadableError
		require.True(t, errors.As(err, &limit) || errors.As(err, &unreadable), "%v", err)
		require.Equal(t, err.Error(), err2.Error())
		return
	}
	require.Equal(t, dump(c), dump(again))
	lines := 1
	for _, br := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} { // what YAML takes for an end of line
		lines += bytes.Count(text, []byte(br))
	}
	for _, p := range c.Problems() {
		require.NotEmpty(t, p.Message)
		require.LessOrEqual(t, p.Line, lines)
		require.Equal(t, name, p.File)
	}
	for b := range c.Bundles() {
		for p := range b.Properties.All() {
			require.True(t, json.Valid([]byte(p.Raw())))
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(goodLines))
	f.Add([]byte(pretty(packageBlob) + pretty(channelBlob) + "x\n" + bundleV1))
	f.Add([]byte(`{"schema":"olm.bundle","package":"a","name":"b","properties":[{"type":"olm.gvk","value":{}},{"type":"olm.constraint","value":{"any":{"constraints":[]}}}]}`))
	f.Add([]byte(`{"schema":"olm.deprecations","package":"etcd","entries":[{"reference":{"schema":"olm.package"},"message":"\u00e9"}]}` + "\n{\"a\":1,\n"))
	f.Add([]byte(lines(packageBlob, withProperties(metadataOwn, inObject(csvAll), `{"type":"olm.maxOpenShiftVersion","value":4.9}`))))
	f.Add([]byte(lines(packageBlob, withProperties(inObject(csvAllYAML), `{"type":"olm.bundle.object","value":{"data":"!"}}`))))
	f.Add([]byte("{\"schema\":\"olm.channel\",\"x\":\"" + strings.Repeat("x", 5000) + "\"}\n[[[[[[[[\n}{\n\x1f\x8b"))
	f.Fuzz(func(t *testing.T, text []byte) { readFuzzed(t, text, "f.json") })
}

func FuzzReadYAML(f *testing.F) {
	f.Add([]byte(goodYAML))
	f.Add([]byte("%YAML 1.2\n--- {schema: olm.package, name: a}\n...\n---\na: &a [*a, {<<: *a}]\n"))
	f.Add([]byte("schema: olm.bundle\nl0: &l0 lol\nl1: &l1 [*l0,*l0]\nl2: &l2 {<<: [*l1], x: *l1}\n---\n\x00\n--- |\n x\n"))
	f.Add([]byte("schema: !!str olm.channel\npackage: 1.0\nname: !!float 0x1F\nentries:\n- name: 2001-01-01\n  skips: [~, .nan]\n"))
	f.Add([]byte("? [a]\n: b\n---\n- - - - 'x\n"))
	f.Fuzz(func(t *testing.T, text []byte) { readFuzzed(t, text, "f.yaml") })
}

// FuzzIndexIgnore: whatever stands in an .indexignore file, loading a directory
// ends, finds the same twice, and each file is either read or left out: what a
// pattern cannot do is to add something.
func FuzzIndexIgnore(f *testing.F) {
	for _, seed := range []string{
		"", "*", "!*", "**", "/a", "a/", "sub/*.json", "[", "[!a]", "[]]", "{a,b}", "\\", "# x\n \n!sub/", "**/**/**/**/x", "*a*a*a*a*a*a*a*a*b",
		"\xff", "\u202e*", "sub/../f.json", "../*", "//", "a\\ ", "\ufeff*.json", "[a-", "[z-a]", "?\r\n*.x",
	} {
		f.Add([]byte(seed))
	}
	const other = `{"schema":"olm.bundle","package":"etcd","name":"etcd.v3","image":"i"}`
	f.Fuzz(func(t *testing.T, patterns []byte) {
		fsys := fstest.MapFS{
			"f.json":           {Data: []byte(goodLines)},
			"sub/g.json":       {Data: []byte(other)},
			".indexignore":     {Data: patterns},
			"sub/.indexignore": {Data: patterns},
		}
		c, err := fbc.Load(context.Background(), fsys, fbc.Options{})
		_, err2 := fbc.Load(context.Background(), fsys, fbc.Options{})
		if err != nil {
			var unreadable *fbc.UnreadableError
			require.True(t, errors.As(err, &unreadable) && !errors.Is(err, fs.ErrNotExist), "%v", err)
			require.Equal(t, err.Error(), err2.Error())
			return
		}
		require.NoError(t, err2)
		require.Contains(t, []int{0, 1, 2, 3}, c.Len())
		for _, p := range c.Problems() {
			require.NotEmpty(t, p.Message)
			require.Contains(t, []string{"f.json", "sub/g.json", ".indexignore", "sub/.indexignore"}, p.File)
		}
	})
}
