package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// whole is a server of a whole real catalog, if there is one beside the checkout.
func whole(tb testing.TB) *Server {
	tb.Helper()
	data, err := filepath.Abs("../../../../../shared/data/community-all.jsonl.gz")
	require.NoError(tb, err)
	if _, err := os.Stat(data); err != nil {
		tb.Skipf("no whole catalog beside the checkout: %v", err)
	}
	server, err := New(tb.Context(), Config{Timeout: time.Hour, Scenario: &scenario.Scenario{Catalogs: []scenario.Catalog{{Name: "community", Namespace: "olm", Path: data}}}})
	require.NoError(tb, err)
	return server
}

// The questions of a player on the whole catalog.
const (
	fine     = `{"subscriptions":[{"name":"gateway","package":"kuadrant-operator","channel":"stable"},{"name":"m","package":"prometheus"}],"installed":[{"name":"etcdoperator.v0.9.2"}]}`
	clashing = `{"subscriptions":[{"name":"gateway","package":"kuadrant-operator","channel":"stable","startingCSV":"kuadrant-operator.v0.11.0"},{"name":"authorization","package":"authorino-operator","versionRange":">=0.15.0"}]}`
)

var clicks = []struct{ name, method, path, body string }{
	{"search", "GET", "/api/search?q=etcd+0.9", ""},
	{"solution and difference", "POST", "/api/resolve", `{"state":` + fine + `,"before":{}}`},
	{"conflict and corrections", "POST", "/api/resolve", `{"state":` + clashing + `,"before":` + fine + `}`},
	{"why not", "POST", "/api/why", `{"state":` + fine + `,"bundle":"kuadrant-operator.v0.11.0"}`},
	{"path", "POST", "/api/path", `{"state":` + fine + `}`},
	{"update graph", "POST", "/api/graph", `{"state":` + fine + `,"catalog":"olm/community","package":"etcd"}`},
	{"largest update graph", "POST", "/api/graph", `{"state":{},"catalog":"olm/community","package":"assisted-service-operator"}`},
}

// BenchmarkAnswer is what the server takes for one answer on a whole catalog.
func BenchmarkAnswer(b *testing.B) {
	server := whole(b)
	for _, c := range clicks {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				r := httptest.NewRequest(c.method, "http://localhost"+c.path, bytes.NewReader([]byte(c.body)))
				r.Header.Set("Content-Type", "application/json")
				server.Handler().ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Body.String())
				}
			}
		})
	}
}

// click asks a question over the network, and says how long the answer took.
func click(client *http.Client, url, method, path, body string) (time.Duration, error) {
	r, err := http.NewRequest(method, url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	began := time.Now()
	got, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer got.Body.Close()
	said, err := io.ReadAll(got.Body)
	if err == nil && (got.StatusCode != http.StatusOK || !json.Valid(said)) {
		err = fmt.Errorf("%s: %s: %.200s", path, got.Status, said)
	}
	return time.Since(began), err
}

// play has players click through all questions, each with a pause between its clicks,
// and returns how long the answers took, in order.
func play(tb testing.TB, url string, players, rounds int, pause time.Duration) []time.Duration {
	tb.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	var all sync.WaitGroup
	for p := range players {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			time.Sleep(pause * time.Duration(p) / time.Duration(players))
			for i := range rounds * len(clicks) {
				c := clicks[(i+p)%len(clicks)]
				d, err := click(client, url, c.method, c.path, c.body)
				mu.Lock()
				took, failed = append(took, d), firstOf(failed, err)
				mu.Unlock()
				time.Sleep(pause)
			}
		})
	}
	all.Wait()
	require.NoError(tb, failed)
	slices.Sort(took)
	return took
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// BenchmarkPlayers is two hundred players on one whole catalog, each with a second
// between its clicks, and without any pause.
func BenchmarkPlayers(b *testing.B) {
	server := whole(b)
	h := httptest.NewServer(server.Handler())
	defer h.Close()
	for _, pause := range []time.Duration{time.Second, 0} {
		b.Run(fmt.Sprintf("pause=%v", pause), func(b *testing.B) {
			for b.Loop() {
				before := inUse()
				took := play(b, h.URL, 200, 3, pause)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(before, "MB-before")
				b.ReportMetric(inUse(), "MB-after")
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.Sys)/(1<<20), "MB-of-the-system")
			}
		})
	}
}

// inUse is the heap in use after a collection, in MB.
func inUse() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// Nothing is left of players that are gone, however many there were at once.
func TestNothingIsLeftOfPlayers(t *testing.T) {
	testkit.OnlyLong(t, "a crowd takes seconds")
	defer goleak.VerifyNone(t)
	server := whole(t)
	h := httptest.NewServer(server.Handler())
	defer h.Close()
	play(t, h.URL, 20, 1, 0)
	before := inUse()
	for range 3 {
		play(t, h.URL, 20, 1, 0)
	}
	require.Less(t, inUse(), before+16, "MB: what three more crowds left")
	require.Empty(t, server.workers)
	require.Empty(t, server.waiting)
}
