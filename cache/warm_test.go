package cache_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
)

// warmed is a script that also has something from an earlier process.
type warmed struct {
	*script
	warm func(context.Context) (*cache.Content, error)
}

// Warm implements cache.Warmer.
func (w warmed) Warm(ctx context.Context) (*cache.Content, error) { return w.warm(ctx) }

// TestWarm: what an earlier process had is served at once, and the load that
// follows gets it as its last.
func TestWarm(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(takes(time.Minute, numbered(2)))
		c := one(t, cache.SourceConfig{Refresh: -1, Source: warmed{s, gives1(numbered(1), nil)}})
		began := time.Now()
		got := see(t, c, community)
		require.Zero(t, time.Since(began))
		require.Same(t, numbered(1).Catalog, got.Content)
		require.NoError(t, got.Unavailable)
		h := health(t, c, community)
		require.True(t, h.Warm)
		require.True(t, h.Available)
		require.Zero(t, h.LastSuccess)
		require.Equal(t, numbered(1).Digest, h.Digest)

		time.Sleep(2 * time.Minute)
		require.Equal(t, []*cache.Content{numbered(1)}, s.handed())
		require.Same(t, numbered(1), s.handed()[0])
		require.Same(t, numbered(2).Catalog, see(t, c, community).Content)
		require.False(t, health(t, c, community).Warm)
		time.Sleep(time.Hour)
		require.Len(t, s.loads(), 1)
	})
}

// gives1 returns a Warm that returns that.
func gives1(c *cache.Content, err error) func(context.Context) (*cache.Content, error) {
	return func(context.Context) (*cache.Content, error) { return c, err }
}

// TestWarmConfirmed: a load that finds the same changes nothing for readers.
func TestWarmConfirmed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(func(_ context.Context, last *cache.Content) (*cache.Content, error) { return last, nil })
		c := one(t, cache.SourceConfig{Source: warmed{s, gives1(numbered(1), nil)}})
		before := see2(t, c)
		synctest.Wait()
		require.Same(t, before, see2(t, c))
		require.False(t, health(t, c, community).Warm)
		require.NotZero(t, health(t, c, community).LastSuccess)
	})
}

// TestWarmThenDown: what an earlier process had is the last good content when
// the far end is down, forgiven like any other failure.
func TestWarmThenDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(errors.New("no such host")))
		c := one(t, cache.SourceConfig{Source: warmed{s, gives1(numbered(1), nil)}, MaxStale: time.Hour})
		synctest.Wait()
		require.NoError(t, see(t, c, community).Unavailable)
		time.Sleep(time.Hour)
		synctest.Wait()
		got := see(t, c, community)
		require.ErrorContains(t, got.Unavailable, "meanwhile the content of 2000-01-01T00:00:00Z is served")
		require.Same(t, numbered(1).Catalog, got.Content)
		require.True(t, health(t, c, community).Warm)
	})
}

// TestNothingWarm: no warm content, for whatever reason, is not a failure of
// the source.
func TestNothingWarm(t *testing.T) {
	for name, warm := range map[string]func(context.Context) (*cache.Content, error){
		"nothing":    gives1(nil, nil),
		"error":      gives1(nil, errors.New("the file is damaged")),
		"no digest":  gives1(&cache.Content{Catalog: numbered(3).Catalog}, nil),
		"no catalog": gives1(&cache.Content{Digest: "sha256:00"}, nil),
		"panic":      func(context.Context) (*cache.Content, error) { panic("oops") },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := scripted(takes(time.Minute, numbered(1)))
				c := one(t, cache.SourceConfig{Source: warmed{s, warm}})
				began := time.Now()
				require.Same(t, numbered(1).Catalog, see(t, c, community).Content)
				require.Equal(t, time.Minute, time.Since(began))
				require.Nil(t, s.handed()[0])
				require.NoError(t, health(t, c, community).LastError)
			})
		})
	}
}

// TestWarmHangs: it counts as a failure when its time is up, so that readers
// do not wait; what comes late is served, and the load follows.
func TestWarmHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		free := make(chan struct{})
		s := scripted(takes(time.Minute, numbered(2)))
		c := one(t, cache.SourceConfig{Timeout: 10 * time.Minute, Refresh: -1, MaxStale: -1,
			Source: warmed{s, func(context.Context) (*cache.Content, error) { <-free; return numbered(1), nil }}})
		began := time.Now()
		require.ErrorIs(t, see(t, c, community).Unavailable, context.DeadlineExceeded)
		require.Equal(t, 10*time.Minute+5*time.Second, time.Since(began))
		time.Sleep(time.Hour)
		require.Empty(t, s.loads())
		close(free)
		synctest.Wait()
		require.Same(t, numbered(1).Catalog, see(t, c, community).Content)
		require.NoError(t, see(t, c, community).Unavailable)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Same(t, numbered(2).Catalog, see(t, c, community).Content)
		require.Len(t, s.loads(), 1)
	})
}

// TestRefreshWhileWarming: who asks for a refresh waits for a load.
func TestRefreshWhileWarming(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(takes(time.Minute, numbered(2)))
		c := one(t, cache.SourceConfig{Refresh: -1, Source: warmed{s, func(context.Context) (*cache.Content, error) {
			time.Sleep(time.Second)
			return numbered(1), nil
		}}})
		synctest.Wait()
		require.NoError(t, c.Refresh(t.Context()))
		require.Same(t, numbered(2).Catalog, see(t, c, community).Content)
		time.Sleep(time.Hour)
		require.Len(t, s.loads(), 1)
	})
}
