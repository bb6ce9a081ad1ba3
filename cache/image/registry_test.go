package image_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// secretText is a password that must not appear anywhere.
const secretText = "p4ssw0rd-of-the-test"

// basic is the Authorization header of a user and secretText.
var basic = "Basic " + base64.StdEncoding.EncodeToString([]byte("robot:"+secretText))

// pullSecret returns a keychain with one credential.
func pullSecret(t testing.TB, key string, record map[string]string) image.Keychain {
	if record == nil {
		record = map[string]string{"auth": strings.TrimPrefix(basic, "Basic ")}
	}
	data := testkit.Must(json.Marshal(map[string]any{"auths": map[string]any{key: record}}))(t)
	return testkit.Must(image.PullSecret("secret ns/"+key, data))(t)
}

// TestMediaTypes: OCI and Docker documents, and nested indexes.
func TestMediaTypes(t *testing.T) {
	const manifestList, index = "application/vnd.docker.distribution.manifest.list.v2+json", "application/vnd.oci.image.index.v1+json"
	docker := newImage().layer(t, entry{name: "configs/a.json", body: "A"})
	docker.edit = func(manifest, _ map[string]any) {
		manifest["mediaType"] = "application/vnd.docker.distribution.manifest.v2+json"
		manifest["layers"].([]map[string]any)[0]["mediaType"] = "application/vnd.docker.image.rootfs.diff.tar.gzip"
	}
	docker.finish(t)
	docker.topType = "application/vnd.docker.distribution.manifest.v2+json"
	untyped := newImage().layer(t, entry{name: "configs/a.json", body: "A"})
	untyped.edit = func(manifest, _ map[string]any) { delete(manifest, "mediaType") }
	simple := func() *built { return newImage().layer(t, entry{name: "configs/a.json", body: "A"}).finish(t) }
	for name, img := range map[string]*built{
		"docker": docker, "untyped": untyped.finish(t), "oci": simple(),
		"index":         simple().index(t, index, "linux/amd64"),
		"list":          simple().index(t, manifestList, "!linux/arm64", "linux/amd64"),
		"other first":   simple().index(t, index, "!windows/amd64", "!unknown/unknown", "linux/s390x", "!linux/arm64"),
		"no linux":      simple().index(t, index, "windows/amd64", "!darwin/amd64"),
		"no platform":   simple().index(t, index, "", "!"),
		"attestation":   simple().index(t, index, "!unknown/unknown", "linux/arm64"),
		"index in list": simple().index(t, index, "linux/amd64").index(t, manifestList, ""),
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, serve(t, img).ref(), image.Options{})
			require.Equal(t, []string{"a.json: A"}, list(t, f))
			require.Equal(t, img.top, f.Digest(), "of the index, if any")
			require.Equal(t, img.top, open(t, layoutRef(img.layout(t)), image.Options{}).Digest())
		})
	}
}

