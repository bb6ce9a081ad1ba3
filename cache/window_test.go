package cache_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
)

// What follows happens only if several things come at the same instant, in one
// order of several. Each test makes them come together while the goroutine of
// the source is held up, and does so often.

// turnstile is a Metrics that lets nobody through while it is shut.
type turnstile struct{ shut atomic.Pointer[chan struct{}] }

func (*turnstile) Count(context.Context, string, int64, ...slog.Attr)     {}
func (*turnstile) Observe(context.Context, string, float64, ...slog.Attr) {}
func (s *turnstile) Gauge(context.Context, string, float64, ...slog.Attr) {
	if ch := s.shut.Load(); ch != nil {
		<-*ch
	}
}

// TestResultOfRemovedSource: a load that ends at the moment at which its source
// is removed, or the cache closed, is dropped.
func TestResultOfRemovedSource(t *testing.T) {
	for _, last := range []struct {
		name string
		do   func(context.Context, *cache.Content) (*cache.Content, error)
		end  func(*cache.Cache)
	}{
		{"content, removed", takes(30*time.Second, numbered(2)), func(c *cache.Cache) { c.Remove(community) }},
		{"content, closed", takes(30*time.Second, numbered(2)), func(c *cache.Cache) { go func() { _ = c.Close() }() }},
		{"failure, removed", takes(30*time.Second, nil), func(c *cache.Cache) { c.Remove(community) }},
	} {
		t.Run(last.name, func(t *testing.T) {
			for range 30 {
				bubble(t, func(t *testing.T) {
					var gate turnstile
					var told story
					s := scripted(gives(numbered(1)))
					c := open(t, cache.Config{Metrics: &gate, Logger: told.logger(), Sources: []cache.SourceConfig{{
						Key: community, Source: s, Refresh: time.Minute, Jitter: -1, MaxStale: 30 * time.Second,
						Backoff: cache.Backoff{Min: 20 * time.Second, Max: 20 * time.Second},
					}}})
					time.Sleep(time.Second)
					s.set(fails(errors.New("down"))) // at 1m0s
					time.Sleep(time.Minute)
					s.set(last.do) // from 1m20s to 1m50s
					time.Sleep(28 * time.Second)
					open := make(chan struct{})
					gate.shut.Store(&open) // the gauges of 1m30s have to wait
					told.take()
					time.Sleep(30 * time.Second)
					last.end(c)
					synctest.Wait()
					gate.shut.Store(nil)
					close(open)
					synctest.Wait()
					lines := told.take()
					require.Contains(t, lines[0], "catalog is unavailable") // at 1m30s
					require.Equal(t, "DEBUG loaded catalog catalog=olm/community cause=retry outcome=dropped duration=39s", lines[1])
				})
			}
		})
	}
}

// TestScheduledLoadMeetsDemand: a load that begins for another reason after
// Refresh was called is the one that it waits for; there is no second one.
func TestScheduledLoadMeetsDemand(t *testing.T) {
	for range 50 {
		bubble(t, func(t *testing.T) {
			var gate turnstile
			s := scripted(gives(numbered(1)))
			c := open(t, cache.Config{Metrics: &gate, Sources: []cache.SourceConfig{
				{Key: community, Source: s, Refresh: time.Minute, Jitter: -1},
			}})
			see2(t, c)
			synctest.Wait()
			open := make(chan struct{})
			gate.shut.Store(&open)
			first := make(chan error, 1)
			go func() { first <- c.Refresh(context.Background()) }()
			synctest.Wait()
			require.Len(t, s.loads(), 2) // whose gauges have to wait
			time.Sleep(time.Minute)      // the next load is due
			go func() { first <- c.Refresh(context.Background()) }()
			synctest.Wait()
			gate.shut.Store(nil)
			close(open)
			synctest.Wait()
			require.NoError(t, <-first)
			require.NoError(t, <-first)
			require.Len(t, s.loads(), 3)
		})
	}
}
