package image_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestMain runs the test binary as a process that stores images if its environment requests it.
func TestMain(m *testing.M) {
	if args := os.Getenv(keeperVariable); args != "" {
		keepForever(args)
	}
	if err := writeExample(); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(exampleDir); err != nil {
			panic(err)
		}
		os.Exit(code)
	}))
}

// etcd and kafka are small valid catalogs.
const etcd = `{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}
{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v1"}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v1","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}
`

var kafka = strings.ReplaceAll(etcd, "etcd", "kafka")

// entry is an entry of a layer.
type entry struct {
	name, body string
	kind       byte // of tar; 0 is a file, or a folder if the name ends in a slash
	link       string
}

// tarOf returns a tar of entries.
func tarOf(t testing.TB, entries ...entry) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: 0o644, Size: int64(len(e.body)), ModTime: time.Unix(1, 0)}
		if h.Typeflag == 0 {
			if h.Typeflag = tar.TypeReg; strings.HasSuffix(e.name, "/") {
				h.Typeflag = tar.TypeDir
			}
		}
		require.NoError(t, w.WriteHeader(h))
		_, err := io.WriteString(w, e.body)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// Compressions of a layer.
func plain(_ testing.TB, data []byte) ([]byte, string) {
	return data, "application/vnd.oci.image.layer.v1.tar"
}

func gzipped(_ testing.TB, data []byte) ([]byte, string) {
	return testkit.Gzip(data), "application/vnd.oci.image.layer.v1.tar+gzip"
}

func zstded(t testing.TB, data []byte) ([]byte, string) {
	w := testkit.Must(zstd.NewWriter(nil))(t)
	return w.EncodeAll(data, nil), "application/vnd.oci.image.layer.v1.tar+zstd"
}

// built is an image: documents and layers by digest, and the digest of its manifest or index.
type built struct {
	top       string
	topType   string
	documents map[string][]byte // manifests and indexes
	blobs     map[string][]byte // configurations and layers
	diffs     []string
	layers    []map[string]any
	labels    map[string]string
	edit      func(manifest, config map[string]any) // before they are digested
}

// sum returns the digest of data.
func sum(data []byte) string {
	s := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(s[:])
}

// newImage returns an image without layers, with a label.
func newImage() *built {
	return &built{documents: map[string][]byte{}, blobs: map[string][]byte{}, labels: map[string]string{image.LabelConfigs: "/configs"}}
}

// layer adds a gzip layer of entries.
func (b *built) layer(t testing.TB, entries ...entry) *built {
	return b.raw(t, tarOf(t, entries...), gzipped)
}

// raw adds a compressed layer.
func (b *built) raw(t testing.TB, data []byte, compress func(testing.TB, []byte) ([]byte, string)) *built {
	packed, mediaType := compress(t, data)
	b.blobs[sum(packed)] = packed
	b.diffs = append(b.diffs, sum(data))
	b.layers = append(b.layers, map[string]any{"mediaType": mediaType, "size": len(packed), "digest": sum(packed)})
	return b
}

// finish creates configuration and manifest.
func (b *built) finish(t testing.TB) *built {
	config := map[string]any{"os": "linux", "architecture": "amd64", "config": map[string]any{"Labels": b.labels},
		"rootfs": map[string]any{"type": "layers", "diff_ids": b.diffs}}
	manifest := map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "layers": b.layers}
	if b.edit != nil {
		b.edit(manifest, config)
	}
	data := testkit.Must(json.Marshal(config))(t)
	b.blobs[sum(data)] = data
	if manifest["config"] == nil {
		manifest["config"] = map[string]any{"mediaType": "application/vnd.oci.image.config.v1+json", "size": len(data), "digest": sum(data)}
	}
	data = testkit.Must(json.Marshal(manifest))(t)
	b.top, b.topType = sum(data), "application/vnd.oci.image.manifest.v1+json"
	b.documents[b.top] = data
	return b
}