// TestNotCatalogs: the error of an image without a catalog says what it is and what to do.
func TestNotCatalogs(t *testing.T) {
	labelled := func(labels map[string]string) *built {
		img := newImage().layer(t, entry{name: "configs/a.json", body: etcd})
		img.labels = labels
		return img.finish(t)
	}
	edited := func(edit func(manifest, config map[string]any)) *built {
		img := newImage().layer(t, entry{name: "configs/a.json", body: etcd})
		img.edit = edit
		return img.finish(t)
	}
	for name, tt := range map[string]struct {
		img  *built
		says string
	}{
		"sqlite": {labelled(map[string]string{"operators.operatorframework.io.index.database.v1": "/database/index.db"}), "opm migrate"},
		"bundle": {labelled(map[string]string{"operators.operatorframework.io.bundle.package.v1": "etcd"}), "single bundle"},
		"other":  {labelled(nil), image.LabelConfigs},
		"empty":  {labelled(map[string]string{image.LabelConfigs: ""}), image.LabelConfigs},
		"artifact": {edited(func(m, _ map[string]any) {
			m["config"] = map[string]any{"mediaType": "application/vnd.cncf.helm.config.v1+json", "digest": sum(nil), "size": 1}
		}), "helm"},
		"type": {edited(func(m, _ map[string]any) { m["mediaType"] = "application/vnd.foo" }), "vnd.foo"},
	} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, tt.img)
			err := fails(t, r.ref(), image.Options{})
			testkit.As[*image.ContentError](t, err)
			require.ErrorContains(t, err, tt.says)
			require.ErrorContains(t, err, r.ref().String())
		})
	}
	for name, tt := range map[string]struct {
		edit func(manifest, config map[string]any)
		says string
	}{
		"schema 1": {func(m, _ map[string]any) { m["schemaVersion"] = 1 }, "schema 1"},
		"both":     {func(m, _ map[string]any) { m["manifests"] = []any{} }, "neither an image nor an index"},
		"encrypted": {func(m, _ map[string]any) {
			m["layers"].([]map[string]any)[0]["mediaType"] = "application/vnd.oci.image.layer.v1.tar+gzip+encrypted"
		}, "unknown media type"},
		"diff IDs":       {func(_, c map[string]any) { c["rootfs"] = map[string]any{"diff_ids": []string{}} }, "has 1 layers"},
		"no digest":      {func(m, _ map[string]any) { delete(m["layers"].([]map[string]any)[0], "digest") }, "no digest"},
		"negative size":  {func(m, _ map[string]any) { m["layers"].([]map[string]any)[0]["size"] = -5 }, "negative size"},
		"no config":      {func(m, _ map[string]any) { m["config"] = map[string]any{} }, "has no configuration"},
		"wrong types":    {func(m, _ map[string]any) { m["layers"] = "x" }, "is invalid"},
		"index it says":  {func(m, _ map[string]any) { m["mediaType"] = "application/vnd.oci.image.index.v1+json" }, "does not match its media type"},
		"bad config":     {func(_, c map[string]any) { c["rootfs"] = 5 }, "is invalid"},
		"weird diff IDs": {func(_, c map[string]any) { c["rootfs"] = map[string]any{"diff_ids": []string{"md5:00"}} }, "is invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			err := fails(t, serve(t, edited(tt.edit)).ref(), image.Options{})
			wrong := testkit.As[*image.ContentError](t, err)
			require.Contains(t, wrong.Reason, tt.says)
		})
	}
	t.Run("empty index", func(t *testing.T) {
		wrong := testkit.As[*image.ContentError](t, fails(t, serve(t, good(t).index(t, "application/vnd.oci.image.index.v1+json", "unknown/unknown")).ref(), image.Options{}))
		require.Contains(t, wrong.Reason, "contains no image")
	})
	t.Run("endless index", func(t *testing.T) {
		img := good(t)
		for range 4 {
			img.index(t, "application/vnd.oci.image.index.v1+json", "linux/amd64")
		}
		require.ErrorContains(t, fails(t, serve(t, img).ref(), image.Options{}), "is nested in more than")
	})
}

// tokens is a registry that requires a token, and its token server.
type tokens struct {
	*registry
	server        *httptest.Server
	mu            sync.Mutex
	tokenRequests []*http.Request
	forms         []url.Values
	answer        func(w http.ResponseWriter, r *http.Request)
}

// serveTokens serves an image to requests with a token.
func serveTokens(t testing.TB, img *built, answer func(w http.ResponseWriter, r *http.Request)) *tokens {
	s := &tokens{registry: serve(t, img), answer: answer}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		s.mu.Lock()
		s.tokenRequests, s.forms = append(s.tokenRequests, r), append(s.forms, r.Form)
		s.mu.Unlock()
		s.answer(w, r)
	}))
	t.Cleanup(s.server.Close)
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "Bearer good-token" {
			return false
		}
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token?a=b",service="the registry",scope="repository:ns/catalog:pull"`, s.server.URL))
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	return s
}

