package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// FuzzQuestion: whatever is asked is answered, and is not the server's fault; what is
// answered is JSON, and what the page takes in holds nothing that runs or loads.
func FuzzQuestion(f *testing.F) {
	const state = `{"subscriptions":[{"name":"s","package":"etcd"}]}`
	for _, seed := range []string{`{}`, `{"state":` + state + `}`, `{"state":` + state + `,"before":{},"bundle":"etcdoperator.v0.9.2"}`,
		`{"state":{"installed":[{"name":"<script>"}]},"catalog":"olm/community","package":"etcd","channel":"x"}`,
		`{"state":{"catalogs":[{"name":"x","path":"/etc/passwd"}]}}`, `{"state":{"relax":[{"bundle":"b","constraint":{"type":"olm.constraint","value":{}}}]}}`,
		`{"state":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, `{"state":"&a [*a,*a]"}`, `null`, `{"state":null}`,
	} {
		for i := range 5 {
			f.Add(i, seed)
		}
	}
	s, err := scenario.ReadFile(f.Context(), filepath.Join(examples, "install.yaml"))
	require.NoError(f, err)
	server, err := New(f.Context(), Config{Scenario: s})
	require.NoError(f, err)
	handler := server.Handler()
	f.Fuzz(func(t *testing.T, i int, body string) {
		path := []string{"resolve", "path", "why", "graph", "export"}[uint(i)%5]
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "http://localhost/api/"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(w, r)
		require.NotEqual(t, http.StatusInternalServerError, w.Code, w.Body.String())
		require.True(t, json.Valid(w.Body.Bytes()))
		var said struct{ HTML string }
		if json.Unmarshal(w.Body.Bytes(), &said) == nil {
			for _, not := range []string{"<script", "<im", "<foreignObject", "<iframe", "<object", "<link", "<form"} {
				require.NotContains(t, said.HTML, not)
			}
			require.Equal(t, strings.Count(said.HTML, "<a "), strings.Count(said.HTML, ` href="#" data-`), "links lead nowhere else")
		}
		require.NotContains(t, w.Body.String(), "root:x:", "no file of the machine is read")
	})
}

// A problem as large as a body allows is answered, or refused, and leaves nothing.
func TestLargeQuestions(t *testing.T) {
	h := playedWithin(t, "install.yaml", time.Second)
	testkit.OnlyLong(t, "large problems take seconds")
	for name, item := range map[string]string{
		"subscriptions": `{"name":"s%d","package":"etcd"}`, "installed": `{"name":"etcdoperator.v0.9.%d"}`, "forbid": `{"bundle":"b%d"}`, "relax": `{"bundle":"b%d"}`,
	} {
		var items []string
		for n := 0; n < MaxBody-1000; n += len(items[len(items)-1]) + 1 {
			items = append(items, fmt.Sprintf(item, len(items)))
		}
		out, status := post(t, h, "/api/resolve", map[string]any{"state": json.RawMessage(`{"` + name + `":[` + strings.Join(items, ",") + `]}`)})
		require.Contains(t, []int{http.StatusOK, http.StatusUnprocessableEntity, http.StatusServiceUnavailable}, status, "%s: %s", name, out.Error)
	}
}

// A client that sends its body slowly does not block others.
func TestSlowBodyTakesNoWorker(t *testing.T) {
	s, err := scenario.ReadFile(t.Context(), filepath.Join(examples, "install.yaml"))
	require.NoError(t, err)
	server, err := New(t.Context(), Config{Scenario: s, Workers: 1, Timeout: time.Minute})
	require.NoError(t, err)
	h := httptest.NewServer(server.Handler())
	defer h.Close()
	for range 3 {
		slow, err := net.Dial("tcp", h.Listener.Addr().String())
		require.NoError(t, err)
		defer slow.Close()
		_, err = fmt.Fprint(slow, "POST /api/resolve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return len(server.waiting) == 3 }, 10*time.Second, time.Millisecond)
	require.Empty(t, server.workers)
	client := &http.Client{Timeout: 20 * time.Second}
	r, err := client.Get(h.URL + "/api/start")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.NoError(t, r.Body.Close())
}

// A body that is not sent is not waited for longer than work may take, and one that is cut
// off is not the fault of the server.
func TestBodyHasTheTimeOfARequest(t *testing.T) {
	s, err := scenario.ReadFile(t.Context(), filepath.Join(examples, "install.yaml"))
	require.NoError(t, err)
	server, err := New(t.Context(), Config{Scenario: s, Timeout: 50 * time.Millisecond})
	require.NoError(t, err)
	h := httptest.NewServer(server.Handler())
	defer h.Close()
	for _, cut := range []bool{false, true} {
		slow, err := net.Dial("tcp", h.Listener.Addr().String())
		require.NoError(t, err)
		defer slow.Close()
		require.NoError(t, slow.SetDeadline(time.Now().Add(20*time.Second)))
		_, err = fmt.Fprint(slow, "POST /api/resolve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		require.NoError(t, err)
		want := "time limit of 50ms"
		if cut {
			require.NoError(t, slow.(*net.TCPConn).CloseWrite())
			want = "incomplete request"
		}
		said, err := io.ReadAll(slow)
		require.NoError(t, err)
		require.Contains(t, string(said), want)
	}
}

// Why not, where the policy leaves out what asks for a bundle.
func TestWhyOfWhatIsLeftOut(t *testing.T) {
	h := played(t, "partial.yaml")
	begin, _ := get(t, h, "/api/start")
	why, status := post(t, h, "/api/why", map[string]any{"state": begin.State, "bundle": "kuadrant-operator.v0.11.1"})
	require.Equal(t, http.StatusOK, status, why.Error)
	require.Contains(t, why.HTML, "Why kuadrant-operator.v0.11.1 is not in the result")
	require.Contains(t, why.HTML, "its subscription is unresolved")
	require.Contains(t, why.HTML, "<svg")
}
