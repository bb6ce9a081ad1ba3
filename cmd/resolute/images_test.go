package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
)

// layoutOf writes an OCI image layout with the files of a folder below /configs,
// and returns its folder and the digest of its manifest.
func layoutOf(t *testing.T, folder string) (dir, digest string) {
	dir = t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "blobs/sha256"), 0o755))
	put := func(data []byte, mediaType string) map[string]any {
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "blobs/sha256", sum), data, 0o600))
		return map[string]any{"mediaType": mediaType, "digest": "sha256:" + sum, "size": len(data)}
	}
	text := func(v any) []byte {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		return data
	}
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	require.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "configs/" + name, Mode: 0o644, Size: int64(len(data))}))
		_, err = w.Write(data)
		return err
	}))
	require.NoError(t, w.Close())
	content := put(layer.Bytes(), "application/vnd.oci.image.layer.v1.tar")
	config := put(text(map[string]any{
		"architecture": "amd64", "os": "linux", "rootfs": map[string]any{"type": "layers", "diff_ids": []any{content["digest"]}},
		"config": map[string]any{"Labels": map[string]string{"operators.operatorframework.io.index.configs.v1": "/configs"}},
	}), "application/vnd.oci.image.config.v1+json")
	manifest := put(text(map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": []any{content}}),
		"application/vnd.oci.image.manifest.v1+json")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "index.json"), text(map[string]any{"schemaVersion": 2, "manifests": []any{manifest}}), 0o600))
	return dir, manifest["digest"].(string)
}

// ownCache gives the test a cache folder of its own, and returns it.
func ownCache(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	return dir
}

// TestImageArgument: an image may stand where a catalog does, and the answer is the
// same but for what the catalog is called.
func TestImageArgument(t *testing.T) {
	ownCache(t)
	dir, _ := layoutOf(t, "../../examples/catalogs/community")
	for _, command := range []string{"validate -o json", "audit -o json", "graph -o json"} {
		args := strings.Fields(command)
		tail := []string{}
		if args[0] == "graph" {
			tail = []string{"etcd"}
		}
		call := func(catalog string) result {
			return resolute(context.Background(), "", append(append(args[:len(args):len(args)], catalog), tail...)...)
		}
		want, got := call("../../examples/catalogs/community"), call("oci:"+dir)
		require.Equal(t, want.status, got.status, got.errOut)
		require.NotEmpty(t, got.out)
		same := func(s string) string {
			s = strings.ReplaceAll(s, "oci:"+dir, "../../examples/catalogs/community")
			s = strings.ReplaceAll(s, "default/"+filepath.Base(dir), "default/community")
			before, _, _ := strings.Cut(s, `"seconds"`) // of the audit
			return before
		}
		require.Equal(t, same(want.out), same(got.out), command)
	}
	got := resolute(context.Background(), "", "graph", "oci:"+filepath.Join(dir, "nowhere"), "etcd")
	require.Equal(t, 2, got.status)
	require.Contains(t, got.errOut, "nowhere")
}

// TestCatalogArgument: what a catalog is called. What exists goes before an image without a
// transport.
func TestCatalogArgument(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("a=b.yaml", nil, 0o600))
	require.NoError(t, os.MkdirAll("quay.io/ns", 0o755))
	require.NoError(t, os.WriteFile("quay.io/ns/there:v1", nil, 0o600))
	for arg, want := range map[string][2]string{
		"quay.io/ns/catalog:v1":            {"default/catalog", "quay.io/ns/catalog:v1"},
		"quay.io/ns/there:v1":              {"default/there:v1", "quay.io/ns/there:v1"},
		"docker://quay.io/ns/there:v1":     {"default/there", "docker://quay.io/ns/there:v1"},
		"olm/hub=quay.io/ns/catalog:v1":    {"olm/hub", "quay.io/ns/catalog:v1"},
		"oci-archive:some/where.tar":       {"default/where", "oci-archive:some/where.tar"},
		"hub=docker-archive:some/file.tar": {"default/hub", "docker-archive:some/file.tar"},
		"quay.io":                          {"default/quay.io", "quay.io"},
		"catalogs/etcd":                    {"default/etcd", "catalogs/etcd"},
		"missing.example/catalog.yaml":     {"default/catalog", "missing.example/catalog.yaml"},
		"catalogs/community/":              {"default/community", "catalogs/community/"},
		"community-v4.19.jsonl.gz":         {"default/community-v4.19", "community-v4.19.jsonl.gz"},
		".":                                {"default/" + filepath.Base(dir), "."},
		".yaml":                            {"default/.yaml", ".yaml"},
		"mine=catalogs/community":          {"default/mine", "catalogs/community"},
		"olm/mine=catalogs/a=b":            {"olm/mine", "catalogs/a=b"},
		"a=b.yaml":                         {"default/a=b", "a=b.yaml"},
		"operators/x=community.yaml.gz":    {"operators/x", "community.yaml.gz"},
	} {
		key, path, err := pull.Argument(arg)
		require.NoError(t, err, arg)
		require.Equal(t, want, [2]string{key.String(), path}, arg)
	}
	_, _, err := pull.Argument("=path")
	require.Error(t, err)
}

