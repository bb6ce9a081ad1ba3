package catalogd_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/catalogd"
	"github.com/seed109e2655/resolute/internal/testkit"
)

func TestLoad(t *testing.T) {
	f := &files{text: one + "{}\n", changed: changed}
	s := server(t, f.ServeHTTP)
	opts, client := options(t)
	c := mustLoad(t, source(t, s.URL+"/catalogs/operatorhub", opts), nil)
	require.Equal(t, "1.0.0", version(c, "kafka"))
	require.Regexp(t, "^sha256:[0-9a-f]{64}$", c.Digest)
	require.Equal(t, changed, c.Modified)
	problems := c.Catalog.Problems()
	require.Len(t, problems, 1, "invalid content is a problem")
	require.Equal(t, s.URL+"/catalogs/operatorhub/api/v1/all", problems[0].File)
	require.Equal(t, 7, problems[0].Line)
	require.Empty(t, client.header("If-None-Match"))
	require.Empty(t, client.header("If-Modified-Since"))
	require.Equal(t, "gzip", client.header("Accept-Encoding"))
}

// TestConditional: an unchanged catalog is not sent again.
func TestConditional(t *testing.T) {
	for name, tag := range map[string]string{"time": "", "tag and time": `W/"1"`} {
		t.Run(name, func(t *testing.T) {
			f := &files{text: one, changed: changed, etag: tag}
			s := server(t, f.ServeHTTP)
			opts, client := options(t)
			source := source(t, s.URL+"/catalogs/operatorhub/", opts)
			first := mustLoad(t, source, nil)
			require.Same(t, first, mustLoad(t, source, first))
			require.Equal(t, tag, client.header("If-None-Match"))
			require.Equal(t, "Wed, 01 May 2024 12:00:00 GMT", client.header("If-Modified-Since"))

			f.set(two, changed.Add(time.Hour), `"2"`)
			second := mustLoad(t, source, first)
			require.Equal(t, "1.5.0", version(second, "kafka"))
			require.Equal(t, "1.0.0", version(first, "kafka"))
			require.Same(t, second, mustLoad(t, source, second))
			require.Equal(t, []int{200, 304, 200, 304}, f.statuses())
		})
	}
}

// TestSameAgain: a server may send the same content again with another validator, which the
// next request uses.
func TestSameAgain(t *testing.T) {
	f := &files{text: one, etag: `"1"`}
	s := server(t, f.ServeHTTP)
	opts, client := options(t)
	source := source(t, s.URL+"/catalogs/operatorhub", opts)
	first := mustLoad(t, source, nil)
	f.set(one, time.Time{}, `"2"`)
	second := sameCatalog(t, first, mustLoad(t, source, first))
	require.Same(t, second, mustLoad(t, source, second))
	require.Equal(t, `"2"`, client.header("If-None-Match"))
	f.set(one, time.Time{}, "")
	third := sameCatalog(t, first, mustLoad(t, source, second))
	require.Same(t, third, mustLoad(t, source, third))
	require.Empty(t, client.header("If-None-Match"))
	require.Equal(t, []int{200, 200, 304, 200, 200}, f.statuses())
}

// sameCatalog requires that a content has the catalog of another one and a new validator, and
// returns it.
func sameCatalog(t *testing.T, last, next *cache.Content) *cache.Content {
	require.Same(t, last.Catalog, next.Catalog)
	require.Equal(t, last.Digest, next.Digest)
	require.NotEqual(t, last.Validator, next.Validator)
	return next
}

// TestFreshTime: Last-Modified cannot distinguish two changes within one second, so it is not
// used until it is old enough.
func TestFreshTime(t *testing.T) {
	var handler current
	at := func(date time.Time) {
		handler.set(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", date.Format(http.TimeFormat))
			w.Header().Set("Last-Modified", changed.Format(http.TimeFormat))
			_, _ = w.Write([]byte(one))
		})
	}
	at(changed.Add(time.Second))
	s := server(t, handler.ServeHTTP)
	opts, client := options(t)
	source := source(t, s.URL, opts)
	first := mustLoad(t, source, nil)
	require.Empty(t, first.Validator)
	require.Equal(t, changed, first.Modified)
	at(changed.Add(2 * time.Second))
	second := sameCatalog(t, first, mustLoad(t, source, first))
	require.Empty(t, client.header("If-Modified-Since"))
	require.NotNil(t, mustLoad(t, source, second))
	require.NotEmpty(t, client.header("If-Modified-Since"), "now it is old enough")
	require.NotEmpty(t, mustLoad(t, source, nil).Validator)
}

// restored returns a content as restored from disk.
func restored(c *cache.Content) *cache.Content {
	return &cache.Content{Catalog: c.Catalog, Digest: c.Digest, Validator: c.Validator, Modified: c.Modified}
}