// TestTokens: a token is requested once, with the credential, and sent to the registry only.
func TestTokens(t *testing.T) {
	giving := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"token":"good-token","expires_in":300}`)
	}
	t.Run("anonymous", func(t *testing.T) {
		s := serveTokens(t, good(t), giving)
		open(t, s.ref(), image.Options{})
		require.Len(t, s.tokenRequests, 1)
		require.Empty(t, s.tokenRequests[0].Header.Get("Authorization"))
		require.Equal(t, url.Values{"a": {"b"}, "service": {"the registry"}, "scope": {"repository:ns/catalog:pull"}}, s.forms[0])
	})
	t.Run("user", func(t *testing.T) {
		s := serveTokens(t, good(t), giving)
		open(t, s.ref(), image.Options{Keychain: pullSecret(t, s.host(), nil)})
		require.Equal(t, basic, s.tokenRequests[0].Header.Get("Authorization"))
	})
	t.Run("identity token", func(t *testing.T) {
		s := serveTokens(t, good(t), func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"access_token":"good-token"}`)
		})
		open(t, s.ref(), image.Options{Keychain: pullSecret(t, s.host(), map[string]string{"auth": "PHRva2VuPjo=", "identitytoken": secretText})})
		require.Equal(t, http.MethodPost, s.tokenRequests[0].Method)
		require.Equal(t, "refresh_token", s.forms[0].Get("grant_type"))
		require.Equal(t, secretText, s.forms[0].Get("refresh_token"))
		require.Empty(t, s.tokenRequests[0].Header.Get("Authorization"))
	})
	t.Run("registry token", func(t *testing.T) {
		s := serveTokens(t, good(t), giving)
		open(t, s.ref(), image.Options{Keychain: pullSecret(t, s.host(), map[string]string{"registrytoken": "good-token"})})
		require.Empty(t, s.tokenRequests)
	})
	t.Run("token that ends", func(t *testing.T) {
		given := 0
		s := serveTokens(t, good(t), nil)
		s.answer = func(w http.ResponseWriter, _ *http.Request) {
			given++
			fmt.Fprintf(w, `{"token":"token-%d"}`, given)
		}
		used := map[string]int{}
		before := s.before
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			a := r.Header.Get("Authorization")
			if used[a]++; a != "" && used[a] <= 2 {
				return false // each is valid for two requests
			}
			r.Header.Del("Authorization")
			return before(w, r)
		}
		open(t, s.ref(), image.Options{})
		require.Equal(t, 2, given)
	})
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		says   string
	}{
		"nothing":     {func(http.ResponseWriter, *http.Request) {}, "contains no token"},
		"an error":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"token":""}`) }, "contains no token"},
		"not a token": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"token":"a\r\nX: y"}`) }, "contains no token"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost:1/", http.StatusTemporaryRedirect)
		}, "must not receive the credential"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveTokens(t, good(t), tt.answer)
			for _, record := range []map[string]string{nil, {"identitytoken": secretText}} {
				err := fails(t, s.ref(), image.Options{Keychain: pullSecret(t, s.host(), record)})
				token := testkit.As[*image.ConnectionError](t, err)
				require.Contains(t, token.Reason, tt.says)
				require.Contains(t, token.Reason, "from "+s.server.URL+"/token, which was requested with the credentials of secret ns/"+s.host()+": ")
				require.NotContains(t, err.Error(), secretText)
			}
		})
	}
	t.Run("hangs", func(t *testing.T) {
		s := serveTokens(t, good(t), func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"token":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
		late := testkit.As[*cache.TimeoutError](t, fails(t, s.ref(), image.Options{IdleTimeout: short}))
		require.Equal(t, strings.TrimPrefix(s.server.URL, "http://"), late.Host)
	})
	t.Run("down", func(t *testing.T) {
		s := serveTokens(t, good(t), giving)
		s.server.Close()
		token := testkit.As[*image.ConnectionError](t, fails(t, s.ref(), image.Options{}))
		require.Contains(t, token.Reason, "connection refused")
	})
	t.Run("refuses", func(t *testing.T) {
		s := serveTokens(t, good(t), func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"errors":[{"code":"DENIED","message":"you sent %s and %s"}]}`, r.Header.Get("Authorization"), secretText)
		})
		err := fails(t, s.ref(), image.Options{Keychain: pullSecret(t, s.host(), nil)})
		status := testkit.As[*cache.StatusError](t, err)
		require.Equal(t, "token", status.What)
		require.Equal(t, "DENIED: you sent Basic … and …", status.Excerpt)
		hides(t, err)
	})
	for name, realm := range map[string]string{
		"none": "", "ftp": "ftp://localhost/", "not a URL": "::", "plain": "http://auth.example.com/token",
		"private": "https://10.0.0.1/token", "metadata": "https://169.254.169.254/token",
	} {
		t.Run("realm "+name, func(t *testing.T) {
			r := serve(t, good(t))
			r.before = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`"`)
				w.WriteHeader(http.StatusUnauthorized)
				return true
			}
			testkit.As[*image.ConnectionError](t, fails(t, r.ref(), image.Options{}))
		})
	}
}

