package catalogd_test

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/catalogd"
	"github.com/seed109e2655/resolute/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A small valid catalog, and the same with another version.
const (
	etcd = `{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}
{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v1"}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}
`
	token = "Bearer of-the-test"
)

var (
	kafka   = strings.ReplaceAll(etcd, "etcd", "kafka")
	one     = etcd + kafka
	two     = etcd + strings.ReplaceAll(kafka, "1.0.0", "1.5.0")
	changed = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
)

// transport counts opened and closed bodies.
type transport struct {
	http.RoundTripper
	mu           sync.Mutex
	open, opened int
	requests     []http.Header
}

func (c *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.requests = append(c.requests, r.Header.Clone())
	c.mu.Unlock()
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil {
		c.mu.Lock()
		c.open++
		c.opened++
		c.mu.Unlock()
		resp.Body = &countedBody{ReadCloser: resp.Body, of: c}
	}
	return resp, err
}

// header returns a header of the last request.
func (c *transport) header(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests[len(c.requests)-1].Get(name)
}

type countedBody struct {
	io.ReadCloser
	of   *transport
	once sync.Once
}

func (b *countedBody) Close() error {
	b.once.Do(func() {
		b.of.mu.Lock()
		b.of.open--
		b.of.mu.Unlock()
	})
	return b.ReadCloser.Close()
}

// options returns options with short timeouts and a client of their own. At the end of the
// test, all bodies must be closed.
func options(t testing.TB) (catalogd.Options, *transport) {
	base := &http.Transport{}
	c := &transport{RoundTripper: base}
	t.Cleanup(func() {
		base.CloseIdleConnections()
		c.mu.Lock()
		defer c.mu.Unlock()
		require.Zero(t, c.open, "unclosed bodies")
	})
	return catalogd.Options{Client: &http.Client{Transport: c}, ConnectTimeout: 5 * time.Second, HeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second}, c
}

// source returns a source for a server.
func source(t testing.TB, base string, opts catalogd.Options) cache.Source {
	return testkit.Must(catalogd.New(base, opts))(t)
}

// mustLoad loads a source.
func mustLoad(t testing.TB, s cache.Source, last *cache.Content) *cache.Content {
	c := testkit.Must(s.Load(context.Background(), last))(t)
	require.NotNil(t, c.Catalog)
	return c
}

// fails loads a source, requires an error and returns it.
func fails(t testing.TB, s cache.Source, last *cache.Content) error {
	c, err := s.Load(context.Background(), last)
	require.Error(t, err)
	require.Nil(t, c)
	return err
}

// version returns the version of a package's only bundle.
func version(c *cache.Content, pkg string) string {
	return c.Catalog.Package(pkg).Bundle(pkg + ".v1").Version.String()
}

// server serves a handler.
func server(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// current is a replaceable handler.
type current struct{ handler atomic.Value }

func (c *current) set(h http.HandlerFunc) { c.handler.Store(h) }

func (c *current) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.handler.Load().(http.HandlerFunc)(w, r)
}

// files serves a catalog as catalogd does, with Last-Modified.
type files struct {
	mu      sync.Mutex
	text    string
	changed time.Time
	etag    string
	served  []int // status code of each response
}

func (f *files) set(text string, at time.Time, etag string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text, f.changed, f.etag = text, at, etag
}

func (f *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.URL.Path != "/catalogs/operatorhub/api/v1/all" || r.Method != http.MethodGet {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	if f.etag != "" {
		w.Header().Set("Etag", f.etag)
	}
	recorder := httptest.NewRecorder()
	for name, value := range w.Header() {
		recorder.Header()[name] = value
	}
	http.ServeContent(recorder, r, "", f.changed, strings.NewReader(f.text))
	f.served = append(f.served, recorder.Code)
	for name, value := range recorder.Header() {
		w.Header()[name] = value
	}
	w.WriteHeader(recorder.Code)
	_, _ = w.Write(recorder.Body.Bytes())
}

// statuses returns the status codes of the responses so far.
func (f *files) statuses() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.served
}

// raw sends the same bytes to each request, then passes the connection to a function, which may
// keep it open until the test ends.
func raw(t testing.TB, answer func(conn net.Conn, ended <-chan struct{})) (base string) {
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ended := make(chan struct{})
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		defer group.Done()
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			group.Add(1)
			go func() {
				defer group.Done()
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					answer(conn, ended)
				}
			}()
		}
	}()
	t.Cleanup(func() {
		close(ended)
		_ = l.Close()
		group.Wait()
	})
	return "http://" + l.Addr().String()
}

// says sends a text and closes the connection.
func says(t testing.TB, text string) (base string) {
	return raw(t, func(conn net.Conn, _ <-chan struct{}) { _, _ = conn.Write([]byte(text)) })
}

// discard returns a logger without output.
func discard() *log.Logger { return log.New(io.Discard, "", 0) }
