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

// These tests cover events at the same instant in one particular order. Each test lets them
// arrive while the goroutine of the source is blocked, and repeats that.

// turnstile is a Metrics that blocks while it is shut.
type turnstile struct{ shut atomic.Pointer[chan struct{}] }

func (*turnstile) Count(context.Context, string, int64, ...slog.Attr)     {}
func (*turnstile) Observe(context.Context, string, float64, ...slog.Attr) {}
func (s *turnstile) Gauge(context.Context, string, float64, ...slog.Attr) {
	if ch := s.shut.Load(); ch != nil {
		<-*ch
	}
}

// TestResultOfRemovedSource: the result of a load that ends at the moment its source is
// removed, or the cache is closed, is dropped.
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
					var logs story
					s := scripted(gives(numbered(1)))
					c := open(t, cache.Config{Metrics: &gate, Logger: logs.logger(), Sources: []cache.SourceConfig{{
						Key: community, Source: s, Refresh: time.Minute, Jitter: -1, MaxStale: 30 * time.Second,
						Backoff: cache.Backoff{Min: 20 * time.Second, Max: 20 * time.Second},
					}}})
					time.Sleep(time.Second)
					s.set(fails(errors.New("down"))) // at 1m0s
					time.Sleep(time.Minute)
					s.set(last.do) // from 1m20s to 1m50s
					time.Sleep(28 * time.Second)
					open := make(chan struct{})
					gate.shut.Store(&open) // the gauges of 1m30s block
					logs.take()
					time.Sleep(30 * time.Second)
					last.end(c)
					synctest.Wait()
					gate.shut.Store(nil)
					close(open)
					synctest.Wait()
					lines := logs.take()
					require.Contains(t, lines[0], "catalog is unavailable") // at 1m30s
					require.Equal(t, "DEBUG loaded catalog catalog=olm/community cause=retry outcome=dropped duration=39s", lines[1])
				})
			}
		})
	}
}

// TestScheduledLoadMeetsDemand: Refresh waits for a load that begins for another reason after
// the call; there is no second one.
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
			require.Len(t, s.loads(), 2) // its gauges block
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