// TestImageInScenario: it is read only with permission, and a path is relative to
// the scenario.
func TestImageInScenario(t *testing.T) {
	cached := ownCache(t)
	layout, _ := layoutOf(t, "../../examples/catalogs/community")
	file := filepath.Join(filepath.Dir(layout), "s.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "catalogs: [{name: c, image: %q}]\nsubscriptions: [{name: etcd, package: etcd}]\nexpect: {status: resolved}\n", "oci:"+filepath.Base(layout)), 0o600))
	for _, args := range []string{"resolve", "whatif", "converge", "test"} {
		got := resolute(context.Background(), "", args, file)
		require.NotEqual(t, 0, got.status, args)
		require.Contains(t, got.out+got.errOut, "--allow-images", args)
		require.Equal(t, 0, resolute(context.Background(), "", "--no-cache", args, "--allow-images", file).status, args)
	}
	require.NoDirExists(t, filepath.Join(cached, "resolute"))
	got := resolute(context.Background(), "", "resolve", file, "--allow-images", "--no-cache")
	require.Equal(t, 0, got.status, got.errOut)
	require.Contains(t, got.out, "etcdoperator.v0.9.4")
	require.NoDirExists(t, filepath.Join(cached, "resolute"))
	// What a cluster is like does not need the catalogs.
	got = resolute(context.Background(), "", "audit", "../../examples/catalogs/certified.yaml", "--cluster", file)
	require.NotEqual(t, 2, got.status, got.errOut)
}

// TestImagesCommand lists and removes cached images.
func TestImagesCommand(t *testing.T) {
	cached := ownCache(t)
	layout, digest := layoutOf(t, "../../examples/catalogs/community")
	call := func(args ...string) result { return resolute(context.Background(), "", args...) }
	fetch := func() { require.Equal(t, 0, call("graph", "oci:"+layout, "etcd").status) }
	fetch()
	require.DirExists(t, filepath.Join(cached, "resolute", "images"))
	got := call("images", "-o", "json")
	var list struct {
		Images []struct {
			Digest     string
			References []string
			Bytes      int64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &list))
	require.Len(t, list.Images, 1)
	require.Equal(t, digest, list.Images[0].Digest)
	require.Equal(t, []string{"oci:" + layout}, list.Images[0].References)
	require.Positive(t, list.Images[0].Bytes)
	require.Contains(t, call("images").out, digest)

	got = call("images", "--remove", "oci:"+layout+"x")
	require.Equal(t, 2, got.status)
	require.Contains(t, got.errOut, "is not cached")
	require.Equal(t, 0, call("images", "--remove", "oci:"+layout).status)
	require.Equal(t, "0 images, 0.0 MB\n", call("images").out)
	fetch()
	require.Equal(t, 0, call("images", "--remove", digest).status)
	fetch()
	require.Equal(t, 0, call("images", "--clear").status)
	require.Equal(t, `{"images":[]}`+"\n", call("images", "-o", "json").out)
	require.Equal(t, 2, call("images", "extra").status)
	// The folder that a flag names.
	own := t.TempDir()
	require.Equal(t, 0, call("graph", "--image-cache", own, "oci:"+layout, "etcd").status)
	require.Contains(t, call("images", "--image-cache", own).out, digest)
	require.Equal(t, "0 images, 0.0 MB\n", call("images").out)
}

// TestImageFlags: what cannot be used is said, with the flag.
func TestImageFlags(t *testing.T) {
	ownCache(t)
	for args, says := range map[string]string{
		"--registry-mirror=quay.io":              "--registry-mirror: ",
		"--authfile=nowhere/auth.json":           "--authfile: ",
		"--registry-ca=nowhere/ca.pem":           "--registry-ca: ",
		"--registry-plain-http=a/b":              "insecure host",
		"--offline":                              "is not in the store",
		"--registry-mirrors=quay.io=localhost:1": "did you mean --registry-mirror?",
	} {
		got := resolute(context.Background(), "", "graph", args, "quay.io/ns/none:v1", "etcd")
		require.Equal(t, 2, got.status, args)
		require.Contains(t, got.errOut, says, args)
	}
}

// registry serves the image of a layout as ns/catalog:v1, and records the requests. How real
// registries answer is tested in cache/image.
type registry struct {
	layout, digest, host string
	mu                   sync.Mutex
	log                  []string
}

// commandName returns the requests since the last call.
func (r *registry) asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.log
	r.log = nil
	return log
}

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.log = append(r.log, req.Method+" "+req.URL.Path)
	r.mu.Unlock()
	if req.URL.Path == "/v2/" {
		return
	}
	if strings.Contains(req.URL.Path, "/manifests/") {
		w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
		w.Header().Set("Docker-Content-Digest", r.digest)
	}
	blob := strings.Replace(path.Base(req.URL.Path), "v1", r.digest, 1)
	http.ServeFile(w, req, filepath.Join(r.layout, "blobs", strings.Replace(blob, ":", "/", 1)))
}

