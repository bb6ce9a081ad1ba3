package cache_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// modelled is the expected state of a source for readers, from the documentation alone.
type modelled struct {
	source   *script
	signal   chan struct{}
	priority int
	maxStale time.Duration
	backoff  time.Duration
	refresh  time.Duration

	now     int       // content number of the source, or -1 if it fails
	served  int       // content number that readers see, or -1
	failing time.Time // since when, zero if it does not fail
	fails   int
	due     time.Time // when the next load is due
}

// machine drives a cache and its model side by side. Only waiting takes time.
type machine struct {
	c       *cache.Cache
	sources map[cache.Key]*modelled
	changes <-chan struct{}
	last    *cache.Snapshot
}

var errDown = errors.New("down")

// load applies one load to the model.
func (m *modelled) load(now time.Time) {
	if m.now >= 0 {
		m.served, m.failing, m.fails = m.now, time.Time{}, 0
		m.due = now.Add(m.refresh)
		return
	}
	if m.fails++; m.fails == 1 {
		m.failing = now
	}
	m.due = now.Add(m.backoff) // Min and Max are the same
}

// pass advances time: due loads happen in order.
func (m *modelled) pass(until time.Time) {
	for !m.due.After(until) {
		m.load(m.due)
	}
}

// available reports whether the catalog is available at that time.
func (m *modelled) available(now time.Time) bool {
	return m.served >= 0 && (m.fails == 0 || m.maxStale < 0 || now.Sub(m.failing) < m.maxStale)
}

var modelKeys = []cache.Key{{Namespace: "a", Name: "x"}, {Namespace: "a", Name: "y"}, {Namespace: "b", Name: "x"}}

