package serve

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

const examples = "../../../scenarios"

// played serves a scenario of the examples.
func played(t *testing.T, file string) *httptest.Server {
	t.Helper()
	s, err := scenario.ReadFile(t.Context(), filepath.Join(examples, file))
	require.NoError(t, err)
	server, err := New(t.Context(), Config{Scenario: s})
	require.NoError(t, err)
	h := httptest.NewServer(server.Handler())
	t.Cleanup(h.Close)
	return h
}

// said is what the page reads of an answer.
type said struct {
	Error  string
	Answer struct {
		Status string
		Set    []string
	}
	Diff      *struct{ Install, Remove []string }
	Conflicts []struct {
		Headline, Text string
		Offers         []struct {
			Text  string
			State json.RawMessage
		}
	}
	Text     string
	In       bool
	YAML     string
	State    json.RawMessage
	Packages []struct{ Name, Default string }
	Near     []string
	Rounds   []json.RawMessage
	Status   string
}

func get(t *testing.T, h *httptest.Server, path string) (said, int) {
	t.Helper()
	r, err := h.Client().Get(h.URL + path)
	require.NoError(t, err)
	return read(t, r)
}

func post(t *testing.T, h *httptest.Server, path string, q map[string]any) (said, int) {
	t.Helper()
	body, err := json.Marshal(q)
	require.NoError(t, err)
	r, err := h.Client().Post(h.URL+path, "application/json", strings.NewReader(string(body)))
	require.NoError(t, err)
	return read(t, r)
}

func read(t *testing.T, r *http.Response) (said, int) {
	t.Helper()
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	var out said
	require.NoError(t, json.Unmarshal(body, &out), "%s", body)
	return out, r.StatusCode
}

// The story of a player: a conflict, why, a correction, the difference, the road, the
// export, and the export resolved as the command line does it.
func TestStory(t *testing.T) {
	h := played(t, "conflict.yaml")
	begin, _ := get(t, h, "/api/start")
	conflict, status := post(t, h, "/api/resolve", map[string]any{"state": begin.State})
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "unsatisfiable", conflict.Answer.Status)
	require.Len(t, conflict.Conflicts, 1)
	require.Contains(t, conflict.Conflicts[0].Headline, "cannot both be had")
	offers := conflict.Conflicts[0].Offers
	require.Equal(t, "release the pin of subscription authorization", offers[0].Text)
	require.Empty(t, offers[len(offers)-1].State, "a constraint is relaxed in the catalog, not in a scenario")

	mended, _ := post(t, h, "/api/resolve", map[string]any{"state": offers[0].State, "before": json.RawMessage(`{}`)})
	require.Equal(t, "resolved", mended.Answer.Status)
	require.Equal(t, mended.Answer.Set, mended.Diff.Install, "before, nothing was asked for")

	why, _ := post(t, h, "/api/why", map[string]any{"state": offers[0].State, "bundle": mended.Answer.Set[0]})
	require.True(t, why.In)
	road, _ := post(t, h, "/api/road", map[string]any{"state": offers[0].State})
	require.Equal(t, "resolved", road.Status)
	require.Len(t, road.Rounds, 1)

	exported, _ := post(t, h, "/api/export", map[string]any{"state": offers[0].State})
	file := filepath.Join(t.TempDir(), "exported.yaml")
	require.NoError(t, os.WriteFile(file, []byte(exported.YAML), 0o644))
	s, err := scenario.ReadFile(t.Context(), file)
	require.NoError(t, err)
	require.Equal(t, mended.Answer.Set, (&scenario.Runner{}).Run(t.Context(), s).Set)
}

func TestSearch(t *testing.T) {
	h := played(t, "install.yaml")
	found, _ := get(t, h, "/api/packages?q=ETC")
	require.Len(t, found.Packages, 1)
	require.Equal(t, "etcd", found.Packages[0].Name)
	missed, _ := get(t, h, "/api/packages?q=ectd")
	require.Empty(t, missed.Packages)
	require.Equal(t, []string{"etcd"}, missed.Near)
	none, status := get(t, h, "/api/package?name=ectd")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, none.Error, "did you mean etcd?")
}

