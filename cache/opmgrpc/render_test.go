package opmgrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/bundledir"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// The tests of this file compare the output of render and bundledir with the real opm. They are
// in this package because its tests build opm.

// run runs a program and returns its output.
func run(t testing.TB, program string, args ...string) []byte {
	cmd := exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	require.NoError(t, cmd.Run(), "%s %s: %s", program, strings.Join(args, " "), errOut.String())
	return out.Bytes()
}

// values returns the blobs of a JSON stream in a canonical form: opm reorders properties and
// related images, and omits empty lists.
func values(t testing.TB, text []byte) []any {
	var list []any
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var v map[string]any
		err := dec.Decode(&v)
		if err == io.EOF {
			return list
		}
		require.NoError(t, err)
		for _, field := range []string{"properties", "relatedImages"} {
			items, ok := v[field].([]any)
			if !ok {
				continue
			}
			slices.SortFunc(items, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			if len(items) == 0 {
				delete(v, field)
			}
		}
		list = append(list, v)
	}
}

// rendered renders a tree.
func rendered(t testing.TB, dir string, write func(*fbc.Renderer, context.Context, io.Writer) error) []byte {
	r := fbc.NewRenderer(fbc.RenderOptions{})
	defer r.Close()
	require.NoError(t, r.AddFS(context.Background(), os.DirFS(dir), ""))
	var b bytes.Buffer
	require.NoError(t, write(r, context.Background(), &b))
	return b.Bytes()
}

// sameAsOPM compares the output of opm for a directory with ours, and validates ours with opm.
func sameAsOPM(t *testing.T, dir string) {
	program := opm(t)
	ours := rendered(t, dir, (*fbc.Renderer).Write)
	require.Equal(t, values(t, run(t, program, "render", dir)), values(t, ours))
	for name, write := range map[string]func(*fbc.Renderer, context.Context, io.Writer) error{
		"catalog.json": (*fbc.Renderer).Write, "catalog.yaml": (*fbc.Renderer).WriteYAML} {
		out := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(out, name), rendered(t, dir, write), 0o600))
		run(t, program, "validate", out)
		require.Equal(t, values(t, ours), values(t, run(t, program, "render", out)), name)
	}
}

// The blobs must be equal, in the same order.
func TestRenderAsOPM(t *testing.T) {
	sameAsOPM(t, mustAbs(t, "testdata/catalog"))
}

func TestRenderRealCatalogAsOPM(t *testing.T) {
	opm(t)
	sameAsOPM(t, realCatalog(t, "community-v4.19.jsonl.gz"))
}

// registry starts Debian's registry.
func registry(t testing.TB) string {
	for _, program := range []string{"docker-registry", "skopeo", "umoci"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("LEFT OUT: %s is not installed; it is a Debian package", program)
		}
	}
	host := testkit.FreeAddress(t)
	config := filepath.Join(t.TempDir(), "config.yml")
	text := fmt.Sprintf("version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: %q}\n", t.TempDir(), host)
	require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	cmd := exec.Command("docker-registry", "serve", config)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 400 {
		resp, err := http.Get("http://" + host + "/v2/")
		if err == nil {
			resp.Body.Close()
			return host
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatal("the registry does not respond")
	return ""
}

// The blob of a bundle directory equals the one that opm renders from an image built by umoci.
// opm accepts it with and without an image.
func TestBundleAsOPM(t *testing.T) {
	program := opm(t)
	host := registry(t)
	dir := mustAbs(t, "../fbc/bundledir/testdata/etcd")
	layout := filepath.Join(t.TempDir(), "layout")
	image := host + "/example/etcd-bundle:v0.9.4"
	run(t, "umoci", "init", "--layout", layout)
	run(t, "umoci", "new", "--image", layout+":v1")
	for _, folder := range []string{"manifests", "metadata"} {
		run(t, "umoci", "insert", "--rootless", "--image", layout+":v1", filepath.Join(dir, folder), "/"+folder)
	}
	run(t, "umoci", "config", "--image", layout+":v1", "--config.label", "operators.operatorframework.io.bundle.package.v1=etcd")
	run(t, "skopeo", "copy", "--quiet", "--dest-tls-verify=false", "oci:"+layout+":v1", "docker://"+image)

	b := testkit.Must(bundledir.ReadDir(t.Context(), dir, bundledir.Options{}))(t)
	ours := testkit.Must(b.Blob(image))(t)
	require.Equal(t, values(t, run(t, program, "render", "--use-http", image)), values(t, ours))

	for _, image := range []string{image, ""} {
		blob := testkit.Must(b.Blob(image))(t)
		out := t.TempDir()
		catalog := fmt.Sprintf("{\"schema\":\"olm.package\",\"name\":%q,\"defaultChannel\":\"alpha\"}\n{\"schema\":\"olm.channel\",\"package\":%q,\"name\":\"alpha\",\"entries\":[{\"name\":%q}]}\n%s\n", b.Package, b.Package, b.Name, blob)
		require.NoError(t, os.WriteFile(filepath.Join(out, "catalog.json"), []byte(catalog), 0o600))
		run(t, program, "validate", out)
	}
}
