package cache_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestMemory: one source in several caches, each of which is notified of every change.
func TestMemory(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := cache.NewMemory(nil)
		one := func() *cache.Cache {
			return open(t, cache.Config{Sources: []cache.SourceConfig{{Key: community, Source: m, Refresh: -1, Backoff: cache.Backoff{Min: time.Hour}}}})
		}
		a, b := one(), one()
		require.ErrorContains(t, see(t, a, community).Unavailable, "no catalog was set")
		time.Sleep(2 * time.Hour)
		m.Set(numbered(1).Catalog)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Same(t, numbered(1).Catalog, see(t, a, community).Content)
		require.Same(t, numbered(1).Catalog, see(t, b, community).Content)
		m.Set(numbered(2).Catalog)
		synctest.Wait()
		require.Same(t, numbered(2).Catalog, see(t, a, community).Content)
		require.Same(t, numbered(2).Catalog, see(t, b, community).Content)
		before := see2(t, a)
		m.Set(contentOf("v2").Catalog)
		synctest.Wait()
		require.Same(t, before, see2(t, a), "an equal catalog is no change")
		m.Set(nil)
		synctest.Wait()
		require.Error(t, see(t, a, community).Unavailable)
		require.Same(t, numbered(2).Catalog, see(t, a, community).Content)
		require.True(t, a.Remove(community))
		synctest.Wait()
		m.Set(numbered(3).Catalog)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Same(t, numbered(3).Catalog, see(t, b, community).Content)
	})
}

// TestMemoryChanged: the channel is closed when the context ends, even if it has ended before.
func TestMemoryChanged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := cache.NewMemory(numbered(1).Catalog)
		ctx, cancel := context.WithCancel(t.Context())
		changed := m.Changed(ctx)
		m.Set(numbered(2).Catalog)
		m.Set(numbered(3).Catalog)
		require.Len(t, changed, 1)
		cancel()
		<-changed
		_, open := <-changed
		require.False(t, open)
		_, open = <-m.Changed(ctx)
		require.False(t, open)
		m.Set(numbered(1).Catalog)
	})
}

func TestSameCatalogIsSameContent(t *testing.T) {
	s := cache.NewMemory(numbered(1).Catalog)
	first := testkit.Must(s.Load(t.Context(), nil))(t)
	require.Equal(t, numbered(1).Digest, first.Digest)
	require.Same(t, first, testkit.Must(s.Load(t.Context(), first))(t))
	_, err := cache.NewMemory(nil).Load(t.Context(), nil)
	require.Error(t, err)
}

// notifying is a Notifier, or panics in Changed.
type notifying struct {
	cache.Source
	panics bool
}

func (n notifying) Changed(context.Context) <-chan struct{} {
	if n.panics {
		panic("no ears")
	}
	return nil
}

// TestNotifierThatPanics: the source is still loaded, and a warning is logged. A Changed that
// does not panic logs nothing.
func TestNotifierThatPanics(t *testing.T) {
	for _, panics := range []bool{true, false} {
		var log bytes.Buffer
		c, err := cache.New(cache.Config{
			Logger:  slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			Sources: []cache.SourceConfig{{Key: community, Source: notifying{cache.NewMemory(numbered(1).Catalog), panics}}},
		})
		require.NoError(t, err)
		require.NoError(t, testkit.Must(c.Snapshot(t.Context()))(t).Catalogs()[0].Unavailable)
		require.NoError(t, c.Close())
		if panics {
			require.Contains(t, log.String(), "cannot subscribe to changes")
			require.Contains(t, log.String(), "no ears")
		} else {
			require.Empty(t, log.String())
		}
	}
}
