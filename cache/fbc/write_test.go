package fbc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// sound is a catalog as Write writes it: nothing in it is quarantined.
const sound = `{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}
{"schema":"olm.channel","package":"etcd","name":"alpha","entries":[{"name":"etcd.v2"}]}
{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v2","replaces":"etcd.v1","skips":["etcd.v0","a<b"],"skipRange":"<1.0.0"},{"name":"etcd.v1"}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v1","image":"i1","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}},{"type":"x","value":[1.50,"é\n",null]}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v2","image":"i2","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"2.0.0"}}]}
{"schema":"olm.deprecations","package":"etcd","entries":[{"reference":{"schema":"olm.package"},"message":"all"},{"reference":{"schema":"olm.channel","name":"alpha"},"message":""},{"reference":{"schema":"olm.bundle","name":"etcd.v1"},"message":"old"}]}
{"schema":"olm.package","name":"zoo","defaultChannel":"c"}
{"schema":"olm.channel","package":"zoo","name":"c","entries":[{"name":"zoo.v1"}]}
{"schema":"olm.bundle","package":"zoo","name":"zoo.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"zoo","version":"1.0.0"}},{"type":"olm.csv.metadata","value":{"annotations":{"resolute.excerpt":"true"},"installModes":[{"type":"OwnNamespace","supported":true},{"type":"SingleNamespace","supported":false},{"type":"MultiNamespace","supported":false},{"type":"AllNamespaces","supported":false}],"minKubeVersion":"1.20.0"}}]}
`

// write writes a catalog.
func write(t *testing.T, c *cache.Catalog, opts fbc.WriteOptions) string {
	var b bytes.Buffer
	require.NoError(t, fbc.Write(&b, c, opts))
	return b.String()
}

// TestWrite: what was written comes back, blob by blob, whatever the order in which
// it is read.
func TestWrite(t *testing.T) {
	c := read(t, "c.jsonl", sound, fbc.Options{})
	require.Empty(t, c.Problems())
	require.Equal(t, sound, write(t, c, fbc.WriteOptions{}))
	lines := strings.Split(strings.TrimSpace(sound), "\n")
	for i := range lines { // channels and bundles come by name, whatever came first
		turned := append(append([]string{}, lines[i:]...), lines[:i]...)
		require.Equal(t, sound, write(t, read(t, "c.jsonl", strings.Join(turned, "\n"), fbc.Options{}), fbc.WriteOptions{}))
	}
}

// TestWriteWhatIsNotKept: what the metadata said of where a bundle runs is written
// though the metadata is not kept.
func TestWriteWhatIsNotKept(t *testing.T) {
	text := `{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"}]}
{"schema":"olm.bundle","package":"p","name":"p.v1","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},{"type":"olm.csv.metadata","value":{"description":"long","installModes":[{"type":"AllNamespaces","supported":true}],"minKubeVersion":"1.25.0","nativeAPIs":[{"group":"apps","version":"v1","kind":"Deployment"}]}},{"type":"olm.maxOpenShiftVersion","value":"4.18"}]}
`
	first := read(t, "c.jsonl", text, fbc.Options{})
	again := read(t, "c.jsonl", write(t, first, fbc.WriteOptions{}), fbc.Options{})
	require.NotNil(t, first.Bundle(0).Compatibility)
	require.True(t, first.Bundle(0).Compatibility.Equal(again.Bundle(0).Compatibility))
	require.NotContains(t, write(t, first, fbc.WriteOptions{}), "long")
}

