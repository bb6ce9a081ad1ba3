package serve

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

const examples = "../../../../examples/scenarios"

// played serves a scenario of the examples, with all the time that a busy machine needs.
func played(t *testing.T, file string) *httptest.Server {
	t.Helper()
	return playedWithin(t, file, time.Hour)
}

// playedWithin is played with a bound for each answer.
func playedWithin(t *testing.T, file string, timeout time.Duration) *httptest.Server {
	t.Helper()
	return playedBy(t, file, Config{Timeout: timeout})
}

func playedBy(t *testing.T, file string, cfg Config) *httptest.Server {
	t.Helper()
	var err error
	cfg.Scenario, err = scenario.ReadFile(t.Context(), filepath.Join(examples, file))
	require.NoError(t, err)
	server, err := New(t.Context(), cfg)
	require.NoError(t, err)
	h := httptest.NewServer(server.Handler())
	t.Cleanup(h.Close)
	return h
}

// said is what the page reads of an answer.
type said struct {
	Error            string
	Status, Headline string
	Set              []string
	Changes          []struct{ Kind, Subject string }
	HTML             string
	States           []json.RawMessage
	Mermaid, DOT     string
	Bundles          []struct{ Bundle, Package string }
	YAML             string
	State            json.RawMessage
	Examples         []struct{ Title, State json.RawMessage }
	Packages         []struct{ Name, Default string }
	Near             []string
	Problems         []struct{ Path, Message string }
}

// What is wrong with a state is named with its path: faults of the request, and of its form.
func TestProblemsHavePaths(t *testing.T) {
	h := played(t, "conflict.yaml")
	for state, want := range map[string][]string{
		`{"cluster":{"kubernetesVersion":"new"},"subscriptions":[{"name":"etcd","package":"etcd"}]}`:                                {"cluster.kubernetesVersion"},
		`{"policy":{"goal":"x"},"subscriptions":[{"name":"etcd","package":"etcd","versionRange":"<<1"}],"installed":[{"name":""}]}`: {"installed[0]", "policy.goal", "subscriptions[0].versionRange"},
		`{"subscriptions":5}`: {"subscriptions"},
	} {
		got, status := post(t, h, "/api/resolve", map[string]any{"state": json.RawMessage(state)})
		require.Equal(t, http.StatusUnprocessableEntity, status)
		var paths []string
		for _, p := range got.Problems {
			paths = append(paths, p.Path)
			require.NotEmpty(t, p.Message)
		}
		require.ElementsMatch(t, want, paths, state)
	}
}

// The icon is served under the name that the page gives and under the one that browsers guess.
func TestIcon(t *testing.T) {
	h := played(t, "conflict.yaml")
	for _, path := range []string{"/favicon.svg", "/favicon.ico"} {
		r, err := h.Client().Get(h.URL + path)
		require.NoError(t, err)
		r.Body.Close()
		require.Equal(t, http.StatusOK, r.StatusCode)
		require.Equal(t, "image/svg+xml", r.Header.Get("Content-Type"))
	}
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

// A conflict whose facts were not made fewer in time is shown as such, with corrections
// that lead to solutions.
func TestConflictThatIsNotMinimal(t *testing.T) {
	h := playedBy(t, "conflict.yaml", Config{Resolver: resolver.New(resolver.WithLimits(resolver.Limits{Solves: 1}))})
	begin, _ := get(t, h, "/api/start")
	conflict, status := post(t, h, "/api/resolve", map[string]any{"state": begin.State})
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "unsatisfiable", conflict.Status)
	require.Contains(t, conflict.HTML, "stopped early")
	require.NotEmpty(t, conflict.States)
}

