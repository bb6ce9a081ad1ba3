package e2e

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// farServer serves one catalog like catalogd and can simulate failures.
type farServer struct {
	address string
	content string

	mu              sync.Mutex
	failing         bool
	sent, confirmed int
}

// newFarServer starts a server of one operator until the end of the test.
func newFarServer(t *testing.T, o operator) *farServer {
	t.Helper()
	f := &farServer{content: universe.JSON(t, o.lines)}
	server := httptest.NewServer(f)
	f.address = server.Listener.Addr().String()
	t.Cleanup(server.Close)
	return f
}

// setFailing makes the server fail slowly, with a different message each time.
func (f *farServer) setFailing(failing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failing = failing
}

// count returns how often the catalog was sent, and how often it was
// unchanged.
func (f *farServer) count() (sent, confirmed int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent, f.confirmed
}

func (f *farServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failing {
		time.Sleep(time.Second)
		http.Error(w, "failing at "+time.Now().String(), http.StatusServiceUnavailable)
		return
	}
	if r.URL.Path != "/catalogs/far/api/v1/all" {
		http.NotFound(w, r)
		return
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(f.content)))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		f.confirmed++
		w.WriteHeader(http.StatusNotModified)
		return
	}
	f.sent++
	w.Header().Set("Content-Type", "application/jsonl")
	// An error means that the client is gone.
	_, _ = w.Write([]byte(f.content))
}
