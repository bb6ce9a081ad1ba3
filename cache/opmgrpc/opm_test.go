package opmgrpc_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/opmgrpc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// opm returns the path of the real opm, which opm.sh builds.
func opm(t testing.TB) string {
	program := os.Getenv("RESOLUTE_OPM")
	if program == "" {
		t.Skip("LEFT OUT: RESOLUTE_OPM is not the path of opm; ./test.sh builds it")
	}
	return program
}

// serve serves a catalog with the real opm, and returns its address.
func serve(t testing.TB, dir string) string {
	program := opm(t)
	address := testkit.FreeAddress(t)
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	work := t.TempDir()
	cmd := exec.Command(program, "serve", dir, "--port", port, "--cache-dir", filepath.Join(work, "cache"), "--cache-enforce-integrity=false", "--pprof-addr", "", "--termination-log", filepath.Join(work, "log"))
	var output bytes.Buffer
	cmd.Stderr, cmd.Stdout, cmd.Dir = &output, &output, work
	cmd.Env = append(os.Environ(), "TMPDIR="+work)
	require.NoError(t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
	})
	for range 1200 {
		select {
		case err := <-done:
			done <- err
			t.Fatalf("opm serve: %v: %s", err, output.String())
		default:
		}
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			conn.Close()
			return address
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("opm serve does not listen")
	return ""
}

// fetched returns the catalog of a server.
func fetched(t testing.TB, address string, opts opmgrpc.Options) *cache.Catalog {
	source := testkit.Must(opmgrpc.New(address, opts))(t)
	content := testkit.Must(source.Load(context.Background(), nil))(t)
	return content.Catalog
}

// described describes a catalog, except for file positions and the parts that the interface
// lacks: entries without a bundle and, without Details, the content of ClusterServiceVersions.
func described(t testing.TB, c *cache.Catalog, details bool) []string {
	require.Empty(t, c.Problems())
	var all []string
	say := func(v any) {
		// opm reorders the members of properties.
		text := testkit.Must(json.Marshal(v))(t)
		var plain any
		require.NoError(t, json.Unmarshal(text, &plain))
		text = testkit.Must(json.Marshal(plain))(t)
		all = append(all, string(text))
	}
	for p := range c.Packages() {
		say([]any{"package", p.Name, p.DefaultChannel})
		for _, ch := range p.Channels {
			head := ""
			if ch.Head() != nil {
				head = ch.Head().Name
			}
			say([]any{"channel", ch.Name, head})
			// The order of entries has no meaning and is not preserved.
			entries := slices.SortedFunc(slices.Values(ch.Entries), func(a, b graph.Entry) int { return strings.Compare(a.Name, b.Name) })
			for _, e := range entries {
				if p.Bundle(e.Name) != nil {
					say([]any{"entry", e.Name, e.Replaces, append([]string{}, e.Skips()...), e.SkipRange().String()})
				}
			}
		}
		for _, b := range p.Bundles {
			say([]any{"bundle", b.Name, b.VersionText(), b.Image, b.Properties, b.Barred, len(b.Constraints), len(b.Places)})
			if c := b.Compatibility; details && c != nil {
				say([]any{"runs", c.InstallModes, c.MinKubeVersion, c.NativeAPIs})
			}
		}
	}
	return all
}

// A catalog served by opm equals the original.
func TestServed(t *testing.T) {
	address := serve(t, mustAbs(t, "testdata/catalog"))
	want := testkit.Must(fbc.Load(t.Context(), os.DirFS("testdata/catalog"), fbc.Options{}))(t)
	require.Equal(t, described(t, want, false), described(t, fetched(t, address, opmgrpc.Options{}), false))
	require.Equal(t, described(t, want, true), described(t, fetched(t, address, opmgrpc.Options{Details: true}), true))

	// A second load returns the same content.
	source := testkit.Must(opmgrpc.New(address, opmgrpc.Options{}))(t)
	first := testkit.Must(source.Load(t.Context(), nil))(t)
	require.Same(t, first, testkit.Must(source.Load(t.Context(), first))(t))
}

func mustAbs(t testing.TB, name string) string {
	return testkit.Must(filepath.Abs(name))(t)
}

// realCatalog writes the packages of a real catalog without problems, because opm serves no
// others, and returns its directory.
func realCatalog(t testing.TB, name string) string {
	f, err := os.Open(filepath.Join("../../../shared/data", name))
	if err != nil {
		t.Skipf("LEFT OUT: the real catalogs are missing: %v", err)
	}
	defer f.Close()
	r := testkit.Must(gzip.NewReader(f))(t)
	text := testkit.Must(io.ReadAll(r))(t)
	c := testkit.Must(fbc.Read(context.Background(), bytes.NewReader(text), "all.json", fbc.Options{}))(t)
	bad := map[string]bool{}
	for _, p := range c.Problems() {
		bad[p.Package] = true
	}
	for p := range c.Packages() {
		for _, ch := range p.Channels {
			if ch.Head() == nil || strings.Contains(p.Name, "\n") {
				bad[p.Name] = true
			}
		}
	}
	dir := t.TempDir()
	var kept bytes.Buffer
	for line := range bytes.Lines(text) {
		var b struct{ Schema, Package, Name string }
		require.NoError(t, json.Unmarshal(line, &b))
		if b.Schema == graph.SchemaPackage {
			b.Package = b.Name
		}
		if !bad[b.Package] {
			kept.Write(line)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "catalog.json"), kept.Bytes(), 0o600))
	return dir
}

// A real catalog with a few thousand bundles.
func TestServedRealCatalog(t *testing.T) {
	opm(t)
	dir := realCatalog(t, "community-v4.19.jsonl.gz")
	address := serve(t, dir)
	want := testkit.Must(fbc.Load(t.Context(), os.DirFS(dir), fbc.Options{}))(t)
	require.Greater(t, want.Len(), 2000)
	require.Equal(t, described(t, want, false), described(t, fetched(t, address, opmgrpc.Options{}), false))
}