// The story of a player: a conflict, why, a correction, the difference, the upgrade path,
// the export, and the export resolved as the command line does it.
func TestStory(t *testing.T) {
	h := played(t, "conflict.yaml")
	begin, _ := get(t, h, "/api/start")
	conflict, status := post(t, h, "/api/resolve", map[string]any{"state": begin.State})
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "unsatisfiable", conflict.Status)
	require.Contains(t, conflict.Headline, "cannot both be")
	require.Equal(t, "releasePin", conflict.Changes[0].Kind)
	require.Equal(t, "authorization", conflict.Changes[0].Subject)
	require.Contains(t, conflict.HTML, `aria-label="Why there is no solution"`)
	require.Len(t, conflict.States, strings.Count(conflict.HTML, "data-go="))
	for _, state := range conflict.States {
		after, _ := post(t, h, "/api/resolve", map[string]any{"state": state})
		require.Equal(t, "resolved", after.Status)
	}

	then := conflict.States[0]
	mended, _ := post(t, h, "/api/resolve", map[string]any{"state": then, "before": json.RawMessage(`{}`)})
	require.Equal(t, "resolved", mended.Status)
	require.Equal(t, len(mended.Set), strings.Count(mended.HTML, `<li><span class="tag install">&#43; install</span>`), "before, nothing was asked for")
	require.Contains(t, mended.HTML, "kuadrant-operator.v0.11.1")

	why, _ := post(t, h, "/api/why", map[string]any{"state": then, "bundle": mended.Set[0]})
	require.Contains(t, why.HTML, "Why "+mended.Set[0]+" is in the result")
	path, _ := post(t, h, "/api/path", map[string]any{"state": then})
	require.Len(t, path.States, 1)
	require.Contains(t, path.HTML, "Settled after 1 round")
	further, _ := post(t, h, "/api/path", map[string]any{"state": path.States[0]})
	require.Empty(t, further.States, "the round was carried out")
	require.Contains(t, further.HTML, "Nothing changes")

	exported, _ := post(t, h, "/api/export", map[string]any{"state": then})
	file := filepath.Join(t.TempDir(), "exported.yaml")
	require.NoError(t, os.WriteFile(file, []byte(exported.YAML), 0o644))
	s, err := scenario.ReadFile(t.Context(), file)
	require.NoError(t, err)
	require.Equal(t, mended.Set, (&scenario.Runner{}).Run(t.Context(), s).Set)
}

// The examples of the start page are problems, and have something of what they are called.
func TestExamples(t *testing.T) {
	h := played(t, "install.yaml")
	begin, _ := get(t, h, "/api/start")
	require.Len(t, begin.Examples, 3)
	var steps []string
	for _, e := range begin.Examples {
		out, status := post(t, h, "/api/resolve", map[string]any{"state": e.State})
		require.Equal(t, http.StatusOK, status, out.Error)
		steps = append(steps, out.Status)
	}
	require.Equal(t, []string{"resolved", "resolved", "unsatisfiable"}, steps)
}

func TestSearch(t *testing.T) {
	h := played(t, "install.yaml")
	found, _ := get(t, h, "/api/search?q=ETC")
	require.Len(t, found.Packages, 1)
	require.Equal(t, "etcd", found.Packages[0].Name)
	found, _ = get(t, h, "/api/search?q=etcd+0.9.2")
	require.Empty(t, found.Packages)
	require.Len(t, found.Bundles, 2, "etcdoperator.v0.9.2 and that of clusterwide")
	missed, _ := get(t, h, "/api/search?q=ectd")
	require.Empty(t, missed.Packages)
	require.Equal(t, []string{"etcd"}, missed.Near)
	none, status := get(t, h, "/api/package?name=ectd")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, none.Error, "did you mean etcd?")
}