func TestGraph(t *testing.T) {
	h := played(t, "install.yaml")
	state := base64.RawURLEncoding.EncodeToString([]byte(`{"installed":[{"name":"etcdoperator.v0.9.2"}]}`))
	r, err := h.Client().Get(h.URL + "/api/graph.svg?catalog=olm/community&package=etcd&state=" + state)
	require.NoError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, "image/svg+xml", r.Header.Get("Content-Type"))
	require.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.Contains(t, string(body), "etcdoperator.v0.9.2")
	require.Contains(t, string(body), "installed")
}

// What a player sends can name nothing of the machine.
func TestRefused(t *testing.T) {
	h := played(t, "install.yaml")
	for name, state := range map[string]string{
		"a path":       `{"catalogs":[{"name":"x","path":"/etc"}]}`,
		"an image":     `{"catalogs":[{"name":"x","image":"quay.io/a/b"}]}`,
		"what-ifs":     `{"whatif":[{"name":"x"}]}`,
		"unknown keys": `{"file":"/etc/passwd"}`,
		"no state":     `[1]`,
	} {
		out, status := post(t, h, "/api/resolve", map[string]any{"state": json.RawMessage(state)})
		require.GreaterOrEqual(t, status, 400, name)
		require.Less(t, status, 500, name)
		require.NotEmpty(t, out.Error, name)
	}
	long, status := post(t, h, "/api/resolve", map[string]any{"state": strings.Repeat("x", MaxBody)})
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	require.Contains(t, long.Error, "longer than")
	for _, path := range []string{"/../server.go", "/page/app.js", "/api/export", "/api/graph.svg?catalog=x"} {
		r, err := h.Client().Get(h.URL + path)
		require.NoError(t, err)
		r.Body.Close()
		require.GreaterOrEqual(t, r.StatusCode, 400, path)
	}
}

// Another site cannot ask, whatever name it gives this machine.
func TestGuard(t *testing.T) {
	h := played(t, "install.yaml")
	for _, c := range []struct {
		method, path, header, value string
		want                        int
	}{
		{"GET", "/", "", "", http.StatusOK},
		{"GET", "/", "Host", "evil.example", http.StatusMisdirectedRequest},
		{"GET", "/", "Host", "127.0.0.1.evil.example:8642", http.StatusMisdirectedRequest},
		{"GET", "/", "Host", "192.0.2.1", http.StatusMisdirectedRequest},
		{"GET", "/", "Host", "localhost:1", http.StatusOK},
		{"GET", "/", "Host", "[::1]:1", http.StatusOK},
		{"POST", "/api/resolve", "Origin", "http://evil.example", http.StatusForbidden},
		{"POST", "/api/resolve", "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"GET", "/api/start", "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"GET", "/api/start", "Sec-Fetch-Site", "none", http.StatusForbidden},
		{"GET", "/", "Sec-Fetch-Site", "none", http.StatusOK},
		{"GET", "/api/start", "Sec-Fetch-Site", "same-origin", http.StatusOK},
	} {
		r, err := http.NewRequest(c.method, h.URL+c.path, strings.NewReader("{}"))
		require.NoError(t, err)
		if c.header == "Host" {
			r.Host = c.value
		} else if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		got, err := h.Client().Do(r)
		require.NoError(t, err)
		got.Body.Close()
		require.Equal(t, c.want, got.StatusCode, "%+v", c)
		require.Contains(t, got.Header.Get("Content-Security-Policy"), "script-src 'self'")
	}
}

// A request that nobody waits for any more, or whose time is over, is not worked on.
func TestBounded(t *testing.T) {
	s, err := scenario.ReadFile(t.Context(), filepath.Join(examples, "install.yaml"))
	require.NoError(t, err)
	server, err := New(t.Context(), Config{Scenario: s, Workers: 1})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	server.workers <- struct{}{} // the one place is taken
	server.Handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "http://localhost/api/start", nil))
	require.Empty(t, w.Body.String())
	<-server.workers
}
