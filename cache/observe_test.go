package cache_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// story is a log handler that records each message as one line.
type story struct {
	mu        sync.Mutex
	lines     []string
	onMessage func(message string) // called with each message, if not nil
}

func (s *story) Enabled(context.Context, slog.Level) bool { return true }
func (s *story) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s *story) WithGroup(string) slog.Handler            { return s }

func (s *story) Handle(ctx context.Context, r slog.Record) error {
	if s.onMessage != nil {
		s.onMessage(r.Message)
	}
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		value := a.Value.String()
		switch a.Key {
		case "digest", "before":
			value = number(&cache.Content{Digest: value})
		case "next", "problems":
			return true
		}
		line += " " + a.Key + "=" + value
		return true
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
	return ctx.Err()
}

// take returns the lines since the last call.
func (s *story) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}

func (s *story) logger() *slog.Logger { return slog.New(s) }

// TestLoggerMayCall: a logger may use the cache, which holds no lock.
func TestLoggerMayCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var c *cache.Cache
		ready := make(chan struct{})
		removed := 0
		log := &story{onMessage: func(message string) {
			switch <-ready; message {
			case "loading catalog":
				c.Health()
			case "catalog changed":
				_, err := c.Snapshot(context.Background())
				require.NoError(t, err)
				c.SetPriority(community, 5)
				c.Remove(community)
			case "catalog removed":
				removed++
				require.NoError(t, c.Add(cache.SourceConfig{Key: certified, Source: scripted(fails(errors.New("x")))}))
			}
		}}
		c = open(t, cache.Config{Logger: log.logger(), Sources: []cache.SourceConfig{{Key: community, Source: cache.NewMemory(numbered(1).Catalog)}}})
		close(ready)
		synctest.Wait()
		require.Equal(t, 1, removed)
		require.Error(t, see(t, c, certified).Unavailable)
	})
}

// TestLoggerThatHangs: Close stops waiting for a logger that does not return.
func TestLoggerThatHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		free := make(chan struct{})
		log := &story{onMessage: func(string) { <-free }}
		c := testkit.Must(cache.New(cache.Config{
			Logger:  log.logger(),
			Sources: []cache.SourceConfig{{Key: community, Source: cache.NewMemory(numbered(1).Catalog)}},
		}))(t)
		synctest.Wait()
		require.EqualError(t, c.Close(), "the cache is closed, but a call of its Logger or Metrics did not return within 5s: its goroutine is still running")
		close(free)
		require.NoError(t, c.Close())
	})
}

// meter is a Metrics that records everything.
type meter struct {
	mu     sync.Mutex
	counts map[string]int64
	gauges map[string]float64
	values map[string][]float64
}

func newMeter() *meter {
	return &meter{counts: map[string]int64{}, gauges: map[string]float64{}, values: map[string][]float64{}}
}

// series names a series as Prometheus would.
func series(name string, attrs []slog.Attr) string {
	var b strings.Builder
	b.WriteString(name)
	for _, a := range attrs {
		fmt.Fprintf(&b, " %s=%s", a.Key, a.Value)
	}
	return b.String()
}

func (m *meter) Count(_ context.Context, name string, n int64, attrs ...slog.Attr) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[series(name, attrs)] += n
}

func (m *meter) Gauge(_ context.Context, name string, v float64, attrs ...slog.Attr) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gauges[series(name, attrs)] = v
	if math.IsNaN(v) {
		delete(m.gauges, series(name, attrs))
	}
}

func (m *meter) Observe(_ context.Context, name string, v float64, attrs ...slog.Attr) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[series(name, attrs)] = append(m.values[series(name, attrs)], v)
}

// taken returns and clears the counters and histograms.
func (m *meter) taken() (map[string]int64, map[string][]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.counts), maps.Clone(m.values)
}

// gauge returns the value of a gauge of the community catalog.
func (m *meter) gauge(name string) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.gauges[name+" catalog=olm/community"]
	if !ok {
		return math.Inf(-1)
	}
	return v
}