// startRegistry starts a registry with an image of the community catalog.
func startRegistry(t *testing.T) *registry {
	layout, digest := layoutOf(t, "../../examples/catalogs/community")
	r := &registry{layout: layout, digest: digest}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.host = server.Listener.Addr().String()
	return r
}

// TestImageKept: of a tag that is kept the registry is asked only what it stands
// for, and of a digest it is not asked.
func TestImageKept(t *testing.T) {
	ownCache(t)
	r := startRegistry(t)
	ref := r.host + "/ns/catalog:v1"
	first := resolute(context.Background(), "", "audit", "-o", "json", "c="+ref)
	require.Equal(t, 1, first.status, first.errOut)
	require.Contains(t, strings.Join(r.asked(), "\n"), "GET /v2/ns/catalog/blobs/")

	again := resolute(context.Background(), "", "audit", "-o", "json", "c="+ref)
	require.Equal(t, 1, again.status, again.errOut)
	for _, request := range r.asked() {
		require.Contains(t, []string{"HEAD /v2/ns/catalog/manifests/v1", "GET /v2/"}, request)
	}
	digest, _, _ := strings.Cut(resolute(context.Background(), "", "images").out, " ")
	require.Equal(t, 0, resolute(context.Background(), "", "graph", r.host+"/ns/catalog@"+digest, "etcd").status)
	require.Equal(t, 0, resolute(context.Background(), "", "graph", "--offline", ref, "etcd").status)
	require.Empty(t, r.asked())

	require.Equal(t, 0, resolute(context.Background(), "", "graph", "--no-cache", ref, "etcd").status)
	require.Contains(t, strings.Join(r.asked(), "\n"), "GET /v2/ns/catalog/blobs/")

	// By way of a mirror, without asking anybody else.
	got := resolute(context.Background(), "", "graph", "--no-cache", "--mirrors-only", "--registry-mirror", "registry.invalid/far="+r.host+"/ns", "registry.invalid/far/catalog:v1", "etcd")
	require.Equal(t, 0, got.status, got.errOut)
}

// TestImageCredentials: a registry with TLS and authentication wants the certificate and the credential that flags name.
func TestImageCredentials(t *testing.T) {
	ownCache(t)
	r := startRegistry(t)
	guarded := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if user, password, ok := req.BasicAuth(); !ok || user != "robot" || password != "p4ssw0rd" {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.ServeHTTP(w, req)
	}))
	guarded.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not trust it
	guarded.StartTLS()
	defer guarded.Close()
	host := guarded.Listener.Addr().String()
	authority := write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: guarded.Certificate().Raw})))
	auths := write(t, "auth.json", fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, host+"/ns", base64.StdEncoding.EncodeToString([]byte("robot:p4ssw0rd"))))
	none := write(t, "none.json", `{}`)
	graph := func(flags ...string) result {
		return resolute(context.Background(), "", append(append([]string{"graph"}, flags...), host+"/ns/catalog:v1", "etcd")...)
	}
	require.Equal(t, 2, graph("--authfile", auths).status)
	got := graph("--registry-ca", authority, "--authfile", none)
	require.Equal(t, 2, got.status)
	require.Contains(t, got.errOut, "401")
	got = graph("--registry-ca", authority, "--authfile", auths)
	require.Equal(t, 0, got.status, got.errOut)
	// Where the credential stands for podman as well.
	t.Setenv("REGISTRY_AUTH_FILE", auths)
	require.Equal(t, 0, graph("--registry-ca", authority, "--no-cache").status)
}