// index wraps an image in an index with platforms "os/arch". A platform that begins with "!"
// refers to a missing image.
func (b *built) index(t testing.TB, mediaType string, platforms ...string) *built {
	var list []map[string]any
	for _, p := range platforms {
		name, absent := strings.CutPrefix(p, "!")
		os, arch, _ := strings.Cut(name, "/")
		digest := b.top
		if absent {
			digest = sum([]byte(p))
		}
		m := map[string]any{"mediaType": b.topType, "size": len(b.documents[b.top]), "digest": digest}
		if name != "" {
			m["platform"] = map[string]any{"os": os, "architecture": arch}
		}
		list = append(list, m)
	}
	data := testkit.Must(json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": mediaType, "manifests": list}))(t)
	b.top, b.topType = sum(data), mediaType
	b.documents[b.top] = data
	return b
}

// layout writes an image as an OCI image layout, and returns its directory.
func (b *built) layout(t testing.TB) string {
	dir := t.TempDir()
	files := map[string][]byte{"oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`)}
	for _, m := range []map[string][]byte{b.documents, b.blobs} {
		for digest, data := range m {
			files["blobs/"+strings.ReplaceAll(digest, ":", "/")] = data
		}
	}
	files["index.json"] = testkit.Must(json.Marshal(map[string]any{"schemaVersion": 2, "manifests": []map[string]any{
		{"mediaType": b.topType, "size": len(b.documents[b.top]), "digest": b.top}}}))(t)
	testkit.WriteFiles(t, dir, files)
	return dir
}

// good returns an image with one catalog.
func good(t testing.TB) *built {
	return newImage().layer(t, entry{name: "configs/"}, entry{name: "configs/etcd.json", body: etcd}).finish(t)
}

// registry is a fake registry that serves one image under any name and tag. real_test.go tests
// against a real one.
type registry struct {
	*httptest.Server
	mu       sync.Mutex
	img      *built
	requests []string
	before   func(w http.ResponseWriter, r *http.Request) bool // returns true if it wrote the response
}

// serve serves an image over plain HTTP.
func serve(t testing.TB, img *built) *registry {
	r := &registry{img: img}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP implements http.Handler.
func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.requests = append(r.requests, req.Method+" "+req.URL.Path)
	img, before := r.img, r.before
	r.mu.Unlock()
	if before != nil && before(w, req) {
		return
	}
	parts := strings.Split("/"+req.URL.Path, "/")
	kind, id := parts[len(parts)-2], parts[len(parts)-1]
	var data []byte
	switch kind {
	case "manifests":
		if !strings.Contains(id, ":") {
			id = img.top
		}
		data = img.documents[id]
		var form struct{ MediaType string }
		_ = json.Unmarshal(data, &form)
		w.Header().Set("Content-Type", form.MediaType)
		w.Header().Set("Docker-Content-Digest", id)
	case "blobs":
		data = img.blobs[id]
	}
	if data == nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}`)
		return
	}
	http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(data))
}

// host returns the host of a server.
func (r *registry) host() string {
	return strings.TrimPrefix(strings.TrimPrefix(r.URL, "https://"), "http://")
}

// ref returns a reference by tag.
func (r *registry) ref() image.Reference { return parsed(r.host() + "/ns/catalog:v1") }

// requested returns the requests since the last call.
func (r *registry) requested() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.requests
	r.requests = nil
	return last
}

// set replaces the image.
func (r *registry) set(img *built) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.img = img
}

// open opens an image and requires success.
func open(t testing.TB, ref image.Reference, opts image.Options) *image.Files {
	f := testkit.Must(image.Open(context.Background(), ref, opts))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// fails opens an image, requires an error and returns it.
func fails(t testing.TB, ref image.Reference, opts image.Options) error {
	f, err := image.Open(context.Background(), ref, opts)
	require.Error(t, err)
	require.Nil(t, f)
	return err
}

// list returns the content of a file system: "name: content" for a file, "name/" for a folder
// and "name -> " for a link that does not lead to a file.
func list(t testing.TB, fsys fs.FS) []string {
	var out []string
	require.NoError(t, fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		switch {
		case name == ".":
		case e.IsDir():
			out = append(out, name+"/")
		case e.Type()&fs.ModeSymlink != 0:
			out = append(out, name+" ->")
		default:
			data := testkit.Must(fs.ReadFile(fsys, name))(t)
			out = append(out, fmt.Sprintf("%s: %s", name, data))
		}
		return nil
	}))
	return out
}

// layoutRef returns a reference to a layout.
func layoutRef(dir string) image.Reference { return parsed("oci:" + dir) }

// pemOf returns a certificate as PEM.
func pemOf(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// trusting returns a TLS configuration that trusts one authority.
func trusting(authority []byte) *tls.Config {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	return &tls.Config{RootCAs: pool}
}

// parsed parses a valid reference.
func parsed(text string) image.Reference {
	ref, err := image.Parse(text)
	if err != nil {
		panic(err)
	}
	return ref
}