// TestWriteQuarantined: what cannot be used is left out, since it would come back
// without what was wrong with it; an exact copy has it, and what was wrong.
func TestWriteQuarantined(t *testing.T) {
	broken := strings.Replace(sound, `{"type":"x","value":[1.50,"é\n",null]}`, `{"type":"olm.gvk.required","value":{"group":"g"}}`, 1) +
		`{"schema":"olm.channel","package":"zoo","name":"bad","entries":[{"name":"a"},{"name":"b"}]}
{"schema":"olm.bundle","package":"nobody","name":"nobody.v1","properties":[]}
broken
`
	c := read(t, "c.jsonl", broken, fbc.Options{})
	require.NotNil(t, c.Package("etcd").Bundle("etcd.v1").Quarantine)
	plain := write(t, c, fbc.WriteOptions{})
	again := read(t, "again.jsonl", plain, fbc.Options{})
	require.Nil(t, again.Package("etcd").Bundle("etcd.v1"), "it would be installed without what it requires")
	require.Nil(t, again.Package("zoo").Channel("bad"))
	require.Nil(t, again.Package("nobody"))
	require.Equal(t, 2, len(again.Package("etcd").Channel("stable").Chain()), "its entry carries the chain")
	require.Equal(t, plain, write(t, again, fbc.WriteOptions{}))

	exact := write(t, c, fbc.WriteOptions{Exact: true})
	for line := range strings.Lines(plain) {
		require.Contains(t, exact, line, "an exact copy has further blobs, and no other ones")
	}
	whole := read(t, "again.jsonl", exact, fbc.Options{Exact: true})
	require.Equal(t, c.Digest(), whole.Digest())
	require.Equal(t, c.Problems(), whole.Problems())
	require.Equal(t, exact, write(t, whole, fbc.WriteOptions{Exact: true}))
	stranger := read(t, "again.jsonl", exact, fbc.Options{})
	require.Equal(t, again.Len(), stranger.Len(), "nobody is told what is wrong by the catalog itself")
	for _, p := range stranger.Problems() {
		require.Equal(t, "again.jsonl", p.File)
	}
	_, err := fbc.Read(context.Background(), strings.NewReader(exact+"broken\n"), "c", fbc.Options{Exact: true})
	testkit.As[*fbc.ProblemsError](t, err)
}

// TestWriteFails: an error of the writer, or a text that cannot be written.
func TestWriteFails(t *testing.T) {
	c := read(t, "c.jsonl", sound, fbc.Options{})
	for n := 0; n < len(sound); n += 97 {
		full := testkit.Full(n)
		require.ErrorIs(t, fbc.Write(&full, c, fbc.WriteOptions{}), testkit.ErrFull)
	}
	odd := graph.Build(graph.PackageDecl{Name: "a\xff"}, graph.Options{})
	require.ErrorContains(t, fbc.Write(io.Discard, cache.NewCatalog([]*graph.Package{odd}, nil), fbc.WriteOptions{Exact: true}), "not valid UTF-8")
}

// TestWriteForJQ reads the output with another tool.
func TestWriteForJQ(t *testing.T) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("needs jq")
	}
	cmd := exec.Command(jq, "-r", `select(.schema == "olm.bundle") | .name`)
	cmd.Stdin = strings.NewReader(write(t, read(t, "c.jsonl", sound, fbc.Options{}), fbc.WriteOptions{Exact: true}))
	require.Equal(t, "etcd.v1\netcd.v2\nzoo.v1\n", string(testkit.Must(cmd.Output())(t)))
}

// A catalog is filtered by a program and written for opm to serve.
func ExampleWrite() {
	c, err := fbc.Read(context.Background(), strings.NewReader(`
schema: olm.package
name: etcd
defaultChannel: stable
---
schema: olm.channel
package: etcd
name: stable
entries: [{name: etcd.v1.0.0}]
---
schema: olm.bundle
package: etcd
name: etcd.v1.0.0
properties: [{type: olm.package, value: {packageName: etcd, version: 1.0.0}}]
`), "catalog.yaml", fbc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := fbc.Write(os.Stdout, c, fbc.WriteOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"schema":"olm.package","name":"etcd","defaultChannel":"stable"}
	// {"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v1.0.0"}]}
	// {"schema":"olm.bundle","package":"etcd","name":"etcd.v1.0.0","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}
}