// hides requires that an error does not contain the secret, in any printed form.
func hides(t testing.TB, err error) {
	for _, form := range []string{"%v", "%+v", "%#v", "%q"} {
		text := fmt.Sprintf(form, err)
		require.NotContains(t, text, secretText)
		require.NotContains(t, text, strings.TrimPrefix(basic, "Basic "))
	}
}

// TestBasic: user and password are sent after the registry requests them, and each credential
// is tried.
func TestBasic(t *testing.T) {
	asking := func(t testing.TB) *registry {
		r := serve(t, good(t))
		r.before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Authorization") == basic {
				return false
			}
			w.Header().Set("WWW-Authenticate", `Negotiate, Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, "who is %q?", r.Header.Get("Authorization"))
			return true
		}
		return r
	}
	r := asking(t)
	wrong := pullSecret(t, r.host()+"/ns", map[string]string{"username": "a", "password": "b"})
	open(t, r.ref(), image.Options{Keychain: pullSecret(t, r.host(), nil)})
	open(t, r.ref(), image.Options{Keychain: image.Keychains(wrong, pullSecret(t, r.host(), nil))})

	err := fails(t, r.ref(), image.Options{})
	status := testkit.As[*cache.StatusError](t, err)
	require.Empty(t, status.Credentials)
	require.ErrorContains(t, err, "no credentials found for it")

	err = fails(t, r.ref(), image.Options{Keychain: image.Keychains(wrong, pullSecret(t, "other.example.com", nil))})
	require.ErrorAs(t, err, &status)
	require.Equal(t, 401, status.Code)
	require.Equal(t, []string{"secret ns/" + r.host() + "/ns"}, status.Credentials)
	require.ErrorContains(t, err, "tried the credentials of secret ns/")

	t.Run("never sent unrequested", func(t *testing.T) {
		r := serve(t, good(t))
		r.before = func(_ http.ResponseWriter, req *http.Request) bool {
			require.Empty(t, req.Header.Get("Authorization"))
			return false
		}
		open(t, r.ref(), image.Options{Keychain: pullSecret(t, r.host(), nil)})
	})
	t.Run("echoed", func(t *testing.T) {
		r := serve(t, good(t))
		r.before = func(w http.ResponseWriter, req *http.Request) bool {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, "%s %s", req.Header.Get("Authorization"), secretText)
			return true
		}
		var log bytes.Buffer
		opts := image.Options{Keychain: pullSecret(t, r.host(), nil), Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Mirrors: []image.Mirror{{From: r.host() + "/ns", To: r.host() + "/other"}}}
		hides(t, fails(t, r.ref(), opts))
		require.NotEmpty(t, log.String())
		require.NotContains(t, log.String(), secretText)
	})
}

// TestRedirects: layers may come from other hosts, without the credential.
func TestRedirects(t *testing.T) {
	img := good(t)
	var seen []*http.Request
	cdn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen = append(seen, r); r.URL.Path == "/" { // and onwards
			http.Redirect(w, r, "/there?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
			return
		}
		_, _ = w.Write(img.blobs[r.URL.Query().Get("d")])
	}))
	defer cdn.Close()
	to := cdn.URL
	leading := func(t testing.TB) *registry {
		r := serve(t, img)
		r.before = func(w http.ResponseWriter, req *http.Request) bool {
			if req.Header.Get("Authorization") != basic {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
				return true
			}
			if strings.Contains(req.URL.Path, "/blobs/") {
				http.Redirect(w, req, to+"/?signature=secret-of-the-url&d="+req.URL.Path[strings.LastIndex(req.URL.Path, "/")+1:], http.StatusTemporaryRedirect)
				return true
			}
			return false
		}
		return r
	}
	r := leading(t)
	opts := image.Options{Keychain: pullSecret(t, r.host(), nil)}
	open(t, r.ref(), opts)
	require.Len(t, seen, 4)
	for _, s := range seen {
		require.Empty(t, s.Header.Get("Authorization"))
		require.Empty(t, s.Header.Get("Referer"))
	}
	for name, tt := range map[string]struct{ to, says string }{
		"private":         {"https://10.1.2.3", "10.1.2.3 is a private address"},
		"private v6":      {"https://[fd00::1]", "fd00::1 is a private address"},
		"metadata":        {"https://169.254.169.254", "is a link-local address"},
		"metadata mapped": {"https://[::ffff:169.254.169.254]", "is a link-local address"},
		"metadata NAT64":  {"https://[64:ff9b::a9fe:a9fe]", "is a link-local address"},
		"unspecified":     {"https://0.0.0.0", "is a special address"},
		"plain":           {"http://cdn.example.com", "without TLS"},
		"file":            {"file:///etc/passwd", "file without TLS"},
		"round":           {"", "too many redirects"},
	} {
		t.Run(name, func(t *testing.T) {
			r := leading(t)
			if to = tt.to; to == "" {
				to = r.URL + "/v2/ns/catalog/blobs/x"
			}
			err := fails(t, r.ref(), image.Options{Keychain: pullSecret(t, r.host(), nil)})
			redirect := testkit.As[*image.ConnectionError](t, err)
			require.Contains(t, redirect.Reason, tt.says)
			require.NotContains(t, err.Error(), "secret-of-the-url")
			hides(t, err)
		})
	}
	t.Run("credential requested after a redirect", func(t *testing.T) {
		requests := 0
		evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			require.Empty(t, r.Header.Get("Authorization"))
			if requests++; r.URL.Path == "/token" {
				_, _ = io.WriteString(w, `{"token":"x"}`)
				return
			}
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Basic realm="x", Bearer realm="http://%s/token"`, r.Host))
			w.WriteHeader(http.StatusUnauthorized)
		}))
		defer evil.Close()
		to = evil.URL
		r := leading(t)
		status := testkit.As[*cache.StatusError](t, fails(t, r.ref(), image.Options{Keychain: pullSecret(t, r.host(), nil)}))
		require.Equal(t, strings.TrimPrefix(evil.URL, "http://"), status.Host)
		require.Equal(t, 1, requests, "no token request and no retry")
	})
	t.Run("down", func(t *testing.T) {
		closed := httptest.NewServer(nil)
		closed.Close()
		to = closed.URL
		r := leading(t)
		err := fails(t, r.ref(), image.Options{Keychain: pullSecret(t, r.host(), nil)})
		require.Equal(t, strings.TrimPrefix(to, "http://"), testkit.As[*image.ConnectionError](t, err).Host)
		require.NotContains(t, err.Error(), "secret-of-the-url")
	})
	machine := testkit.Must(os.Hostname())(t)
	for _, local := range []string{"localhost", machine} {
		t.Run("beside a proxy on "+local, func(t *testing.T) {
			// No proxy is used for this machine. A proxy on this machine, or NO_PROXY, does not
			// allow any other address.
			addresses, _ := net.DefaultResolver.LookupNetIP(t.Context(), "ip", local)
			if !slices.ContainsFunc(addresses, func(a netip.Addr) bool { return a.IsLoopback() || a.IsPrivate() }) {
				t.Skip("no name of this machine has a private address")
			}
			var requests atomic.Int32
			victim := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
			defer victim.Close()
			to = strings.Replace(victim.URL, "127.0.0.1", local, 1)
			r := leading(t)
			proxy := testkit.Must(url.Parse(strings.Replace(r.URL, "127.0.0.1", local, 1)))(t)
			opts := image.Options{Insecure: []string{"registry.example.com", strings.TrimPrefix(to, "http://")}, Keychain: pullSecret(t, "registry.example.com", nil),
				Proxy: func(r *http.Request) (*url.URL, error) {
					if r.URL.Hostname() == local {
						return nil, nil
					}
					return proxy, nil
				}}
			redirect := testkit.As[*image.ConnectionError](t, fails(t, parsed("registry.example.com/ns/catalog:v1"), opts))
			require.Contains(t, redirect.Reason, " address, and the registry is not")
			require.Zero(t, requests.Load())
		})
	}
	t.Run("behind a proxy", func(t *testing.T) {
		// The client connects only to the proxy, so the registry counts as public.
		to = "https://10.1.2.3"
		r := leading(t)
		proxy := testkit.Must(url.Parse(r.URL))(t)
		opts := image.Options{Insecure: []string{"registry.example.com"}, Proxy: http.ProxyURL(proxy), Keychain: pullSecret(t, "registry.example.com", nil)}
		redirect := testkit.As[*image.ConnectionError](t, fails(t, parsed("registry.example.com/ns/catalog:v1"), opts))
		require.Equal(t, "registry.example.com", redirect.Host)
		to = "http://127.0.0.1:1"
		require.ErrorAs(t, fails(t, parsed("registry.example.com/ns/catalog:v1"), opts), &redirect)
		require.Contains(t, redirect.Reason, "loopback")
		to = "http://localhost:1"
		require.ErrorAs(t, fails(t, parsed("registry.example.com/ns/catalog:v1"), opts), &redirect)
		require.Contains(t, redirect.Reason, "loopback", "the machine of the proxy")
		for host, says := range map[string]string{
			"127.1": "loopback", "2130706433": "loopback", "0x7f.0.0.1": "loopback", "0177.1": "loopback", "localhost.": "loopback", "a.localhost": "loopback",
			"169.254.169.254.": "link-local", "2852039166": "link-local", "[fd00:ec2::254]": "private", "10.1": "private", "012.0.0.1": "private",
			"metadata.google.internal": "metadata service", "METADATA.google.internal.": "metadata service", "168.63.129.16": "metadata service",
			"１２７.0.0.1": "not an ASCII name", "999.0.0.1": "special",
		} {
			to = "https://" + host
			require.ErrorAs(t, fails(t, parsed("registry.example.com/ns/catalog:v1"), opts), &redirect)
			require.Contains(t, redirect.Reason, says, host)
		}
	})
}

