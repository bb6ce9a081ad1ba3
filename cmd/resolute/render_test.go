package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const etcdBundle = "../../cache/fbc/bundledir/testdata/etcd"

// TestRenderCommand: a directory, the image made of it and its own output are the
// same catalog, as JSON and as YAML.
func TestRenderCommand(t *testing.T) {
	ownCache(t)
	call := func(args ...string) result {
		return resolute(context.Background(), "", append([]string{"render"}, args...)...)
	}
	dir := call("../../examples/catalogs/community")
	require.Equal(t, 0, dir.status, dir.errOut)
	require.Contains(t, strings.SplitN(dir.out, "\n", 2)[0], `"schema":"olm.package"`)
	layout, _ := layoutOf(t, "../../examples/catalogs/community")
	require.Equal(t, dir.out, call("oci:"+layout).out)
	file := write(t, "all.yaml", call("-o", "yaml", "../../examples/catalogs/community").out)
	require.Equal(t, dir.out, call(file).out)
	both := call(file, "../../examples/catalogs/certified.yaml")
	require.Equal(t, 0, both.status, both.errOut)
	require.Equal(t, both.out, call("../../examples/catalogs/certified.yaml", file).out)
	require.Greater(t, len(both.out), len(dir.out))
}

// TestRenderBundle: a bundle directory, with the image that a template names.
func TestRenderBundle(t *testing.T) {
	got := resolute(context.Background(), "", "render", etcdBundle, "--bundle-image", "quay.io/example/{{.Package}}-bundle:v{{.Version}}")
	require.Equal(t, 0, got.status, got.errOut)
	require.Contains(t, got.errOut, "NOTES.txt")
	want, err := os.ReadFile(etcdBundle + ".opm.json")
	require.NoError(t, err)
	require.JSONEq(t, string(want), got.out)
	got = resolute(context.Background(), "", "render", etcdBundle)
	require.Equal(t, 0, got.status, got.errOut)
	var blob struct{ Image *string }
	require.NoError(t, json.Unmarshal([]byte(got.out), &blob))
	require.Nil(t, blob.Image)
	for _, bad := range []string{"{{.Nothing}}", "{{"} {
		got = resolute(context.Background(), "", "render", etcdBundle, "--bundle-image", bad)
		require.Equal(t, 2, got.status)
		require.Contains(t, got.errOut, "--bundle-image")
	}
}

// TestRenderFaults: nothing is written of what cannot be read as a whole.
func TestRenderFaults(t *testing.T) {
	broken := write(t, "broken.json", "{\"schema\":\"olm.package\",\"name\":\"a\"}\n{\"schema\"\n")
	for arg, says := range map[string]string{
		broken: "broken.json:2", filepath.Join(t.TempDir(), "nowhere"): "nowhere", t.TempDir(): "empty",
	} {
		got := resolute(context.Background(), "", "render", "../../examples/catalogs/community", arg)
		require.Equal(t, 2, got.status, arg)
		require.Empty(t, got.out)
		require.Contains(t, got.errOut, says)
	}
	bundle := filepath.Join(t.TempDir(), "bundle")
	require.NoError(t, os.CopyFS(bundle, os.DirFS(etcdBundle)))
	require.NoError(t, os.Remove(filepath.Join(bundle, "metadata/annotations.yaml")))
	got := resolute(context.Background(), "", "render", bundle)
	require.Equal(t, 2, got.status)
	require.Contains(t, got.errOut, "annotations")
}
