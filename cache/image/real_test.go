package image_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// The tests of this file use a real registry and images built by other programs. Each test
// skips if its programs are missing: the Debian packages docker-registry, skopeo, umoci and
// buildah.

// need skips a test if a program is missing.
func need(t testing.TB, programs ...string) {
	testkit.OnlyLong(t, "real programs take seconds")
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("LEFT OUT: %s is not installed; it is a Debian package", p)
		}
	}
}

// run runs a program and requires success.
func run(t testing.TB, program string, args ...string) string {
	out, err := exec.Command(program, args...).CombinedOutput()
	require.NoError(t, err, "%s %s: %s", program, strings.Join(args, " "), out)
	return string(out)
}

// realRegistry starts Debian's registry and returns its host. With auth it requires the user
// robot and secretText. With TLS it also returns its certificate authority.
func realRegistry(t testing.TB, auth, withTLS bool) (host string, authority []byte) {
	need(t, "docker-registry")
	dir := t.TempDir()
	host = testkit.FreeAddress(t)
	config := map[string]any{"version": "0.1", "log": map[string]any{"level": "error", "accesslog": map[string]any{"disabled": true}},
		"storage": map[string]any{"filesystem": map[string]any{"rootdirectory": filepath.Join(dir, "data")}}}
	web := map[string]any{"addr": host}
	config["http"] = web
	if auth {
		// Output of htpasswd -Bbn robot for secretText.
		users := filepath.Join(dir, "htpasswd")
		require.NoError(t, os.WriteFile(users, []byte("robot:$2y$05$Gy.ZUE4iIobxwD.6li2LZ.u94JK2wDGad9Wd4b.EDxyMAMWU1SwBG\n"), 0o600))
		config["auth"] = map[string]any{"htpasswd": map[string]any{"realm": "test", "path": users}}
	}
	client := &http.Client{}
	scheme := "http"
	if withTLS {
		der, private := certificate(t, valid())
		authority = pemOf(der)
		key := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: testkit.Must(x509.MarshalECPrivateKey(private))(t)})
		testkit.WriteFiles(t, dir, map[string][]byte{"cert.pem": authority, "key.pem": key})
		web["tls"] = map[string]any{"certificate": filepath.Join(dir, "cert.pem"), "key": filepath.Join(dir, "key.pem")}
		scheme = "https"
		client.Transport = &http.Transport{TLSClientConfig: trusting(authority), DisableKeepAlives: true}
	}
	data, err := json.Marshal(config) // JSON is valid YAML
	require.NoError(t, err)
	file := filepath.Join(dir, "config.yml")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	cmd := exec.Command("docker-registry", "serve", file)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		client.CloseIdleConnections()
	})
	for range 200 {
		resp, err := client.Get(scheme + "://" + host + "/v2/")
		if err == nil {
			resp.Body.Close()
			return host, authority
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatal("the registry does not respond")
	return "", nil
}

// certificate returns a self-signed certificate and its key.
func certificate(t testing.TB, template x509.Certificate) (der []byte, key *ecdsa.PrivateKey) {
	key = testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template.SerialNumber, template.IsCA, template.BasicConstraintsValid = big.NewInt(1), true, true
	return testkit.Must(x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key))(t), key
}

// valid returns a certificate for 127.0.0.1.
func valid() x509.Certificate {
	return x509.Certificate{NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
}

// umociImage builds an image of many layers with umoci and returns its layout. Each function
// changes the tree, and umoci creates the whiteouts.
func umociImage(t testing.TB, changes ...func(root string)) string {
	need(t, "umoci")
	dir := t.TempDir()
	layout, bundle := filepath.Join(dir, "layout"), filepath.Join(dir, "bundle")
	img := layout + ":v1"
	run(t, "umoci", "init", "--layout", layout)
	run(t, "umoci", "new", "--image", img)
	for _, change := range changes {
		args := []string{"unpack", "--image", img, bundle}
		if os.Getuid() != 0 {
			args = append(args[:1], append([]string{"--rootless"}, args[1:]...)...)
		}
		run(t, "umoci", args...)
		change(filepath.Join(bundle, "rootfs"))
		run(t, "umoci", "repack", "--image", img, bundle)
		require.NoError(t, os.RemoveAll(bundle))
	}
	run(t, "umoci", "config", "--image", img, "--config.label", image.LabelConfigs+"=/configs")
	return layout
}

// oracle returns the files that umoci unpacks below a folder of an image, in the form of list.
func oracle(t testing.TB, layout, folder string) []string {
	bundle := filepath.Join(t.TempDir(), "bundle")
	args := []string{"unpack", "--image", layout + ":v1", bundle}
	if os.Getuid() != 0 {
		args = append(args[:1], append([]string{"--rootless"}, args[1:]...)...)
	}
	run(t, "umoci", args...)
	root := filepath.Join(bundle, "rootfs", folder)
	var out []string
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		name := testkit.Must(filepath.Rel(root, path))(t)
		info, missing := os.Stat(path)
		switch {
		case name == ".":
		case e.IsDir():
			out = append(out, name+"/")
		case missing != nil || info.IsDir():
			out = append(out, name+" ->")
		default:
			data := testkit.Must(os.ReadFile(path))(t)
			out = append(out, fmt.Sprintf("%s: %s", name, data))
		}
		return nil
	}))
	return out
}