// draw draws the key of an existing source if there is one.
func (m *machine) draw(t *rapid.T) (cache.Key, *modelled) {
	var keys []cache.Key
	for _, key := range modelKeys {
		if m.sources[key] != nil {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		t.Skip("no sources")
	}
	key := rapid.SampledFrom(keys).Draw(t, "key")
	return key, m.sources[key]
}

// Add adds a source, which may fail from the start, or adds an existing one.
func (m *machine) Add(t *rapid.T) {
	key := rapid.SampledFrom(modelKeys).Draw(t, "key")
	minutes := func(name string) time.Duration {
		return time.Duration(rapid.IntRange(1, 5).Draw(t, name)) * time.Minute
	}
	s := &modelled{
		signal: make(chan struct{}, 1), priority: rapid.IntRange(-1, 1).Draw(t, "priority"),
		maxStale: rapid.SampledFrom([]time.Duration{-1, 0, 90 * time.Second, 4 * time.Minute}).Draw(t, "max stale"),
		refresh:  minutes("refresh"), backoff: minutes("backoff"),
		now: rapid.IntRange(-1, 3).Draw(t, "content"), served: -1,
	}
	s.source = scripted(nil)
	s.becomes(s.now)
	err := m.c.Add(cache.SourceConfig{Key: key, Source: s.source, Priority: s.priority, Refresh: s.refresh, Jitter: -1,
		Backoff: cache.Backoff{Min: s.backoff, Max: s.backoff}, MaxStale: s.maxStale, Signal: s.signal})
	if m.sources[key] != nil {
		testkit.As[*cache.ConfigError](t, err)
		return
	}
	require.NoError(t, err)
	m.sources[key] = s
	s.load(time.Now())
}

// becomes sets the content of the source.
func (m *modelled) becomes(n int) {
	m.now = n
	if n < 0 {
		m.source.set(fails(errDown))
		return
	}
	content := numbered(n)
	m.source.set(func(_ context.Context, last *cache.Content) (*cache.Content, error) {
		if last != nil && last.Digest == content.Digest {
			return last, nil
		}
		return content, nil
	})
}

// Remove removes a source.
func (m *machine) Remove(t *rapid.T) {
	key, _ := m.draw(t)
	require.True(t, m.c.Remove(key))
	require.False(t, m.c.Remove(key))
	delete(m.sources, key)
}

// Change changes the content of a source without a signal.
func (m *machine) Change(t *rapid.T) {
	_, s := m.draw(t)
	s.becomes(rapid.IntRange(-1, 3).Draw(t, "content"))
}

// Signal signals that a source changed.
func (m *machine) Signal(t *rapid.T) {
	_, s := m.draw(t)
	s.signal <- struct{}{}
	if s.fails == 0 { // else the retry comes no earlier than after Min, as it does anyway
		s.load(time.Now())
	}
}

// Refresh refreshes some sources, or all.
func (m *machine) Refresh(t *rapid.T) {
	keys := rapid.SliceOfN(rapid.SampledFrom(modelKeys), 0, 4).Draw(t, "keys")
	err := m.c.Refresh(t.Context(), keys...)
	failed, unknown := false, false
	if len(keys) == 0 {
		for key := range m.sources {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, cache.Key.Compare)
	for _, key := range slices.Compact(keys) {
		s := m.sources[key]
		if s == nil {
			unknown = true
			continue
		}
		s.load(time.Now())
		failed = failed || s.fails > 0
	}
	require.Equal(t, failed, errors.Is(err, errDown))
	var missing *cache.UnknownSourceError
	require.Equal(t, unknown, errors.As(err, &missing))
	require.Equal(t, failed || unknown, err != nil)
}

// Prioritize changes a priority.
func (m *machine) Prioritize(t *rapid.T) {
	key, s := m.draw(t)
	s.priority = rapid.IntRange(-1, 1).Draw(t, "priority")
	require.True(t, m.c.SetPriority(key, s.priority))
}

// Wait lets up to ten minutes pass.
func (m *machine) Wait(t *rapid.T) {
	time.Sleep(time.Duration(rapid.IntRange(0, 600).Draw(t, "seconds")) * time.Second)
	for _, s := range m.sources {
		s.pass(time.Now())
	}
}

// Check compares the view of readers with the model.
func (m *machine) Check(t *rapid.T) {
	synctest.Wait()
	now := time.Now()
	s := testkit.Must(m.c.Snapshot(t.Context()))(t)
	require.Len(t, s.Catalogs(), len(m.sources))
	health := m.c.Health()
	require.Len(t, health, len(m.sources))
	for i, got := range s.Catalogs() {
		want := m.sources[got.Key]
		require.NotNil(t, want)
		require.Equal(t, want.priority, got.Priority)
		if want.served < 0 {
			require.Nil(t, got.Content)
			require.Empty(t, got.Digest)
		} else {
			require.Same(t, numbered(want.served).Catalog, got.Content)
			require.Equal(t, numbered(want.served).Digest, got.Digest)
		}
		require.Equal(t, want.available(now), got.Unavailable == nil, "%v", got.Unavailable)
		require.Equal(t, want.available(now), health[i].Available)
		require.Equal(t, got.Key, health[i].Key)
		require.Equal(t, want.fails, health[i].Failures)
		require.True(t, want.failing.Equal(health[i].FailingSince), "%s %s", want.failing, health[i].FailingSince)
		require.True(t, want.due.Equal(health[i].Next), "%s %s", want.due, health[i].Next)
		var failure *cache.SourceError
		if errors.As(got.Unavailable, &failure) {
			require.Equal(t, want.fails, failure.Failures)
			require.True(t, want.failing.Equal(failure.Since))
		}
	}
	m.checkVersion(t, s)
}

// checkVersion: the version grows, and listeners are notified, if and only if readers see a
// difference.
func (m *machine) checkVersion(t *rapid.T, s *cache.Snapshot) {
	if m.last != nil {
		require.GreaterOrEqual(t, s.Version(), m.last.Version())
		grew := s.Version() > m.last.Version()
		if render(s) != render(m.last) {
			require.True(t, grew)
		}
		require.Equal(t, render(s) == render(m.last), s.Digest() == m.last.Digest())
		require.Equal(t, grew, len(m.changes) == 1, "notified of changes")
	}
	for len(m.changes) > 0 {
		<-m.changes
	}
	m.last = s
}

// render renders everything that can affect a resolution.
func render(s *cache.Snapshot) string {
	out := ""
	for _, c := range s.Catalogs() {
		out += fmt.Sprintln(c.Key, c.Priority, c.Digest, c.Unavailable == nil)
	}
	return out
}

// TestModel runs random actions in random order.
func TestModel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) { // a bubble has no deadline
			c := testkit.Must(cache.New(cache.Config{}))(t)
			defer func() { require.NoError(t, c.Close()) }()
			m := &machine{c: c, sources: map[cache.Key]*modelled{}, changes: c.Changes(context.Background())}
			t.Repeat(rapid.StateMachineActions(m))
		})
	})
}