func TestMetrics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newMeter()
		s := scripted(takes(1500*time.Millisecond, numbered(1)))
		c := open(t, cache.Config{Metrics: m, Sources: []cache.SourceConfig{{
			Key: community, Source: s, Refresh: time.Hour, Jitter: -1, MaxStale: time.Hour, Backoff: cache.Backoff{Min: 40 * time.Minute},
		}}})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		const labels = " catalog=olm/community cause="
		counts, values := m.taken()
		require.Equal(t, map[string]int64{"resolute_cache_loads_total" + labels + "start outcome=changed": 1}, counts)
		require.Equal(t, map[string][]float64{"resolute_cache_load_duration_seconds" + labels + "start outcome=changed": {1.5}}, values)
		require.InDelta(t, 1, m.gauge("resolute_cache_catalog_available"), 0)
		require.InDelta(t, 0, m.gauge("resolute_cache_catalog_failures"), 0)
		require.InDelta(t, 1, m.gauge("resolute_cache_catalog_bundles"), 0)
		require.InDelta(t, 1, m.gauge("resolute_cache_catalog_problems"), 5)
		require.InDelta(t, 946684801.5, m.gauge("resolute_cache_catalog_last_success_timestamp_seconds"), 0)
		s.set(fails(errors.New("gone")))
		time.Sleep(time.Hour)
		synctest.Wait()
		require.InDelta(t, 1, m.gauge("resolute_cache_catalog_available"), 0, "still forgiven")
		require.InDelta(t, 1, m.gauge("resolute_cache_catalog_failures"), 0)
		counts, _ = m.taken()
		require.Equal(t, int64(1), counts["resolute_cache_loads_total"+labels+"schedule outcome=failed"])
		time.Sleep(time.Hour)
		require.InDelta(t, 0, m.gauge("resolute_cache_catalog_available"), 0)
		c.Remove(community)
		synctest.Wait()
		require.Empty(t, m.gauges, "its series have ended")
	})
}

// TestHealth: as data, as JSON and for slog.
func TestHealth(t *testing.T) {
	bubble(t, func(t *testing.T) {
		modified := time.Date(1999, 12, 31, 0, 0, 0, 0, time.FixedZone("", 3600))
		content := *numbered(1)
		content.Modified = modified
		s := scripted(gives(&content))
		c := open(t, cache.Config{Sources: []cache.SourceConfig{
			{Key: community, Source: s, Priority: 3, Refresh: time.Hour, Jitter: -1, Backoff: cache.Backoff{Min: time.Hour}},
			{Key: certified, Source: scripted(hangs), Timeout: 24 * time.Hour},
		}})
		synctest.Wait()
		s.set(fails(errors.New("no route to host")))
		time.Sleep(90 * time.Minute)
		began := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		h := c.Health()
		require.Equal(t, certified, h[0].Key)
		require.True(t, h[0].Loading)
		require.EqualError(t, h[1].LastError, "no route to host")
		require.True(t, h[1].LastSuccess.Equal(began))
		require.True(t, h[1].FailingSince.Equal(began.Add(time.Hour)))
		require.Equal(t, 90*time.Minute, h[1].Age)
		require.Equal(t, numbered(1).Catalog.Problems(), h[1].Problems)

		h[1].Problems = nil
		text := testkit.Must(json.MarshalIndent(h, "", " "))(t)
		require.Equal(t, `[
 {
  "catalog": "olm/certified",
  "priority": 0,
  "available": false,
  "loading": true,
  "packages": 0,
  "bundles": 0
 },
 {
  "catalog": "olm/community",
  "priority": 3,
  "available": false,
  "lastSuccess": "2000-01-01T00:00:00Z",
  "lastFailure": "2000-01-01T01:00:00Z",
  "failures": 1,
  "failingSince": "2000-01-01T01:00:00Z",
  "next": "2000-01-01T02:00:00Z",
  "digest": "`+numbered(1).Digest+`",
  "loaded": "2000-01-01T00:00:00Z",
  "modified": "1999-12-30T23:00:00Z",
  "packages": 1,
  "bundles": 1,
  "ageSeconds": 5400,
  "lastError": "no route to host"
 }
]`, string(text))
		var out bytes.Buffer
		slog.New(slog.NewTextHandler(&out, nil)).Info("health", "source", h[1])
		require.Contains(t, out.String(), `source.ageSeconds=5400 source.available=false source.bundles=1 source.catalog=olm/community`)
		require.Contains(t, out.String(), `source.failures=1 source.lastError="no route to host" source.lastFailure=2000-01-01T01:00:00Z`)

		s.set(gives(numbered(1)))
		time.Sleep(time.Hour)
		h = c.Health()
		require.EqualError(t, h[1].LastError, "no route to host", "it is remembered")
		require.Zero(t, h[1].Failures)
		require.Zero(t, h[1].FailingSince)
		require.True(t, h[1].Available)
	})
}