// put writes a file into a tree.
func put(t testing.TB, root, name, text string) {
	testkit.WriteFiles(t, root, map[string]string{name: text})
}

// layered covers all kinds of whiteouts and links.
func layered(t testing.TB) []func(root string) {
	check := func(err error) { require.NoError(t, err) }
	changes := []func(root string){
		func(root string) {
			put(t, root, "configs/etcd/catalog.json", etcd)
			put(t, root, "configs/kafka/catalog.json", kafka)
			put(t, root, "configs/gone/a.json", "{}")
			put(t, root, "usr/bin/opm", strings.Repeat("opm", 100_000))
		},
		func(root string) {
			check(os.RemoveAll(filepath.Join(root, "configs/gone")))
			check(os.Remove(filepath.Join(root, "configs/kafka/catalog.json")))
			put(t, root, "configs/kafka/other.json", kafka)
			check(os.Link(filepath.Join(root, "configs/etcd/catalog.json"), filepath.Join(root, "configs/etcd/hard.json")))
			check(os.Symlink("etcd/catalog.json", filepath.Join(root, "configs/soft.json")))
			check(os.Symlink("etcd", filepath.Join(root, "configs/folder")))
			check(os.Symlink("nowhere.json", filepath.Join(root, "configs/broken.json")))
		},
		func(root string) {
			put(t, root, "configs/gone/b.json", "{}") // restores a hidden folder
			check(os.RemoveAll(filepath.Join(root, "configs/kafka")))
			put(t, root, "configs/kafka", "a file now")
			check(os.Remove(filepath.Join(root, "usr/bin/opm")))
		},
	}
	for i := range 12 {
		changes = append(changes, func(root string) {
			put(t, root, fmt.Sprintf("configs/many/%d.json", i), fmt.Sprint(i))
			if i > 3 {
				check(os.Remove(filepath.Join(root, fmt.Sprintf("configs/many/%d.json", i-2))))
			}
		})
	}
	return changes
}

// TestUmoci: whiteouts, links and layers give the same files as umoci unpack.
func TestUmoci(t *testing.T) {
	layout := umociImage(t, layered(t)...)
	want := oracle(t, layout, "configs")
	require.Greater(t, len(want), 12)
	require.Equal(t, want, list(t, open(t, layoutRef(layout), image.Options{})))

	t.Run("opaque folder", func(t *testing.T) {
		extra := t.TempDir()
		put(t, extra, "new.json", "{}")
		run(t, "umoci", "insert", "--image", layout+":v1", "--opaque", extra, "/configs/many")
		run(t, "umoci", "insert", "--image", layout+":v1", "--whiteout", "/configs/etcd")
		want := oracle(t, layout, "configs")
		require.Equal(t, want, list(t, open(t, layoutRef(layout), image.Options{})))
		require.Contains(t, want, "many/new.json: {}")
		require.NotContains(t, want, "many/11.json: 11")
	})
}

