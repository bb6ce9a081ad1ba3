package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/page"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// long serves a package with an upgrade path of many rounds, and a state as large as a body may be
// that follows it.
func long(t *testing.T, rounds int, cfg Config) (*Server, string) {
	t.Helper()
	entries := "p/c"
	for i := range rounds + 1 {
		entries += fmt.Sprintf(" p.v1.%d.0", i)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "catalog.json"), []byte(universe.JSON(t, entries)), 0o600))
	cfg.Scenario = &scenario.Scenario{Catalogs: []scenario.Catalog{{Name: "c", Namespace: "olm", Path: dir}}}
	server, err := New(t.Context(), cfg)
	require.NoError(t, err)
	installed := []string{`{"name":"p.v1.0.0"}`}
	for n := 0; n < 900<<10; n += len(installed[len(installed)-1]) + 1 {
		installed = append(installed, fmt.Sprintf(`{"name":"somebody-elses-operator.v%d.0.0","package":"somebody-elses-%d"}`, len(installed), len(installed)))
	}
	return server, `{"state":{"subscriptions":[{"name":"s","package":"p","channel":"c","installedCSV":"p.v1.0.0"}],"installed":[` + strings.Join(installed, ",") + `]}}`
}

func ask(ctx context.Context, server *Server, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "http://localhost"+path, strings.NewReader(body)).WithContext(ctx)
	r.Header.Set("Content-Type", "application/json")
	server.Handler().ServeHTTP(w, r)
	return w
}

// A long upgrade path from a large state comes with what its rounds change and with the first
// states alone, and takes little memory.
func TestPathIsBounded(t *testing.T) {
	server, question := long(t, 100, Config{Timeout: time.Minute})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := ask(t.Context(), server, "/api/path", question)
	runtime.ReadMemStats(&after)
	require.Equal(t, http.StatusOK, w.Code, "%.200s", w.Body)
	require.Less(t, w.Body.Len(), 4<<20)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(600<<20))
	var path said
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &path))
	require.Contains(t, path.HTML, "Incomplete after")
	rounds := strings.Count(path.HTML, "<h2>Round ")
	require.Greater(t, rounds, 1)
	for i := range rounds {
		require.Contains(t, path.HTML, fmt.Sprintf("<h2>Round %d</h2>", i+1))
		require.Contains(t, path.HTML, fmt.Sprintf(`data-why="p.v1.%d.0"`, i+1))
	}
	require.NotContains(t, path.HTML, `data-why="somebody-elses`, "what stays is not told")
	require.NotEmpty(t, path.States)
	require.Less(t, len(path.States), rounds)
	require.Contains(t, string(path.States[0]), `"p.v1.1.0"`)
}

// saying answers every call with a text.
func saying(text string) answer {
	return func(context.Context, string, []byte) ([]byte, error) { return []byte(`"` + text + `"`), nil }
}

// A client that does not read its answer does not block others.
func TestUnreadAnswersTakeNoWorker(t *testing.T) {
	server, _ := long(t, 1, Config{Timeout: time.Minute, Workers: 1})
	mux := http.NewServeMux()
	mux.Handle("GET /api/large", server.serve(saying(strings.Repeat("x", page.MaxAnswer-8))))
	mux.Handle("GET /api/small", server.serve(saying("x")))
	h := httptest.NewServer(mux)
	defer h.Close()
	for range 3 {
		c, err := net.Dial("tcp", h.Listener.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		_, err = fmt.Fprint(c, "GET /api/large HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return server.unread.Load() == 3*page.MaxAnswer-3*6 }, 20*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return len(server.workers)+len(server.waiting) == 0 }, 20*time.Second, time.Millisecond)
	client := &http.Client{Timeout: 20 * time.Second}
	r, err := client.Get(h.URL + "/api/small")
	require.NoError(t, err)
	said, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, `"x"`, strings.TrimSpace(string(said)))
}

// failing refuses what is written to it, as a connection does that is gone.
type failing struct {
	http.ResponseWriter
	headers int
}

func (f *failing) WriteHeader(int)           { f.headers++ }
func (f *failing) Write([]byte) (int, error) { return 0, net.ErrClosed }

// Headers are written once, also where the answer cannot be written.
func TestHeadersAreWrittenOnce(t *testing.T) {
	server, _ := long(t, 1, Config{Timeout: time.Minute})
	f := &failing{ResponseWriter: httptest.NewRecorder()}
	server.serve(saying("x")).ServeHTTP(f, httptest.NewRequest("GET", "/", nil))
	require.Equal(t, 1, f.headers)
}