func TestSourceErrorText(t *testing.T) {
	e := &cache.SourceError{Key: community, Since: time.Unix(1e9, 0), Failures: 1, Err: errors.New("connection refused"), Loaded: time.Unix(9e8, 0)}
	require.EqualError(t, e, "catalog olm/community cannot be read since 2001-09-09T01:46:40Z (1 attempt): connection refused; still serving the content of 1998-07-09T16:00:00Z")
	e.Failures, e.Loaded = 12, time.Time{}
	require.EqualError(t, e, "catalog olm/community cannot be read since 2001-09-09T01:46:40Z (12 attempts): connection refused; no earlier content is available")
	require.EqualError(t, &cache.WaitError{Err: context.Canceled}, "gave up waiting for catalogs to be read: context canceled")
}

// TestRemoteErrorTexts: each error names the object and the reason, and says what to do.
func TestRemoteErrorTexts(t *testing.T) {
	const image = "the image quay.io/ns/catalog:v1"
	refused := errors.New("connect: connection refused\x1b")
	for want, err := range map[string]error{
		`the image quay.io/ns/catalog:v1 cannot be read: quay.io answered the request for its manifest with status 429 (Too Many Requests) and "slow": ask less often, or with a credential (Retry-After 7s)`: &cache.StatusError{
			Source: image, Host: "quay.io", What: "manifest", Code: 429, Status: "Too Many Requests", Excerpt: "slow", Wait: 7 * time.Second, Advice: "ask less often, or with a credential"},
		`the catalog at https://a.b/api/v1/all cannot be read: a.b answered with status 799: try again later`: &cache.StatusError{
			Source: "the catalog at https://a.b/api/v1/all", Host: "a.b", Code: 799, Advice: "try again later"},
		`the image quay.io/ns/catalog:v1 cannot be read: timed out after 30s waiting for an answer from quay.io: try again later, or look for a proxy or firewall in between`: &cache.TimeoutError{
			Source: image, Host: "quay.io", Waiting: "an answer", Limit: 30 * time.Second},
		`the catalog at a:1 cannot be read: timed out after 1s waiting for a connection from a:1: try again later, or look for a proxy or firewall in between (connect: connection refused\x1b)`: &cache.TimeoutError{
			Source: "the catalog at a:1", Host: "a:1", Waiting: "a connection", Limit: time.Second, Err: refused},
		`the image quay.io/ns/catalog:v1 has more than 7 entries in its layers (exceeded in layer 2, entry "x"): if it can be trusted, raise Limits.MaxEntries`: &cache.LimitError{
			Source: image, Limit: "MaxEntries", Max: 7, What: "entries in its layers", At: `layer 2, entry "x"`, Advice: "if it can be trusted, raise Limits.MaxEntries"},
	} {
		require.Equal(t, want, err.Error())
	}
	late := &cache.TimeoutError{Waiting: "an answer", Err: refused}
	require.True(t, late.Timeout())
	require.ErrorIs(t, late, refused)
	require.NotErrorIs(t, late, context.DeadlineExceeded, "that is the end of a context")
	require.ErrorIs(t, &cache.TimeoutError{}, context.DeadlineExceeded)
}

// TestHealthInALog: the log has the known fields of a catalog's health, and no others.
func TestHealthInALog(t *testing.T) {
	keys := func(h cache.Health) (names []string) {
		for _, a := range h.LogValue().Group() {
			require.NotEqual(t, slog.Any(a.Key, time.Time{}).String(), a.String())
			names = append(names, a.Key)
		}
		return names
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	require.Equal(t, []string{
		"ageSeconds", "available", "bundles", "catalog", "digest", "failingSince", "failures", "lastError", "lastFailure", "lastSuccess",
		"loaded", "loading", "modified", "next", "packages", "priority", "problems", "warm",
	}, keys(cache.Health{
		LastSuccess: at, Age: time.Second, LastFailure: at, LastError: errors.New("x"), Failures: 1, FailingSince: at, Next: at, Digest: "d",
		Loaded: at, Modified: at, Warm: true, Loading: true,
	}))
	require.Equal(t, []string{"available", "bundles", "catalog", "packages", "priority", "problems"}, keys(cache.Health{}))
}