// TestSkopeo: copies by skopeo in each format contain the same catalog.
func TestSkopeo(t *testing.T) {
	need(t, "skopeo", "umoci", "docker-registry")
	layout := umociImage(t, layered(t)...)
	want := list(t, open(t, layoutRef(layout), image.Options{}))
	dir := t.TempDir()
	host, _ := realRegistry(t, false, false)
	copyTo := func(to string, args ...string) {
		run(t, "skopeo", append([]string{"--insecure-policy", "copy", "-q", "--dest-tls-verify=false"}, append(args, "oci:"+layout+":v1", to)...)...)
	}
	hub := "docker://" + host + "/ns/catalog:"
	copyTo(hub + "v1")
	copyTo(hub+"docker", "--format", "v2s2")
	// A second registry: skopeo reuses existing layers without converting them.
	other, _ := realRegistry(t, false, false)
	zstd := "docker://" + other + "/ns/zstd:v1"
	copyTo(zstd, "--dest-compress-format", "zstd")
	copyTo("oci:" + dir + "/oci:quay.io/ns/catalog:v2")
	copyTo("oci-archive:" + dir + "/oci.tar:v1")
	copyTo("docker-archive:" + dir + "/docker.tar:quay.io/ns/catalog:v1")
	run(t, "gzip", "-k", dir+"/docker.tar")
	digest := strings.TrimSpace(run(t, "skopeo", "inspect", "--tls-verify=false", "--format", "{{.Digest}}", hub+"v1"))
	store := openStore(t, t.TempDir(), 0)
	for _, ref := range []string{
		hub + "v1", host + "/ns/catalog:v1", host + "/ns/catalog@" + digest, host + "/ns/catalog:ignored@" + digest,
		hub + "docker", zstd,
		"oci:" + dir + "/oci", "oci:" + dir + "/oci:quay.io/ns/catalog:v2",
		"oci-archive:" + dir + "/oci.tar", "oci-archive:" + dir + "/oci.tar:v1",
		"docker-archive:" + dir + "/docker.tar", "docker-archive:" + dir + "/docker.tar:quay.io/ns/catalog:v1", "docker-archive:" + dir + "/docker.tar.gz",
	} {
		for _, opts := range []image.Options{{}, {Store: store}} {
			f := open(t, parsed(ref), opts)
			require.Equal(t, want, list(t, f), ref)
			if strings.HasSuffix(ref, "catalog:v1") && strings.HasPrefix(ref, "d") && !strings.Contains(ref, "archive") {
				require.Equal(t, digest, f.Digest())
			}
		}
	}
	types := run(t, "skopeo", "inspect", "--raw", "--tls-verify=false", zstd)
	require.Contains(t, types, "tar+zstd", "skopeo did not convert the layers")
	require.Contains(t, run(t, "skopeo", "inspect", "--raw", "--tls-verify=false", hub+"docker"), "vnd.docker.image.rootfs.diff")

	status := testkit.As[*cache.StatusError](t, fails(t, parsed(host+"/ns/catalog:v9"), image.Options{}))
	require.Equal(t, 404, status.Code)
	require.Contains(t, status.Excerpt, "manifest unknown")
}

// TestRealAuth: user, password and TLS, each valid and invalid.
func TestRealAuth(t *testing.T) {
	need(t, "skopeo", "umoci", "docker-registry")
	layout := umociImage(t, func(root string) { put(t, root, "configs/etcd.json", etcd) })
	host, authority := realRegistry(t, true, true)
	run(t, "skopeo", "--insecure-policy", "copy", "-q", "--dest-tls-verify=false", "--dest-creds", "robot:"+secretText, "oci:"+layout+":v1", "docker://"+host+"/ns/catalog:v1")
	ref := parsed(host + "/ns/catalog:v1")

	// In the format of podman and skopeo.
	auth := filepath.Join(t.TempDir(), "auth.json")
	run(t, "skopeo", "login", "--tls-verify=false", "--authfile", auth, "-u", "robot", "-p", secretText, host)
	getenv := func(name string) string { return map[string]string{"REGISTRY_AUTH_FILE": auth}[name] }
	opts := image.Options{CertificateAuthorities: authority, Keychain: image.DefaultKeychain(getenv)}
	require.Equal(t, []string{"etcd.json: " + etcd}, list(t, open(t, ref, opts)))
	c := load(t, source(t, ref, opts), nil)
	require.Same(t, c, load(t, source(t, ref, opts), c))

	status := testkit.As[*cache.StatusError](t, fails(t, ref, image.Options{CertificateAuthorities: authority}))
	require.Equal(t, 401, status.Code)
	require.Empty(t, status.Credentials)
	opts.Keychain = pullSecret(t, host, map[string]string{"username": "robot", "password": "wrong"})
	require.ErrorAs(t, fails(t, ref, opts), &status)
	require.Equal(t, []string{"secret ns/" + host}, status.Credentials)
	opts.Keychain = image.Keychains(opts.Keychain, pullSecret(t, host, nil))
	open(t, ref, opts)

	opts.CertificateAuthorities = nil
	require.ErrorContains(t, testkit.As[*image.ConnectionError](t, fails(t, ref, opts)), "CertificateAuthorities")
	opts.Insecure = []string{host}
	require.Error(t, fails(t, ref, opts), "plain HTTP to a server that speaks TLS")
}