// TestRestored: a request for the content of an earlier process is conditional unless URL or
// options changed.
func TestRestored(t *testing.T) {
	f := &files{text: one, changed: changed, etag: `"a&b=c%"`}
	s := server(t, f.ServeHTTP)
	opts, client := options(t)
	last := restored(mustLoad(t, source(t, s.URL+"/catalogs/operatorhub", opts), nil))
	require.Same(t, last, mustLoad(t, source(t, s.URL+"/catalogs/operatorhub", opts), last))
	require.Equal(t, `"a&b=c%"`, client.header("If-None-Match"))
	require.Equal(t, []int{200, 304}, f.statuses())

	other := opts
	other.FBC.DropProperties = []string{"olm.package"}
	next := mustLoad(t, source(t, s.URL+"/catalogs/operatorhub", other), last)
	require.Empty(t, client.header("If-None-Match"))
	require.NotEqual(t, last.Digest, next.Digest)
	mustLoad(t, source(t, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/catalogs/operatorhub", opts), last)
	require.Empty(t, client.header("If-None-Match"))

	for _, damaged := range []string{"%", last.Validator[:5], last.Validator[:17] + "%zz", last.Validator[:17] + "If-None-Match=%0a"} {
		odd := restored(last)
		odd.Validator = damaged
		sameCatalog(t, odd, mustLoad(t, source(t, s.URL+"/catalogs/operatorhub", opts), odd))
		require.Empty(t, client.header("If-None-Match"))
	}

	f.set(two, changed.Add(time.Hour), `"2"`)
	require.Equal(t, "1.5.0", version(mustLoad(t, source(t, s.URL+"/catalogs/operatorhub", opts), last), "kafka"))
}

// TestCompressed: compression by the server, decompression by the transport, and compressed
// files.
func TestCompressed(t *testing.T) {
	opts, client := options(t)
	var handler current
	s := server(t, handler.ServeHTTP)
	source := source(t, s.URL, opts)
	var last *cache.Content
	load := func(h http.HandlerFunc) {
		handler.set(h)
		c := mustLoad(t, source, last)
		require.Equal(t, "1.0.0", version(c, "kafka"))
		if last != nil {
			require.Same(t, last, c, "the digest covers the decompressed content")
		}
		last = c
	}
	packed := func(encoding string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if encoding != "" {
				w.Header().Set("Content-Encoding", encoding)
			}
			_, _ = w.Write(testkit.Gzip(one))
		}
	}
	load(packed("gzip"))
	load(packed("x-gzip"))
	load(packed("")) // the file itself is compressed
	load(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "identity")
		_, _ = w.Write([]byte(one))
	})
	load(func(w http.ResponseWriter, _ *http.Request) { // a proxy decompressed it without removing the header
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write([]byte(one))
	})
	// A transport that requests gzip itself also decompresses it.
	client.RoundTripper = &plain{client.RoundTripper}
	load(packed("gzip"))
}

// plain removes Accept-Encoding, so that the transport adds it.
type plain struct{ http.RoundTripper }

func (p *plain) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding")
	return p.RoundTripper.RoundTrip(r)
}

// bearer adds a token to each request.
type bearer struct{ http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", token)
	return b.RoundTripper.RoundTrip(r)
}

// TestClient: the client provides certificates and tokens.
func TestClient(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != token {
			http.Error(w, "who are you?\x1b[31m", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(one))
	}))
	defer s.Close()
	defer s.Client().CloseIdleConnections()
	opts, _ := options(t)
	opts.Client = &http.Client{Transport: bearer{s.Client().Transport}}
	require.Equal(t, "1.0.0", version(mustLoad(t, source(t, s.URL, opts), nil), "etcd"))

	opts.Client = s.Client()
	err := fails(t, source(t, s.URL, opts), nil)
	status := testkit.As[*cache.StatusError](t, err)
	require.Equal(t, &cache.StatusError{Source: "the catalog at " + s.URL + "/api/v1/all", Host: s.Listener.Addr().String(), Code: 401, Status: "Unauthorized", Excerpt: `who are you?\x1b[31m`,
		Advice: "configure the client with a token that can read the catalog"}, status)
}

// TestRedirects: the client decides which redirects are followed.
func TestRedirects(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/new/api/v1/all":
			_, _ = w.Write([]byte(one))
		case "/loop/api/v1/all":
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		default:
			http.Redirect(w, r, "/new/api/v1/all", http.StatusMovedPermanently)
		}
	})
	opts, _ := options(t)
	require.Equal(t, "1.0.0", version(mustLoad(t, source(t, s.URL+"/old", opts), nil), "etcd"))
	require.ErrorContains(t, fails(t, source(t, s.URL+"/loop", opts), nil), "10 redirects")

	opts.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	err := fails(t, source(t, s.URL+"/old", opts), nil)
	require.Equal(t, 301, testkit.As[*cache.StatusError](t, err).Code)
	require.ErrorContains(t, err, "follows redirects")
}

func TestURLs(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) { http.Error(w, r.URL.EscapedPath(), http.StatusTeapot) })
	opts, _ := options(t)
	for base, want := range map[string]string{
		"":                       "/api/v1/all",
		"/":                      "/api/v1/all",
		"/catalogs/a":            "/catalogs/a/api/v1/all",
		"/catalogs/a/":           "/catalogs/a/api/v1/all",
		"/catalogs/a/api/v1/all": "/catalogs/a/api/v1/all",
		"/api/v1/all/":           "/api/v1/all",
		"/a%2Fb":                 "/a%2Fb/api/v1/all",
	} {
		var status *cache.StatusError
		require.ErrorAs(t, fails(t, source(t, s.URL+base, opts), nil), &status, base)
		require.Equal(t, want, status.Excerpt, base)
	}
	for base, want := range map[string]string{
		"":                          "is not the base URL",
		"catalogs/a":                "is not the base URL",
		"ftp://host/a":              "is not the base URL",
		"https:///a":                "is not the base URL",
		"https://host/a?b":          "must not have a query or fragment",
		"https://host/a#b":          "must not have a query or fragment",
		"https://u:secret@host:x/a": "is invalid",
		"ftp://u:secret@host/a":     "is not the base URL",
	} {
		_, err := catalogd.New(base, catalogd.Options{})
		require.ErrorContains(t, err, want, base)
		require.NotContains(t, err.Error(), "secret")
	}
	u := strings.Replace(s.URL, "http://", "http://user:secret@", 1)
	require.NotContains(t, fails(t, source(t, u, opts), nil).Error(), "secret")
}