// The update graph marks installed bundles and their upgrade path to the head.
func TestGraph(t *testing.T) {
	h := played(t, "install.yaml")
	q := map[string]any{"state": json.RawMessage(`{"installed":[{"name":"etcdoperator.v0.9.2"}]}`), "catalog": "olm/community", "package": "etcd"}
	out, status := post(t, h, "/api/graph", q)
	require.Equal(t, http.StatusOK, status, out.Error)
	require.Contains(t, out.HTML, ">installed</text>")
	require.Equal(t, 2, strings.Count(out.HTML, `r="8"`), "0.9.2 and 0.9.4")
	require.NotContains(t, out.HTML, "digraph")
	sources := maps.Clone(q)
	sources["sources"] = true
	out, _ = post(t, h, "/api/graph", sources)
	require.Contains(t, out.DOT, "digraph")
	require.Contains(t, out.Mermaid, "flowchart")
	for key, value := range map[string]string{"catalog": "olm/other", "package": "ectd", "channel": "none"} {
		wrong := maps.Clone(q)
		wrong[key] = value
		out, status := post(t, h, "/api/graph", wrong)
		require.GreaterOrEqual(t, status, 400, key)
		require.Less(t, status, 500, key)
		require.NotEmpty(t, out.Error)
	}
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
	require.Contains(t, long.Error, "the request exceeds")
	for _, path := range []string{"/../server.go", "/page/app.js", "/api/export", "/api/start/../export"} {
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
		{"GET", "/", "Host", "localhost.evil.example", http.StatusMisdirectedRequest},
		{"POST", "/api/resolve", "Host", "evil.example", http.StatusMisdirectedRequest},
		{"POST", "/api/resolve", "Origin", "http://evil.example", http.StatusForbidden},
		{"POST", "/api/resolve", "Origin", "null", http.StatusForbidden},
		{"POST", "/api/resolve", "Sec-Fetch-Site", "same-site", http.StatusForbidden},
		{"POST", "/api/resolve", "Content-Type", "text/plain", http.StatusUnsupportedMediaType},
		{"POST", "/api/resolve", "Content-Type", "application/x-www-form-urlencoded", http.StatusUnsupportedMediaType},
		{"OPTIONS", "/api/resolve", "", "", http.StatusMethodNotAllowed},
		{"POST", "/api/resolve", "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"GET", "/api/start", "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"GET", "/api/start", "Sec-Fetch-Site", "none", http.StatusForbidden},
		{"GET", "/", "Sec-Fetch-Site", "none", http.StatusOK},
		{"GET", "/api/start", "Sec-Fetch-Site", "same-origin", http.StatusOK},
	} {
		r, err := http.NewRequest(c.method, h.URL+c.path, strings.NewReader("{}"))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		if c.header == "Host" {
			r.Host = c.value
		} else if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		got, err := h.Client().Do(r)
		require.NoError(t, err)
		got.Body.Close()
		require.Equal(t, c.want, got.StatusCode, "%+v", c)
		policy := got.Header.Get("Content-Security-Policy")
		for _, rule := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"} {
			require.Contains(t, policy, rule)
		}
		require.NotContains(t, policy, "unsafe")
		require.Empty(t, got.Header.Get("Access-Control-Allow-Origin"))
	}
}

// A cancelled request, or one after its time limit, is not processed.
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
	for range cap(server.waiting) {
		server.waiting <- struct{}{}
	}
	w = httptest.NewRecorder()
	server.Handler().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/api/start", nil))
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), "too many requests")
}

// A question that takes too long is answered so, and gives its place to others.
func TestTimeout(t *testing.T) {
	s, err := scenario.ReadFile(t.Context(), filepath.Join(examples, "conflict.yaml"))
	require.NoError(t, err)
	server, err := New(t.Context(), Config{Scenario: s, Workers: 1, Timeout: time.Nanosecond})
	require.NoError(t, err)
	for range 3 {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "http://localhost/api/resolve", strings.NewReader("{}"))
		r.Header.Set("Content-Type", "application/json")
		server.Handler().ServeHTTP(w, r)
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Contains(t, w.Body.String(), "time limit of 1ns exceeded")
	}
	require.Empty(t, server.workers)
	require.Empty(t, server.waiting)
}

// An export has everything of the problem, and of this machine the catalogs' places alone.
func TestExportSaysTheProblem(t *testing.T) {
	h := played(t, "install.yaml")
	state := `{"subscriptions":[{"name":"e","package":"etcd"}],"forbid":[{"bundle":"etcdoperator.v0.9.4"}],"policy":{"goal":"Oldest"},` +
		`"relax":[{"bundle":"etcdoperator.v0.9.2","constraint":{"type":"olm.package.required","value":{"packageName":"x","versionRange":">=1.0.0"}}}]}`
	exported, status := post(t, h, "/api/export", map[string]any{"state": json.RawMessage(state)})
	require.Equal(t, http.StatusOK, status, exported.Error)
	s, err := scenario.Parse(t.Context(), "exported.yaml", []byte(exported.YAML))
	require.NoError(t, err)
	require.Len(t, s.Catalogs, 1)
	require.True(t, filepath.IsAbs(s.Catalogs[0].Path))
	s.Catalogs = nil
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	require.JSONEq(t, state, string(raw))
}