// TestBuildah: an image and an index built by buildah.
func TestBuildah(t *testing.T) {
	need(t, "buildah", "docker-registry")
	dir := t.TempDir()
	buildah := func(args ...string) (string, error) {
		out, err := exec.Command("buildah", append([]string{"--storage-driver", "vfs", "--root", dir + "/root", "--runroot", dir + "/run"}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	must := func(args ...string) string {
		out, err := buildah(args...)
		require.NoError(t, err, "buildah %v: %s", args, out)
		return out
	}
	work, err := buildah("from", "scratch")
	if err != nil {
		t.Skipf("LEFT OUT: buildah does not work here: %v", err)
	}
	t.Cleanup(func() { _, _ = buildah("rm", "-a") })
	put(t, dir, "catalog/etcd/catalog.yaml", "---\nschema: olm.package\nname: etcd\n")
	host, _ := realRegistry(t, false, false)
	must("add", work, dir+"/catalog", "/srv/fbc")
	must("config", "--label", image.LabelConfigs+"=/srv/fbc", "--arch", "arm64", work)
	must("commit", work, "catalog:arm64")
	must("config", "--arch", "amd64", work)
	must("commit", "--format", "docker", work, "catalog:amd64")
	must("manifest", "create", "catalog:all")
	must("manifest", "add", "catalog:all", "catalog:arm64")
	must("manifest", "add", "catalog:all", "catalog:amd64")
	for _, format := range []string{"oci", "v2s2"} {
		must("manifest", "push", "-q", "--all", "--format", format, "--tls-verify=false", "catalog:all", "docker://"+host+"/ns/catalog:"+format)
		f := open(t, parsed(host+"/ns/catalog:"+format), image.Options{})
		require.Equal(t, []string{"etcd/", "etcd/catalog.yaml: ---\nschema: olm.package\nname: etcd\n"}, list(t, f))
		require.Equal(t, "/srv/fbc", f.Folder())
	}
}

// gigabyte is the size of the unrelated content of a large image.
const gigabyte = 1 << 30

// TestLargeImage: an image with a gigabyte of unrelated content takes no more memory than one
// without. With RESOLUTE_LARGE=incompressible the content is random and pushed by skopeo;
// otherwise it is zeros, read from a layout.
func TestLargeImage(t *testing.T) {
	need(t, "umoci")
	incompressible := os.Getenv("RESOLUTE_LARGE") == "incompressible"
	layout := umociImage(t)
	dir := t.TempDir()
	put(t, dir, "a/etcd.json", etcd)
	put(t, dir, "b/kafka.json", kafka)
	f := testkit.Must(os.Create(filepath.Join(dir, "large")))(t)
	if incompressible {
		require.Equal(t, int64(gigabyte), testkit.Must(io.CopyN(f, rand.Reader, gigabyte))(t))
	} else {
		require.NoError(t, f.Truncate(gigabyte))
	}
	require.NoError(t, f.Close())
	for _, in := range [][2]string{{"a", "/configs"}, {"large", "/usr/large"}, {"b", "/configs"}} {
		run(t, "umoci", "insert", "--image", layout+":v1", filepath.Join(dir, in[0]), in[1])
	}
	ref := layoutRef(layout)
	if incompressible {
		need(t, "skopeo", "docker-registry")
		host, _ := realRegistry(t, false, false)
		run(t, "skopeo", "--insecure-policy", "copy", "-q", "--dest-tls-verify=false", "oci:"+layout+":v1", "docker://"+host+"/ns/catalog:v1")
		ref = parsed(host + "/ns/catalog:v1")
	}
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	peak, total := uint64(0), int64(0)
	began := time.Now()
	files := open(t, ref, image.Options{Progress: func(p image.Progress) {
		runtime.ReadMemStats(&now)
		peak, total = max(peak, now.HeapInuse), p.Total
	}})
	took := time.Since(began)
	runtime.ReadMemStats(&now)
	t.Logf("%d bytes sent in %v; heap in use %d KiB before, %d KiB at most; allocated %d KiB in all",
		total, took, before.HeapInuse>>10, peak>>10, (now.TotalAlloc-before.TotalAlloc)>>10)
	require.Less(t, peak-before.HeapInuse, uint64(48<<20))
	require.Less(t, now.TotalAlloc-before.TotalAlloc, uint64(64<<20))
	require.NotNil(t, testkit.Must(fbc.Load(context.Background(), files, fbc.Options{}))(t).Package("kafka"))
}