// TestAddresses: the resolved address is checked when connecting.
func TestAddresses(t *testing.T) {
	s := httptest.NewServer(nil)
	defer s.Close()
	addr := strings.Replace(strings.TrimPrefix(s.URL, "http://"), "127.0.0.1", "localhost", 1)
	var redirect *image.ConnectionError
	for _, kind := range []string{"public", "private", "link-local", ""} {
		require.ErrorAs(t, image.DialFrom(context.Background(), kind, addr), &redirect, kind)
		require.Contains(t, redirect.Reason, "is a loopback address")
	}
	require.NoError(t, image.DialFrom(context.Background(), "loopback", addr))
	for kind, a := range map[string]string{"link-local": "169.254.169.254:80", "private": "[fd00:ec2::254]:80", "public": "168.63.129.16:80"} {
		require.ErrorAs(t, image.DialFrom(context.Background(), kind, a), &redirect, kind)
		require.Contains(t, redirect.Reason, "is a cloud metadata service")
	}
}

// TestTLS: certificates are verified, authorities can be added, and plain HTTP must be allowed.
func TestTLS(t *testing.T) {
	r := &registry{img: good(t)}
	r.Server = httptest.NewTLSServer(r)
	defer r.Close()
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	err := fails(t, r.ref(), image.Options{})
	broken := testkit.As[*image.ConnectionError](t, err)
	require.ErrorContains(t, err, "CertificateAuthorities")
	open(t, r.ref(), image.Options{CertificateAuthorities: pemOf(r.Certificate().Raw)})

	t.Run("HTTP/2", func(t *testing.T) {
		r := &registry{img: good(t)}
		var major atomic.Int32
		r.before = func(_ http.ResponseWriter, req *http.Request) bool {
			major.Store(int32(req.ProtoMajor))
			return false
		}
		r.Server = httptest.NewUnstartedServer(r)
		r.EnableHTTP2 = true
		r.StartTLS()
		defer r.Close()
		open(t, r.ref(), image.Options{CertificateAuthorities: pemOf(r.Certificate().Raw)})
		require.EqualValues(t, 2, major.Load())
		r.before = func(w http.ResponseWriter, req *http.Request) bool {
			if strings.Contains(req.URL.Path, "/blobs/") {
				w.WriteHeader(http.StatusOK)
				w.(http.Flusher).Flush()
				<-req.Context().Done()
				return true
			}
			return false
		}
		testkit.As[*cache.TimeoutError](t, fails(t, r.ref(), image.Options{CertificateAuthorities: pemOf(r.Certificate().Raw), IdleTimeout: 10 * short}))
	})

	// An invalid certificate of a trusted authority.
	expired, other := valid(), valid()
	expired.NotAfter, other.IPAddresses = time.Now().Add(-time.Minute), []net.IP{net.IPv4(127, 0, 0, 2)}
	for _, template := range []x509.Certificate{expired, other} {
		der, key := certificate(t, template)
		r := &registry{img: good(t)}
		r.Server = httptest.NewUnstartedServer(r)
		r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
		r.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
		r.StartTLS()
		defer r.Close()
		require.ErrorContains(t, testkit.As[*image.ConnectionError](t, fails(t, r.ref(), image.Options{CertificateAuthorities: pemOf(der)})), "has an invalid certificate")
	}

	_, err = image.New(r.ref(), image.Options{CertificateAuthorities: []byte("nonsense")})
	require.ErrorContains(t, err, "PEM")

	t.Run("plain HTTP", func(t *testing.T) {
		r := serve(t, good(t))
		proxy := testkit.Must(url.Parse(r.URL))(t)
		ref := parsed("registry.example.com:5000/ns/catalog:v1")
		err = fails(t, ref, image.Options{Proxy: http.ProxyURL(proxy)})
		require.ErrorAs(t, err, &broken, "the proxy of this test does not know TLS")
		open(t, ref, image.Options{Proxy: http.ProxyURL(proxy), Insecure: []string{"registry.example.com:5000"}})
		fails(t, ref, image.Options{Proxy: http.ProxyURL(proxy), Insecure: []string{"registry.example.com"}})
	})
}

