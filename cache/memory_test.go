package cache_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestMemory: one source, several caches, each of which hears of each change.
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

// TestMemoryChanged: the channel is closed when the context ends, even if that
// was before.
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

// moody is a source whose Changed panics.
type moody struct{ *script }

// Changed implements cache.Notifier.
func (moody) Changed(context.Context) <-chan struct{} { panic("no inotify") }

// TestChangedPanics: the source is loaded all the same.
func TestChangedPanics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := one(t, cache.SourceConfig{Source: moody{scripted(gives(numbered(1)))}})
		require.NoError(t, see(t, c, community).Unavailable)
	})
}

func TestSameCatalogIsSameContent(t *testing.T) {
	s := cache.NewMemory(numbered(1).Catalog)
	first := testkit.Must(s.Load(t.Context(), nil))(t)
	require.Equal(t, numbered(1).Digest, first.Digest)
	again := testkit.Must(s.Load(t.Context(), first))(t)
	require.Same(t, first, again)
	_, err := cache.NewMemory(nil).Load(t.Context(), nil)
	require.Error(t, err)
}