// TestMirrors: the longest prefix wins, and mirrors are tried before the registry.
func TestMirrors(t *testing.T) {
	mirrors := []image.Mirror{{"quay.io", "a.example.com"}, {"quay.io/ns", "b.example.com/x"}, {"quay.io/ns", "c.example.com"}, {"quay.io/ns/deep/er", "d.example.com"}, {"index.docker.io", "hub.example.com"}, {"quay.io", "e.example.com"}}
	for repository, want := range map[string][]string{
		"quay.io/ns/catalog":     {"b.example.com/x/catalog", "c.example.com/catalog", "quay.io/ns/catalog"},
		"quay.io/ns":             {"b.example.com/x", "c.example.com", "quay.io/ns"},
		"quay.io/nsx/catalog":    {"a.example.com/nsx/catalog", "e.example.com/nsx/catalog", "quay.io/nsx/catalog"},
		"quay.io.evil.com/ns/x":  {"quay.io.evil.com/ns/x"},
		"docker.io/library/etcd": {"hub.example.com/library/etcd", "docker.io/library/etcd"},
	} {
		require.Equal(t, want, image.Locations(repository, image.Options{Mirrors: mirrors}), repository)
		if len(want) > 1 {
			require.Equal(t, want[:len(want)-1], image.Locations(repository, image.Options{Mirrors: mirrors, MirrorsOnly: true}), repository)
		}
	}
	for text, ok := range map[string]bool{"quay.io/ns=mirror.example.com:5000/x": true, "quay.io": false, "=a.b": false, "a.b=": false, "quay.io=mirror": false, "a.b=c.d@e": false, "A.b/X=c.d": false, "a.b/c:d=e.f": false} {
		_, err := image.ParseMirror(text)
		require.Equal(t, ok, err == nil, text)
	}
	mirror, original := serve(t, good(t)), serve(t, good(t))
	ref := parsed(original.host() + "/ns/catalog:v1")
	opts := image.Options{Mirrors: []image.Mirror{{From: original.host(), To: mirror.host() + "/copy"}}}
	open(t, ref, opts)
	require.Contains(t, mirror.requested(), "HEAD /v2/copy/ns/catalog/manifests/v1")
	require.Empty(t, original.requested())

	mirror.before = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/blobs/") {
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		return false
	}
	open(t, ref, opts)
	require.NotEmpty(t, original.requested(), "an incomplete mirror")

	opts.MirrorsOnly = true
	testkit.As[*cache.StatusError](t, fails(t, ref, opts))
	require.Empty(t, original.requested())

	opts.MirrorsOnly = false
	for _, r := range []*registry{mirror, original} {
		r.before = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "40")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
	}
	err := fails(t, ref, opts)
	both, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	require.Len(t, both.Unwrap(), 2)
	require.Equal(t, 40*time.Second, testkit.As[cache.RetryAfterer](t, err).RetryAfter())
}
